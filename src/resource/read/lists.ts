import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import type { FindArgs } from '../../database/read/find.ts';
import type { PageArgs } from '../../database/read/rows.ts';
import type { ApiField } from '../../database/stored-field.ts';
import { badRequest } from '../../errors.ts';
import { hiddenColumns } from '../access/hidden-columns.ts';
import type { Group, GroupArguments } from '../aggregate/find.ts';
import { and, type ModelName, type Row, type StoredWithRoles, type Where } from '../definition/model.ts';
import type { Policies } from '../definition/policy.ts';
import type { SearchedContent, SearchMatch } from '../definition/searched-content.ts';
import type { Words } from '../definition/words.ts';
import { type Filter, filterWhere } from '../filter/compile.ts';
import type { ComputedFilter, Filterable, NormalizedColumn } from '../filter/filterable.ts';
import { anyOf, escapeLike, readText } from '../filter/operators.ts';
import { type Counted, countedOf, decodeCursor, encodeCursor } from './cursor.ts';
import { beyond, type KeySelection, orderByOf, orderName, readOrder, selectKeys, valueOf } from './order.ts';

/** The filters, searched columns and sort columns of a list. */
export interface Listing extends StoredWithRoles {
  /** The GraphQL type of the rows. */
  readonly type: string;
  /** What people call the rows. */
  readonly words: Words;
  readonly model: ModelName;
  /** The columns in the response, in order. */
  readonly columns: readonly string[];
  readonly search: readonly string[];
  readonly content?: SearchedContent | undefined;
  /** Computed filters: conditions that are not a comparison of one column. */
  readonly filters: Readonly<Record<string, ComputedFilter>>;
  readonly normalized: Readonly<Record<string, NormalizedColumn>>;
  readonly policies: Policies;
}

/** Finds what the rows of a list can be filtered and sorted by: the registry does. */
export interface Filterables {
  filterableOf(listing: Listing): Filterable;
}

/** The arguments of every list. */
export interface ListArguments {
  filter?: Filter | null;
  search?: string | null;
  sort?: string | null;
  order?: 'ASC' | 'DESC' | null;
  orderBy?: readonly Readonly<Record<string, unknown>>[] | null;
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
  offset?: number | null;
}

/** The maximum number of rows on a page. */
export const maxPageSize = 100;

/** The error of a page size, which can be null although its argument has a default; undefined for a valid size. */
export const findPageSizeError = (size: number | null | undefined, most = maxPageSize): string | undefined =>
  size == null || size < 1 || size > most ? `must be between 1 and ${most}` : undefined;

/** Checks the size of a page. @throws ServiceError BAD_REQUEST */
export function assertPageSize(
  size: number | null | undefined,
  most = maxPageSize,
  argument = 'first',
): asserts size is number {
  const error = findPageSizeError(size, most);
  if (error !== undefined) throw badRequest(error, argument);
}

/** Default page size of a list inside another row. */
export const nestedPageSize = 20;

/** Prisma's arguments for one page: they select one row more than the page, to know whether another page follows. */
interface PageQuery {
  readonly where: Where;
  readonly orderBy: readonly Row[];
  readonly take: number;
  readonly skip: number;
  /** The columns that the page's cursors need. */
  readonly select: KeySelection;
}

