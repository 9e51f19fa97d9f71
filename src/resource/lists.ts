import type { InputType, OutputType } from '@pothos/core';
import type { Context } from '../context.ts';
import { Prisma } from '../database/generated/client/client.ts';
import { badRequest } from '../errors.ts';
import { isUuid } from '../formats.ts';
import type { SchemaTypes } from './builder.ts';
import { decodeCursor, encodeCursor, type Position } from './cursor.ts';
import { and, columnFacts, enumFacts, type ModelName, type Row, type Where } from './model.ts';

/** A filter other than equality with a column's value. */
export interface Filter {
  readonly type: InputType<SchemaTypes> & OutputType<SchemaTypes>;
  /** Whether it takes several values, any of which may match. */
  readonly list?: boolean;
  readonly description: string;
  /** The condition that a value, or a list of values, stands for. */
  readonly where: (value: never, context: Context) => Where;
}

/** From a time, inclusive. Together with `before` it divides time into ranges without overlap. */
export const since = (column: string): Filter => ({
  type: 'DateTime',
  description: `Its \`${column}\` is this time or later.`,
  where: (time: Date) => ({ [column]: { gte: time } }),
});

/** Until a time, exclusive. */
export const before = (column: string): Filter => ({
  type: 'DateTime',
  description: `Its \`${column}\` is before this time.`,
  where: (time: Date) => ({ [column]: { lt: time } }),
});

/** Filters by name: a filter, or the column that the name stands for. */
export type Filters = Readonly<Record<string, Filter | string>>;

/** The filters, searched columns and sort columns of a list. */
export interface Listing {
  /** The GraphQL type of the rows. */
  readonly type: string;
  readonly model: ModelName;
  /** The columns in the response, in order. */
  readonly columns: readonly string[];
  readonly search: readonly string[];
  /** The filters other than those by column. */
  readonly filters: Filters;
}

/** The arguments of every list. */
export interface ListArguments {
  filter?: Record<string, unknown> | null;
  search?: string | null;
  sort?: string | null;
  order?: 'ASC' | 'DESC' | null;
  first?: number | null;
  after?: string | null;
  offset?: number | null;
}

/** The maximum number of rows on a page. */
export const maxPageSize = 100;

/** Maximum number of values of one filter; PostgreSQL limits a statement's parameters. */
export const maxFilterValues = 1000;

/** Default page size of a list inside another row. */
export const nestedPageSize = 20;

/** Prisma's arguments for one page: they select one row more than the page, to know whether another page follows. */
export interface PageQuery {
  readonly where: Where;
  readonly orderBy: readonly Row[];
  readonly take: number;
  readonly skip: number;
  /** The columns that the page's cursors need. */
  readonly select: Record<string, true>;
}

