// The parameters of aggregates besides those that filter the list.
import { type GraphQLArgument, type GraphQLField, type GraphQLInputType, GraphQLInt, GraphQLString } from 'graphql';
import { maxGroups } from '../../resource/index.ts';

/** The arguments of a list that say which rows it has; the others are those of its pages. */
const ofPages = ['orderBy', 'first', 'after', 'last', 'before', 'offset', 'sort', 'order'];

const argument = (
  name: string,
  description: string,
  type: GraphQLInputType = GraphQLString,
  extensions: GraphQLArgument['extensions'] = {},
): GraphQLArgument => ({
  name,
  description,
  type,
  extensions,
  defaultValue: undefined,
  deprecationReason: undefined,
  astNode: undefined,
});

/** What groups are asked for, by the names in `GroupInput`. */
const groupArguments: readonly GraphQLArgument[] = [
  argument(
    'groupBy',
    'The keys of the groups, separated by commas: fields, parts of dates and times, and fields of related rows: `status,created_at.month,building.code`. Without any all rows are one group.',
  ),
  argument(
    'measures',
    'What is computed of each group, separated by commas: `count`, `amount.sum`, `count_distinct(requested_by)`, `ratio(late,count)`. A name before a colon is its name in the response: `late:count`. By default `count`.',
  ),
  argument(
    'where',
    'Conditions on the rows of measures, as a JSON object of filters by names of measures: `{"late":{"status":{"eq":"pending"}}}`.',
  ),
  argument('having', 'Conditions on measures, as a JSON array: `[{"field":"count","gte":10}]`.'),
  argument(
    'groupSort',
    'Keys and measures to sort by, separated by commas; each is ascending, or descending with a leading minus. By default the keys.',
    GraphQLString,
    { rest: 'sort' },
  ),
  argument(
    'groupLimit',
    'Maximum number of groups. There may be no more than 1,000 without it, but in CSV and XLSX.',
    GraphQLInt,
    { rest: 'limit', maxPageSize: maxGroups },
  ),
  argument('per', 'Keys, separated by commas, within each of whose values `limit` counts.'),
  argument('subtotals', 'Totals too, as a JSON array of arrays of keys: `[["status"],[]]`.'),
  argument(
    'fill',
    'Adds the groups without rows from a day until the day before another, as JSON: `{"from":"startOfYear","to":"today"}`.',
  ),
  argument(
    'periods',
    'Periods that rows belong to, with the key `period`, as JSON: `{"from":"startOfYear","to":"today","every":"month"}`. Rows are in those at whose end they existed, with the status that they had then, or in those that a range of theirs touches.',
  ),
  argument('timeZone', "The time zone of parts of times, such as `Europe/Berlin`; the company's by default."),
];

/** The values of these arguments. */
export interface GroupInput {
  readonly groupBy?: string;
  readonly measures?: string;
  readonly where?: string;
  readonly having?: string;
  readonly groupSort?: string;
  readonly groupLimit?: number;
  readonly per?: string;
  readonly subtotals?: string;
  readonly fill?: string;
  readonly periods?: string;
  readonly timeZone?: string;
}

/** The root field of a list as that of its aggregates, in REST's parameters. */
export const aggregateField = (list: GraphQLField<unknown, unknown>): GraphQLField<unknown, unknown> => ({
  ...list,
  description: `${(list.description ?? '').replace(/[.:,].*$/s, '')}, in groups: counts, sums and other measures of all rows that match.`,
  args: [...list.args.filter(({ name }) => !ofPages.includes(name)), ...groupArguments],
});

/** Divides the variables of a request into those of the list and those of its groups. */
export function divide(variables: Readonly<Record<string, unknown>>): {
  readonly list: Readonly<Record<string, unknown>>;
  readonly groups: GroupInput;
} {
  const names = new Set(groupArguments.map(({ name }) => name));
  const entries = Object.entries(variables);
  return {
    list: Object.fromEntries(entries.filter(([name]) => !names.has(name))),
    // Each has the type of its argument.
    groups: Object.fromEntries(entries.filter(([name]) => names.has(name))),
  };
}
