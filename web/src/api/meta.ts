// What the API says about itself: the words and limits that the pages show.

import { formatName } from '../format.ts';
import { MetaDocument, type MetaQuery } from './generated/graphql.ts';
import { execute } from './graphql.ts';

/** The mutations whose forms the pages have. */
const forms = ['createApiToken', 'inviteUser', 'createWebhook', 'saveQuery', 'updateCompanySettings'] as const;

/** The mutations whose buttons take their words from the API. */
const buttons = ['setUserRole', 'deactivateUser', 'reactivateUser', 'eraseUser'] as const;

/** A value of an enum, and what people call it. */
export interface Choice<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
}

/** A group of resources that scopes are named after. */
export type ScopeGroup = NonNullable<MetaQuery['meta']>['scopeGroups'][number];

type Action = NonNullable<MetaQuery['actions']>[number];

/** The words and limits of the API. */
export interface Meta {
  readonly scopeGroups: readonly ScopeGroup[];
  /** The values of an enum, in their order. */
  choices<Value extends string>(name: string): readonly Choice<Value>[];
  /** What people call a value of an enum, in the spelling of GraphQL or REST. */
  label(name: string, value: string): string;
  /** What a button that runs a mutation is called, and whether the person may run it. */
  action(field: (typeof buttons)[number]): Pick<Action, 'label' | 'isAllowed'>;
  /** The longest text of a field of a form; undefined without a limit. */
  maxLength(form: (typeof forms)[number], field: string): number | undefined;
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
  const { meta, actions } = await execute(MetaDocument, { actions: [...forms, ...buttons] });
  const choices = new Map(meta.enums.map(({ name, choices }) => [name, choices]));
  const labels = new Map(
    meta.enums.flatMap(({ name, choices }) =>
      choices.flatMap(({ value, restValue, label }) =>
        [value, restValue].map((each) => [`${name}.${each}`, label] as const),
      ),
    ),
  );
  const limits = new Map(
    actions.flatMap(({ field, input }) => input.map(({ name, maxLength }) => [`${field}.${name}`, maxLength])),
  );
  return {
    scopeGroups: meta.scopeGroups,
    // The values of an enum are those of its generated type.
    choices: <Value extends string>(name: string) =>
      (choices.get(name) ?? []).map(({ value, label }) => ({ value: value as Value, label })),
    // A value that a later version of the service knows has its name.
    label: (name, value) => labels.get(`${name}.${value}`) ?? formatName(value.toLowerCase()),
    action(field) {
      const found = actions.find((each) => each.field === field);
      if (!found) throw new Error(`The API has no mutation ${field}.`);
      return found;
    },
    maxLength: (form, field) => limits.get(`${form}.${field}`) ?? undefined,
  };
}
