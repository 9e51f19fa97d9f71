// What the API says about itself: the words and limits that the pages show. Only who is signed in may read it.
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

let loading: Promise<Meta> | undefined;

/** Reads them, once a page. @throws ApiError */
export function getMeta(): Promise<Meta> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Meta> {
  const { meta, actions } = await execute(MetaDocument, { mutations: [...mutations] });
  const choices = new Map(meta.enums.map(({ name, choices }) => [name, choices]));
  const labels = new Map(
    meta.enums.flatMap(({ name, choices }) =>
      choices.flatMap(({ value, restValue, label }) =>
        [value, restValue].map((each) => [`${name}.${each}`, label] as const),
      ),
    ),
  );
  return {
    scopeGroups: meta.scopeGroups,
    // The values of an enum are those of its generated type.
    choices: <Value extends string>(name: string) =>
      (choices.get(name) ?? []).map(({ value, label }) => ({ value: value as Value, label })),
    // A value that a later version of the service has is shown as it is.
    label: (name, value) => labels.get(`${name}.${value}`) ?? value,
    action(field) {
      const found = actions.find((each) => each.field === field);
      if (!found) throw new Error(`The API has no mutation ${field}.`);
      return found;
    },
  };
}

/** Reads the words of a resource. @throws ApiError */
export async function getResource(type: string): Promise<ResourceWords> {
  const [found] = (await execute(ResourceWordsDocument, { types: [type] })).resources;
  if (!found) throw new Error(`You cannot read ${type}.`);
  return found;
}
