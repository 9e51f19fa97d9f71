import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  Kind,
} from 'graphql';
import type { ComplexityEstimatorArgs } from 'graphql-query-complexity';
import { isConnection } from '../resource/index.ts';

/**
 * What the statements of a query cost besides the fields of its response. 1 is about 30 µs of PostgreSQL in a company
 * with a million rows of the kind; see docs/query-performance.md.
 */
const costs = {
  total: 5000,
  /** A sort by a field without an index. */
  sort: 10_000,
  aggregate: 15_000,
  /** A key or measure of a related row. */
  relatedKey: 10_000,
  /** A key that is a part of a time, in a time zone. */
  timePart: 10_000,
  /** Both sort the values of each group; a percentile takes longer where there are several. */
  countDistinct: 20_000,
  percentile: 40_000,
  /** Reads the periods of each row's statuses, once for all measures of them. */
  statusPeriods: 100_000,
  /** Finds the periods of each row. */
  periods: 50_000,
  /** One operator with its value. */
  condition: 1000,
  textCondition: 20_000,
  /** A condition on related rows, which reads their table. */
  relatedCondition: 20_000,
  /** A condition on a list of rows that are related to a related row, which are read for each of those. */
  nestedListCondition: 100_000,
  /** A condition on what is computed of a list, which is read for each row. */
  measuredList: 100_000,
  /** The time of the first row of a list, which an index has for each row. */
  firstOfList: 60_000,
  /**
   * A condition on a list within another relation or an `or`, in the filter of a list inside rows. No index finds the
   * rows that match, so the list is searched for each row above.
   */
  innerListCondition: 200_000,
  /** A sort by a field of a related row. */
  relatedSort: 20_000,
  /** Reads the log of changes, or a part of a snapshot. */
  log: 1000,
  search: 20_000,
  /** A search for a text without words that are long enough for the index. */
  shortSearch: 60_000,
};

/** The name of a cost: work of the database that a query causes. */
export type DatabaseCost = keyof typeof costs;

/** The name of each in messages, and advice to make a query with many of them cheaper. */
const texts: Readonly<Record<DatabaseCost, readonly [name: string, advice: string]>> = {
  total: ['totalCount', 'Ask for fewer totals in one request'],
  sort: ['sort', 'Sort by createdAt, or send some of the lists in another request'],
  condition: ['condition', 'Use the operator in for several values of one field'],
  textCondition: [
    'contains or startsWith',
    'Compare texts with eq or in, or send some of the lists in another request',
  ],
  relatedCondition: [
    'condition on related rows',
    'Put conditions on the same rows into one, compare the reference instead, or send some in another request',
  ],
  nestedListCondition: [
    'condition on a list within another relation',
    'Filter the related rows by their own fields, or find them first and compare the reference',
  ],
  measuredList: [
    'measure of a list',
    'Compare with some, none or every, or filter the rows by their own fields in another request first',
  ],
  firstOfList: ['hoursToFirst', 'Send some of the aggregates in another request'],
  innerListCondition: [
    'condition on a list, within or or another relation, in the filter of a list inside rows',
    'Select a list for each alternative, or filter the list at the root',
  ],
  relatedSort: ['sort by a related row', 'Sort by createdAt, or by a field of the rows themselves'],
  aggregate: ['aggregate', 'Send some of the aggregates in another request, or select several keys of one'],
  relatedKey: ['key or measure of a related row', 'Group by the reference instead'],
  timePart: ['part of a time', 'Group by one part of a time only, such as the month'],
  countDistinct: ['countDistinct', 'Send some of the aggregates in another request'],
  percentile: ['percentile', 'Use avg, min and max, or send some of the aggregates in another request'],
  statusPeriods: ['hoursInStatus and hoursBetween', 'Send some of the aggregates in another request'],
  periods: ['periods', 'Send some of the aggregates in another request'],
  log: ['part of the log or of a snapshot', 'Read one in a request'],
  search: ['search', 'Send some of the searches in another request, or use filter instead'],
  shortSearch: ['search without three letters or digits in a row', 'Search for longer texts'],
};

/** What a search can find through an index of trigrams. */
const indexed = /[\p{L}\p{N}]{3}/u;

/** The fragments of a query by name. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The fragments of a document. */
export const fragmentsOf = ({ definitions }: DocumentNode): Fragments =>
  new Map(
    definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [])),
  );