/** A page and its query, for the connection's fields. */
export interface Page {
  readonly rows: readonly Row[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  cursor(row: Row): string;
  total(): Promise<number> | number;
}

/**
 * Reads a list's arguments.
 *
 * @returns `filter`, the condition of all pages; `query`, the arguments of this page; `page`, which converts this
 *   page's rows to a connection
 * @throws ServiceError BAD_REQUEST naming the wrong argument
 */
export function readPage(listing: Listing, args: ListArguments, context: Context) {
  const { model, type } = listing;
  const first = args.first ?? nestedPageSize;
  const offset = args.offset ?? 0;
  if (first < 1 || first > maxPageSize) throw badRequest(`must be between 1 and ${maxPageSize}`, 'first');
  if (offset < 0) throw badRequest('must not be negative', 'offset');
  // Ids sort by creation time.
  const sort = args.sort ?? (listing.columns.includes('createdAt') ? 'createdAt' : 'id');
  const order = (args.order ?? 'DESC').toLowerCase() as 'asc' | 'desc';
  const column = columnFacts(model, sort);

  const list = [context.caller.companyId, type, sort, order].join(' ');
  const filter = listFilter(listing, args, context);
  const after = args.after != null && afterWhere(model, sort, order, decodeCursor(list, args.after, column));
  const query: PageQuery = {
    where: after ? and([filter, after]) : filter,
    orderBy: [
      { [sort]: column.required ? order : { sort: order, nulls: 'last' } },
      ...(sort === 'id' ? [] : [{ id: order }]),
    ],
    take: first + 1,
    skip: offset,
    select: { id: true, [sort]: true },
  };
  const page = (rows: readonly Row[], count: () => Promise<number>): Page => {
    const hasNextPage = rows.length > first;
    return {
      rows: hasNextPage ? rows.slice(0, first) : rows,
      hasNextPage,
      hasPreviousPage: offset > 0 || args.after != null,
      cursor: (row) => encodeCursor(list, { value: cursorValue(row[sort]), id: String(row['id']) }),
      // The total of a first page that is not full needs no query.
      total: () => (hasNextPage || offset > 0 || args.after != null ? count() : rows.length),
    };
  };
  return { filter, query, page };
}

/** The condition of a list's `filter` and `search`. @throws ServiceError BAD_REQUEST naming the wrong argument */
export const listFilter = (
  listing: Listing,
  { filter, search }: Pick<ListArguments, 'filter' | 'search'>,
  context: Context,
): Where => and([filterWhere(listing, filter, context), searchWhere(listing.search, search)]);

function filterWhere({ columns, filters, model }: Listing, given: ListArguments['filter'], context: Context): Where {
  const conditions = Object.entries(given ?? {}).map(([name, value]): Where => {
    const filter = filters[name];
    const column = typeof filter === 'string' ? filter : name;
    if (filter === undefined || typeof filter === 'string')
      return columns.includes(column) ? anyOf(model, column, value as unknown[] | null, name) : {};
    if (Array.isArray(value)) {
      checkCount(name, value);
      if (value.length === 0) return none;
    }
    return value === null ? {} : filter.where(value as never, context);
  });
  return and(conditions);
}

/** Matches no row. An empty `OR` would too, but Prisma drops it inside an `AND`. */
const none: Where = { id: { in: [] } };

function checkCount(name: string, values: readonly unknown[]): void {
  if (values.length > maxFilterValues) throw badRequest(`must be at most ${maxFilterValues} values`, name);
}

/** @param name the filter's name */
function anyOf(model: ModelName, column: string, values: unknown[] | null, name: string): Where {
  const { type, required } = columnFacts(model, column);
  if (values === null) return required ? none : { [column]: null };
  if (values.length === 0) return none;
  checkCount(name, values);
  for (const value of values) {
    if (type === 'Uuid' && !isUuid(value)) throw badRequest('must be a uuid', name);
    if (typeof value === 'string' && value.includes('\0')) throw badRequest('must not contain NUL', name);
    if (typeof value === 'number' && !Number.isFinite(value)) throw badRequest('must be a number', name);
  }
  // Numbers would be compared as binary floats, which differ from 99.99.
  return isAny(model, column, type === 'Decimal' ? values.map(String) : values);
}

/** Matches any of several values. Prisma has no list condition for booleans. */
const isAny = (model: ModelName, column: string, values: readonly unknown[]): Where =>
  columnFacts(model, column).type === 'Boolean' || values.length === 1
    ? { OR: values.map((value) => ({ [column]: value })) }
    : { [column]: { in: values } };

/** Escapes a text for Prisma's `insensitive` mode, which is a LIKE pattern. */
export const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');

function searchWhere(columns: readonly string[], text: string | null | undefined): Where {
  const sought = text?.trim();
  if (!sought) return {};
  if (sought.includes('\0')) throw badRequest('must not contain NUL', 'search');
  return { OR: columns.map((column) => ({ [column]: { contains: escapeLike(sought), mode: 'insensitive' } })) };
}

/**
 * Matches the rows that sort after a position. Pages are keyset-based, so concurrent inserts and deletes do not shift
 * them.
 */
function afterWhere(model: ModelName, sort: string, order: 'asc' | 'desc', { value, id }: Position): Where {
  const beyond = order === 'asc' ? 'gt' : 'lt';
  if (sort === 'id') return { id: { [beyond]: id } };
  const laterTie = { [sort]: value, id: { [beyond]: id } };
  if (value === null) return laterTie;
  const facts = columnFacts(model, sort);
  const listed = facts.enum || facts.type === 'Boolean';
  const later = listed ? isAny(model, sort, laterMembers(facts, order, value)) : { [sort]: { [beyond]: value } };
  // PostgreSQL uses an index for a simple bound, but not for an OR, so the bound repeats what the OR implies.
  const bound = facts.required && !listed ? { [sort]: { [`${beyond}e`]: value } } : {};
  const alternatives = [later, laterTie, ...(facts.required ? [] : [{ [sort]: null }])];
  return and([bound, { OR: alternatives }]);
}

/** The values of an enum or boolean that sort after one; Prisma cannot compare these types. */
function laterMembers(facts: { type: string; enum: boolean }, order: 'asc' | 'desc', value: Position['value']) {
  const members = facts.enum ? Object.keys(enumFacts(facts.type).words) : [false, true];
  const place = members.indexOf(value as never);
  return order === 'asc' ? members.slice(place + 1) : members.slice(0, place);
}

function cursorValue(value: unknown): Position['value'] {
  if (value instanceof Date) return value.toISOString();
  return Prisma.Decimal.isDecimal(value) ? value.toString() : (value as Position['value']);
}