/** A page and its query, for the connection's fields. */
export interface Page {
  readonly rows: readonly Row[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  cursor(row: Row): string;
  total(): Promise<number> | number;
  /** Where the content of its rows has the words of a search; absent without one, and where rows have no content. */
  matches?(): Promise<readonly SearchMatch[]>;
  /** Groups all rows of the list; absent where the rows are those of no resource. */
  groups?(args: GroupArguments, context: Context, info: GraphQLResolveInfo): Promise<Group[]>;
}

/** What is selected of rows: Prisma's `select`, or their JSON. */
export type Selected = Pick<FindArgs, 'select' | 'json' | 'pages' | 'plan'>;

/** What a client selects of a page. */
export interface PageSelection {
  /** Selects the rows, and columns of them that the page needs. */
  rows(columns: KeySelection): Selected;
  /** Whether a field of the connection is selected. */
  has(field: string): boolean;
}

/** How a page is read, and what its connection shows. */
export interface PagePlan {
  /** Identifies the list: company, type and order. */
  readonly list: string;
  /** Whether the order is that of creation, which every list has an index for. */
  readonly isByTime: boolean;
  /** The condition of all pages. */
  readonly filter: Where;
  /** The total that the cursor carries. */
  readonly counted: Counted | undefined;
  /** Prisma's arguments for this page. */
  readonly query: PageQuery;
  /**
   * Converts the rows that the query has found to a page.
   *
   * @param count counts the rows of all pages
   * @param carried the total that the page's cursors carry
   */
  toPage(found: readonly Row[], count: () => Promise<number>, carried?: Counted): Page;
}

/** How a plan reads a list inside a row: a field's extension `listed`. */
export interface Listed {
  /** The relation to the rows, or to a join table. */
  readonly relation: string;
  /** The relation from the join table to the rows. */
  readonly to?: string;
  /**
   * Reads which rows the list has, as its resolver does: Prisma's arguments of a page, and the condition of all that
   * are counted.
   *
   * @throws ServiceError BAD_REQUEST naming a wrong argument
   */
  readonly read: (args: ListArguments, context: Context) => { readonly query: PageArgs; readonly counted: Where };
}

/**
 * Turns a list's arguments into the query of a page.
 *
 * @throws ServiceError BAD_REQUEST naming the wrong argument, or INSUFFICIENT_SCOPE
 */
export function planPage(registry: Filterables, listing: Listing, args: ListArguments, context: Context): PagePlan {
  const { size, offset, backward } = readRange(args, context);
  const rows = registry.filterableOf(listing);
  const keys = readOrder(rows, orderOf(listing, args), context);
  const list = [context.caller.companyId, listing.type, orderName(keys)].join(' ');
  const filter = listFilter(registry, listing, args, context);
  const { after, before } = args;
  const beyondCursor = (cursor: string | null | undefined, argument: 'after' | 'before') =>
    cursor == null ? {} : beyond(keys, decodeCursor(list, cursor, keys, argument), argument === 'before');
  const where = and([filter, beyondCursor(after, 'after'), beyondCursor(before, 'before')]);
  const query: PageQuery = {
    where,
    orderBy: orderByOf(keys, backward),
    take: size + 1,
    skip: offset,
    select: selectKeys(keys),
  };
  const cursor = after ?? before;
  const counted = cursor == null ? undefined : countedOf(cursor);
  const toPage = (found: readonly Row[], count: () => Promise<number>, carried?: Counted): Page => {
    const hasMore = found.length > size;
    const shown = hasMore ? found.slice(0, size) : found;
    const isPart = hasMore || offset > 0 || after != null || before != null;
    return {
      rows: backward ? shown.toReversed() : shown,
      hasNextPage: backward ? before != null : hasMore || before != null,
      hasPreviousPage: backward ? hasMore || after != null : offset > 0 || after != null,
      cursor: (row) =>
        encodeCursor(
          list,
          keys.map((key) => key.field.type.position(valueOf(row, key))),
          carried,
        ),
      // The total of a list that fits on one page needs no query.
      total: () => (isPart ? count() : found.length),
    };
  };
  const [first] = keys;
  const isByTime = first?.relations.length === 0 && isByCreation(first.field);
  return { list, isByTime, filter, counted, query, toPage };
}

/** Which rows of the list the page has. @throws ServiceError BAD_REQUEST */
function readRange({ first, last, offset }: ListArguments, { maxPageSize: max = maxPageSize }: Context) {
  const backward = last != null;
  const size = last ?? first ?? nestedPageSize;
  assertPageSize(size, max, backward ? 'last' : 'first');
  const skipped = offset ?? 0;
  if (skipped < 0) throw badRequest('must not be negative', 'offset');
  if (skipped > 0 && backward) throw badRequest('cannot be combined with last', 'offset');
  return { size, offset: skipped, backward };
}

/** The field by which rows are sorted where no other is asked for. */
export const defaultSort = ({ columns, roles: { creation, key } }: Listing): string | undefined =>
  creation && columns.includes(creation.name) ? creation.name : key?.name;

/** Whether rows are sorted by creation, by a field: ids are as the times of their creation. */
const isByCreation = ({ role }: ApiField): boolean => role === 'creation' || role === 'key';

/** The keys to sort by, of `orderBy` or `sort`. Ids sort by creation time. @throws ServiceError BAD_REQUEST */
function orderOf(listing: Listing, { orderBy, sort, order }: ListArguments) {
  const defaultField = defaultSort(listing);
  if (!orderBy || orderBy.length === 0) return [{ field: sort ?? defaultField, direction: order ?? 'DESC' }];
  if ((sort ?? defaultField) !== defaultField || (order ?? 'DESC') !== 'DESC')
    throw badRequest('cannot be combined with sort and order', 'orderBy');
  return orderBy;
}

/** The condition of a list's `filter` and `search`. @throws ServiceError BAD_REQUEST or INSUFFICIENT_SCOPE */
export const listFilter = (
  registry: Filterables,
  listing: Listing,
  { filter, search }: Pick<ListArguments, 'filter' | 'search'>,
  context: Context,
): Where => and([filterWhere(registry.filterableOf(listing), filter, context), searchWhere(listing, search, context)]);

/** The words that a list is searched for; empty without. @throws ServiceError BAD_REQUEST */
export const searchedWords = ({ search }: Pick<ListArguments, 'search'>): string =>
  readText(search?.trim() ?? '', 'search');

function searchWhere(
  { policies, search, content, normalized }: Listing,
  text: string | null | undefined,
  { caller }: Context,
): Where {
  const term = searchedWords({ search: text });
  if (term === '') return {};
  const hidden = hiddenColumns(caller, policies);
  const conditions = search.flatMap((name) => {
    if (hidden.includes(name)) return [];
    const { field, normalize } = normalized[name] ?? {};
    const part = normalize ? normalize(term) : term;
    // A term of ignored characters alone matches no text.
    return part === '' ? [] : [{ [field?.name ?? name]: { contains: escapeLike(part), mode: 'insensitive' } }];
  });
  return anyOf(content ? [...conditions, content.where(term)] : conditions);
}