/** Finds what a field costs in the database. */
export function findDatabaseCosts(
  { type, field, args, node }: ComplexityEstimatorArgs,
  fragments: Fragments,
): DatabaseCost[] {
  const databaseCosts: DatabaseCost[] = [];
  if (field.name === 'totalCount' && isConnection(type)) databaseCosts.push('total');
  if (field.extensions.aggregates) {
    databaseCosts.push('aggregate');
    const periods: unknown = args['periods'];
    if (periods != null) databaseCosts.push('periods');
    // The type of the field is a list of a resource's aggregate.
    const measures = (getNamedType(field.type) as GraphQLObjectType).getFields();
    const selected = [...selectedFields(node, fragments)];
    if (selected.some(({ name }) => measures[name.value]?.extensions.readsStatusPeriods))
      databaseCosts.push('statusPeriods');
  }
  if (field.extensions.relatedKey) databaseCosts.push('relatedKey');
  // No field has another database cost.
  if (field.extensions.databaseCost) databaseCosts.push(field.extensions.databaseCost);
  // Of a measure: each row of the list is compared.
  const where = field.args.find(({ name }) => name === 'where');
  if (where) databaseCosts.push(...findFilterCosts(where.type, args['where'], { isInsideRows: false }));
  if (!isConnection(getNamedType(field.type))) return databaseCosts;
  const conditions = findConditionCosts({ type, field, args });
  // The page and its total are one statement, each aggregation is another.
  const selected = [...selectedFields(node, fragments)];
  const aggregations = selected.filter(({ name }) => name.value === 'aggregates').length;
  const statements = aggregations + (selected.length > aggregations || aggregations === 0 ? 1 : 0);
  for (let n = 0; n < statements; n++) databaseCosts.push(...conditions);
  if (selected.some(({ name }) => showsRows.has(name.value)))
    databaseCosts.push(...findOrderCosts(args, indexedSorts(field, args)));
  return databaseCosts;
}

/** The conditions of a list. */
function findConditionCosts({
  type,
  field,
  args,
}: Pick<ComplexityEstimatorArgs, 'type' | 'field' | 'args'>): DatabaseCost[] {
  const filter = field.args.find(({ name }) => name === 'filter');
  const isInsideRows = type.name !== 'Query' && type.name !== 'Subscription';
  const conditions = filter ? findFilterCosts(filter.type, args['filter'], { isInsideRows }) : [];
  const sought = typeof args['search'] === 'string' ? args['search'].trim() : '';
  if (sought !== '') conditions.push(indexed.test(sought) ? 'search' : 'shortSearch');
  return conditions;
}

/** The cost of the page of a list for each further row that has it. An index finds the latest rows, also of a time. */
export function computePageCost(selected: ComplexityEstimatorArgs): number {
  const { field, args } = selected;
  const { filter, ...others } = args;
  const type = getNamedType(field.args.find(({ name }) => name === 'filter')?.type);
  const fields = isInputObjectType(type) ? type.getFields() : {};
  const isByTime = Object.keys((filter ?? {}) as object).every(
    (name) => fields[name]?.extensions.stored?.role === 'creation',
  );
  const conditions = findConditionCosts({ ...selected, args: isByTime ? others : args });
  const own = sumDatabaseCosts([...conditions, ...findOrderCosts(args, indexedSorts(field, args))]);
  // All rows of the list may have to be read, as for a total.
  return own > 0 ? own + costs.total : 0;
}

/** The fields selected inside a field. Repeated ones are returned each time, those of a fragment once. */
export function* selectedFields(
  node: Pick<FieldNode, 'selectionSet'>,
  fragments: Fragments,
  spread = new Set<string>(),
): Generator<FieldNode> {
  for (const selection of node.selectionSet?.selections ?? []) {
    if (selection.kind === Kind.FIELD) yield selection;
    else if (selection.kind === Kind.INLINE_FRAGMENT) yield* selectedFields(selection, fragments, spread);
    else if (!spread.has(selection.name.value)) {
      spread.add(selection.name.value);
      const fragment = fragments.get(selection.name.value);
      if (fragment) yield* selectedFields(fragment, fragments, spread);
    }
  }
}

/** The fields of a list that depend on its order. */
const showsRows = new Set(['nodes', 'edges', 'pageInfo']);

/** The columns by which an index sorts a list. A list of sub-resources has such an index only for one parent. */
function indexedSorts({ args: accepted }: ComplexityEstimatorArgs['field'], args: ComplexityEstimatorArgs['args']) {
  const parent = accepted.find(({ extensions }) => extensions.stored);
  const roles: unknown[] = parent && args[parent.name] == null ? ['key'] : ['key', 'creation'];
  const sort = getNamedType(accepted.find(({ name }) => name === 'sort')?.type);
  const fields = isEnumType(sort) ? sort.getValues() : [];
  return fields.flatMap(({ value, extensions }) => (roles.includes(extensions.role) ? [value as string] : []));
}

