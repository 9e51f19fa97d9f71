import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  Kind,
} from 'graphql';
import type { ComplexityEstimatorArgs } from 'graphql-query-complexity';
import { api } from '../schema/index.ts';

/**
 * What the statements of a query cost besides the fields of its response. 1 is about 30 µs of PostgreSQL in a company
 * with a million rows of the kind; see docs/performance.md.
 */
const prices = {
  total: 5000,
  /** By another field than the one by which the table is indexed. */
  sort: 10_000,
  aggregate: 15_000,
  /** A key or measure of a related row. */
  relatedKey: 10_000,
  /** Both sort the values of each group; a percentile takes longer where there are several. */
  countDistinct: 20_000,
  percentile: 40_000,
  /** One operator with its value. */
  condition: 1000,
  textCondition: 20_000,
  /** A condition on related rows, which reads their table. */
  relatedCondition: 20_000,
  /** By a field of a related row. */
  relatedSort: 20_000,
  search: 20_000,
  /** Of a text that is too short for the index. */
  shortSearch: 60_000,
};

/** Something that has a price. */
export type Priced = keyof typeof prices;

/** How each is called in messages, and what makes a query with many cheaper. */
const texts: Readonly<Record<Priced, readonly [name: string, advice: string]>> = {
  total: ['totalCount', 'Ask for fewer totals in one request'],
  sort: ['sort', 'Sort by createdAt, or send some of the lists in another request'],
  condition: ['condition', 'Use in for several values of one field'],
  textCondition: [
    'contains or startsWith',
    'Compare texts with eq or in, or send some of the lists in another request',
  ],
  relatedCondition: [
    'condition on related rows',
    'Put conditions on the same rows into one, compare the reference instead, or send some in another request',
  ],
  relatedSort: ['sort by a related row', 'Sort by createdAt, or by a field of the rows themselves'],
  aggregate: ['aggregate', 'Send some of the aggregates in another request, or select several keys of one'],
  relatedKey: ['key or measure of a related row', 'Group by the reference instead'],
  countDistinct: ['countDistinct', 'Send some of the aggregates in another request'],
  percentile: ['percentile', 'Use avg, min and max, or send some of the aggregates in another request'],
  search: ['search', 'Send some of the searches in another request, or use filter instead'],
  shortSearch: ['search of less than three characters', 'Search for longer texts'],
};

/** The number of characters from which a search can use an index of trigrams. */
const indexedLength = 3;

/** The fragments of a query by name. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** Lists what a field has the database do that has a price. */
export function pricedOf({ type, field, args, node }: ComplexityEstimatorArgs, fragments: Fragments): Priced[] {
  const priced: Priced[] = [];
  if (field.name === 'totalCount' && api.connectionTypes.has(type.name)) priced.push('total');
  if (field.extensions['aggregates']) priced.push('aggregate');
  if (field.extensions['relatedKey']) priced.push('relatedKey');
  if (field.extensions['price']) priced.push(field.extensions['price'] as Priced);
  if (!api.connectionTypes.has(getNamedType(field.type).name)) return priced;
  const conditions: Priced[] = [];
  const filter = field.args.find(({ name }) => name === 'filter');
  if (filter) conditions.push(...pricedFilter(filter.type, args['filter']));
  const sought = typeof args['search'] === 'string' ? args['search'].trim() : '';
  if (sought !== '') conditions.push([...sought].length < indexedLength ? 'shortSearch' : 'search');
  // The page and its total are one statement, each aggregation is another.
  const selected = [...selectedFields(node, fragments)];
  const aggregations = selected.filter(({ name }) => name.value === 'aggregates').length;
  const statements = aggregations + (selected.length > aggregations || aggregations === 0 ? 1 : 0);
  for (let n = 0; n < statements; n++) priced.push(...conditions);
  return [...priced, ...pricedOrder(args)];
}

/** The fields that are selected of a field, each as often as it is; those of a fragment once. */
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

/** The columns that lists are sorted by through an index. */
const indexedSorts = ['createdAt', 'id'];

/** What sorts a list: the first key that has no index decides. */
function pricedOrder({ sort, orderBy }: ComplexityEstimatorArgs['args']): Priced[] {
  if (!Array.isArray(orderBy) || orderBy.length === 0)
    return typeof sort === 'string' && !indexedSorts.includes(sort) ? ['sort'] : [];
  const keys = orderBy as readonly Readonly<Record<string, unknown>>[];
  if (keys.some(({ field }) => field === undefined)) return ['relatedSort'];
  return keys.length > 1 || !indexedSorts.includes(String(keys[0]?.['field'])) ? ['sort'] : [];
}

/** The conditions of a filter. */
function pricedFilter(type: GraphQLInputType, value: unknown): Priced[] {
  if (Array.isArray(value)) return value.flatMap((each) => pricedFilter(type, each));
  const named = getNamedType(type);
  if (!isInputObjectType(named) || typeof value !== 'object' || value === null) return [];
  const fields = named.getFields();
  return Object.entries(value).flatMap(([name, inner]): Priced[] => {
    const field = fields[name];
    if (!field) return [];
    if (named.extensions['operators'])
      return [name === 'contains' || name === 'startsWith' ? 'textCondition' : 'condition'];
    const own = field.extensions['relation'] ? (['relatedCondition'] as const) : [];
    return [...own, ...pricedFilter(field.type, inner)];
  });
}

/** The price of all of these. */
export const totalPrice = (all: readonly Priced[]): number => all.reduce((sum, each) => sum + prices[each], 0);

/** Explains a price: what has how much of it, and what would make the largest part cheaper. */
export function explainPrice(fields: number, all: readonly Priced[]): string {
  const parts = (Object.keys(prices) as Priced[])
    .map((each) => ({ each, count: all.filter((one) => one === each).length }))
    .filter(({ count }) => count > 0)
    .map(({ each, count }) => ({ each, count, price: count * prices[each] }))
    .sort((one, other) => other.price - one.price);
  const listed = parts.map(({ each, count, price }) => `${price} for ${count} × ${texts[each][0]}`);
  const [largest] = parts;
  const advice =
    largest && largest.price > fields ? texts[largest.each][1] : 'Ask for fewer rows with first, or for fewer fields';
  return `${[`${fields} for fields`, ...listed].join(', ')}. ${advice}.`;
}
