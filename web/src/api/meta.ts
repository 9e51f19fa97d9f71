// What the API says about itself: the words and limits that the pages show. Only who is signed in may read it.
import { language } from '../texts/texts.ts';
import { loadWords, sayLabels, valueLabels } from '../texts/words.ts';
import { MetaDocument, type MetaQuery, ResourceWordsDocument, type ResourceWordsQuery } from './generated/graphql.ts';
import { execute } from './graphql.ts';
import { type Mutation, mutations } from './mutations.ts';

export type { Mutation };

/** A value of an enum, and what people call it. */
export interface Choice<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
}

/** A group of resources that scopes are named after. */
export type ScopeGroup = NonNullable<MetaQuery['meta']>['scopeGroups'][number];

/** What people call a resource and its fields. */
export type ResourceWords = NonNullable<ResourceWordsQuery['resources']>[number];

type Action = NonNullable<MetaQuery['actions']>[number];

/** The words and limits of the API. */
export interface Meta {
  readonly scopeGroups: readonly ScopeGroup[];
  /** The values of an enum, in their order. */
  choices<Value extends string>(name: string): readonly Choice<Value>[];
  /** What people call a value of an enum, in the spelling of GraphQL or REST. */
  label(name: string, value: string): string;
  /** What a button that runs a mutation is called, and whether the person may run it. */
  action(field: Mutation): Action;
}

/** What has been read, by language. */
const loading = new Map<string, Promise<Meta>>();

/** Reads them in the reader's language, once a page. @throws ApiError */
export function getMeta(): Promise<Meta> {
  const key = language();
  const found = loading.get(key);
  if (found) return found;
  const meta = load().catch((error: unknown) => {
    loading.delete(key);
    throw error;
  });
  loading.set(key, meta);
  return meta;
}

async function load(): Promise<Meta> {
  const [{ meta, actions: given }, say] = await Promise.all([
    execute(MetaDocument, { mutations: [...mutations] }),
    loadWords(),
  ]);
  const actions = sayLabels(say, 'actions', given).map((action) => ({
    ...action,
    input: sayLabels(say, 'fields', action.input),
  }));
  const choices = new Map(meta.enums.map(({ name, choices }) => [name, sayLabels(say, 'values', choices)]));
  return {
    scopeGroups: sayLabels(say, 'types', meta.scopeGroups),
    // The values of an enum are those of its generated type.
    choices: <Value extends string>(name: string) =>
      (choices.get(name) ?? []).map(({ value, label }) => ({ value: value as Value, label })),
    label: valueLabels(say, meta.enums),
    action(field) {
      const found = actions.find((each) => each.field === field);
      if (!found) throw new Error(`The API has no mutation ${field}.`);
      return found;
    },
  };
}

/** Reads the words of a resource. @throws ApiError */
export async function getResource(type: string): Promise<ResourceWords> {
  const [{ resources }, say] = await Promise.all([execute(ResourceWordsDocument, { types: [type] }), loadWords()]);
  const [found] = sayLabels(say, 'types', resources);
  if (!found) throw new Error(`You cannot read ${type}.`);
  return { ...found, fields: sayLabels(say, 'fields', found.fields) };
}