/** The cost of a sort: that of the first key without an index. */
function findOrderCosts(
  { sort, orderBy }: ComplexityEstimatorArgs['args'],
  indexed: readonly string[],
): DatabaseCost[] {
  if (!Array.isArray(orderBy) || orderBy.length === 0)
    return typeof sort === 'string' && !indexed.includes(sort) ? ['sort'] : [];
  // GraphQL has read them by their type.
  const keys = orderBy as readonly Readonly<Record<string, unknown>>[];
  const figures = keys.filter(sortsByFigure).map(() => 'measuredList' as const);
  if (keys.some(({ field }) => field === undefined)) return ['relatedSort', ...figures];
  return keys.length > 1 || !indexed.includes(String(keys[0]?.['field'])) ? ['sort'] : [];
}

/** Whether a sort key is what is computed of a list, of the row or of a related one. */
const sortsByFigure = (key: object): boolean =>
  'measure' in key ||
  Object.values(key).some((inner: unknown) => typeof inner === 'object' && inner !== null && sortsByFigure(inner));

/** Where a filter is. */
interface FilterPlace {
  /** Whether it filters a list inside rows, rather than one at the root. */
  readonly isInsideRows: boolean;
  /** Whether it is one of alternatives. */
  readonly isAlternative?: boolean;
  /** Whether it is a filter of related rows. */
  readonly isRelated?: boolean;
}

/** The conditions of a filter. */
function findFilterCosts(type: GraphQLInputType, value: unknown, place: FilterPlace): DatabaseCost[] {
  if (Array.isArray(value)) return value.flatMap((each) => findFilterCosts(type, each, place));
  const named = getNamedType(type);
  if (!isInputObjectType(named) || typeof value !== 'object' || value === null) return [];
  const fields = named.getFields();
  return Object.entries(value).flatMap(([name, inner]): DatabaseCost[] => {
    const field = fields[name];
    if (!field) return [];
    if (named.extensions.operators)
      return [name === 'contains' || name === 'startsWith' ? 'textCondition' : 'condition'];
    const { relation, isRelated, measuresList } = field.extensions;
    if (!relation)
      return [
        ...(isRelated ? (['relatedCondition'] as const) : []),
        ...(measuresList ? (['measuredList'] as const) : []),
        ...findFilterCosts(field.type, inner, { ...place, isAlternative: place.isAlternative || name === 'or' }),
      ];
    const own = relation === 'list' ? costOfListCondition(place) : 'relatedCondition';
    return [own, ...findFilterCosts(field.type, inner, { ...place, isRelated: true })];
  });
}

function costOfListCondition({ isInsideRows, isAlternative, isRelated }: FilterPlace): DatabaseCost {
  if (isInsideRows && (isAlternative || isRelated)) return 'innerListCondition';
  return isRelated ? 'nestedListCondition' : 'relatedCondition';
}

/** The sum of costs. */
export const sumDatabaseCosts = (all: readonly DatabaseCost[]): number =>
  all.reduce((sum, each) => sum + costs[each], 0);

/** A share of a cost: what it is for, and what makes a query with much of it cheaper. */
interface CostShare {
  readonly cost: number;
  readonly what: string;
  readonly advice: string;
}

/** What a query costs. */
export interface Cost {
  /** The number of fields that its response can have. */
  readonly fields: number;
  /** Whether these are those of several groups for each row of a page. */
  readonly hasGroupsInRows: boolean;
  /** The work that it causes in the database, by names of costs. */
  readonly databaseCosts: readonly DatabaseCost[];
  /** The cost of work that is done several times. */
  readonly repeated: number;
}

/** Explains a cost: the share of each part, and advice to reduce the largest. */
export function explainCost({ fields, hasGroupsInRows, databaseCosts: all, repeated }: Cost): string {
  // The keys of a constant are known.
  const counted = (Object.keys(costs) as DatabaseCost[]).map((each): CostShare => {
    const [name, advice] = texts[each];
    const count = all.filter((one) => one === each).length;
    return { cost: count * costs[each], what: `${count} × ${name}`, advice };
  });
  const parts = [...counted, { cost: repeated, ...repeatedText }]
    .filter(({ cost }) => cost > 0)
    .sort((one, other) => other.cost - one.cost);
  const [largest] = parts;
  const advice = largest && largest.cost > fields ? largest.advice : fieldAdvice(hasGroupsInRows);
  return `${[`${fields} for fields`, ...parts.map(({ cost, what }) => `${cost} for ${what}`)].join(', ')}. ${advice}.`;
}

const fieldAdvice = (hasGroupsInRows: boolean) =>
  hasGroupsInRows
    ? 'Group the aggregates of each row by enums or booleans, filter them to a range of the dates that they are grouped by, limit their groups with first, or ask for fewer rows with first'
    : 'Ask for fewer rows with first, or for fewer fields';

const repeatedText = {
  what: 'lists of related rows that are read again for each row above',
  advice: 'Select these lists at the root, or ask for fewer of the rows above with first',
};
