import type { InputType, OutputType } from '@pothos/core';
import type { Context } from '../context.ts';
import { Prisma } from '../database/generated/client/client.ts';
import { badRequest } from '../errors.ts';
import { isUuid } from '../formats.ts';
import type { SchemaTypes } from './builder.ts';
import { decodeCursor, encodeCursor, type Position } from './cursor.ts';
import { and, columnFacts, enumFacts, type ModelName, type Row, type Where } from './model.ts';

/** A condition that is not simply one of a column's values. */
export interface Filter {
  readonly type: InputType<SchemaTypes> & OutputType<SchemaTypes>;
  /** Whether it takes several values, any of which may match. */
  readonly list?: boolean;
  readonly description: string;
  /** The rows that a value, or any of several, asks for. */
  readonly where: (value: never, context: Context) => Where;
}

/** From a time on, inclusive. With `before` of the same time, windows tile. */
export const since = (column: string): Filter => ({
  type: 'DateTime',
  description: `Its \`${column}\` is this time or later.`,
  where: (time: Date) => ({ [column]: { gte: time } }),
});

/** Up to a time, exclusive. */
export const before = (column: string): Filter => ({
  type: 'DateTime',
  description: `Its \`${column}\` is before this time.`,
  where: (time: Date) => ({ [column]: { lt: time } }),
});

/** Filters by name: a condition, or the name of the column that goes by this name here. */
export type Filters = Readonly<Record<string, Filter | string>>;

/** What a list of one type can be filtered, searched and sorted by. */
export interface Listing {
  /** The GraphQL type of the rows. */
  readonly type: string;
  readonly model: ModelName;
  /** The columns that go out, in the order of the body. */
  readonly columns: readonly string[];
  readonly search: readonly string[];
  /** The filters besides those by column. */
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

/** How many values one filter takes; PostgreSQL has a limit of its own for a statement. */
export const maxFilterValues = 1000;

/** How many rows a list inside another row has unless asked. */
export const nestedPageSize = 20;

/** What Prisma is asked for one page: one row more than the page, to know whether another follows. */
export interface PageQuery {
  readonly where: Where;
  readonly orderBy: readonly Row[];
  readonly take: number;
  readonly skip: number;
  /** What the page's cursors are made from. */
  readonly select: Record<string, true>;
}

/** A page and what its query was, ready for the connection's fields. */
export interface Page {
  readonly rows: readonly Row[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  cursor(row: Row): string;
  total(): Promise<number> | number;
}

/**
 * Reads a list's arguments.
 * @returns `filter`, the condition all pages share; `query`, this page's; `page`, which makes the page of its rows
 * @throws ServiceError BAD_REQUEST naming the argument that is wrong
 */
export function readPage(listing: Listing, args: ListArguments, context: Context) {
  const { model, type } = listing;
  const first = args.first ?? nestedPageSize;
  const offset = args.offset ?? 0;
  if (first < 1 || first > maxPageSize) throw badRequest(`must be between 1 and ${maxPageSize}`, 'first');
  if (offset < 0) throw badRequest('must not be negative', 'offset');
  // Ids are in the order of their making.
  const sort = args.sort ?? (listing.columns.includes('createdAt') ? 'createdAt' : 'id');
  const order = (args.order ?? 'DESC').toLowerCase() as 'asc' | 'desc';
  const { required } = columnFacts(model, sort);

  const list = [context.caller.companyId, type, sort, order].join(' ');
  const filter = listFilter(listing, args, context);
  const query: PageQuery = {
    where: args.after != null ? and([filter, afterWhere(model, sort, order, decodeCursor(list, args.after))]) : filter,
    orderBy: [{ [sort]: required ? order : { sort: order, nulls: 'last' } }, ...(sort === 'id' ? [] : [{ id: order }])],
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
      // A first page that is not full shows the total by itself.
      total: () => (hasNextPage || offset > 0 || args.after != null ? count() : rows.length),
    };
  };
  return { filter, query, page };
}

/** The condition that a list's `filter` and `search` make. @throws ServiceError BAD_REQUEST naming the argument that is wrong */
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

/** No row. An `OR` of nothing is that too, but Prisma leaves it out inside an `AND`. */
const none: Where = { id: { in: [] } };

function checkCount(name: string, values: readonly unknown[]): void {
  if (values.length > maxFilterValues) throw badRequest(`must be at most ${maxFilterValues} values`, name);
}

/** @param name what the condition is called */
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
  // A number would be compared by its binary value: 99.99 is none.
  return isAny(model, column, type === 'Decimal' ? values.map(String) : values);
}

/** A column's value is any of these. Prisma takes no list of booleans. */
const isAny = (model: ModelName, column: string, values: readonly unknown[]): Where =>
  columnFacts(model, column).type === 'Boolean' || values.length === 1
    ? { OR: values.map((value) => ({ [column]: value })) }
    : { [column]: { in: values } };

/** A text for Prisma's `insensitive` mode, which is LIKE and takes its signs for patterns. */
export const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');

function searchWhere(columns: readonly string[], text: string | null | undefined): Where {
  const sought = text?.trim();
  if (!sought) return {};
  if (sought.includes('\0')) throw badRequest('must not contain NUL', 'search');
  return { OR: columns.map((column) => ({ [column]: { contains: escapeLike(sought), mode: 'insensitive' } })) };
}

/** The rows that sort after a position: pages go by key, so rows that come and go meanwhile shift nothing. */
function afterWhere(model: ModelName, sort: string, order: 'asc' | 'desc', { value, id }: Position): Where {
  const beyond = order === 'asc' ? 'gt' : 'lt';
  if (sort === 'id') return { id: { [beyond]: id } };
  const laterTie = { [sort]: value, id: { [beyond]: id } };
  if (value === null) return laterTie;
  const facts = columnFacts(model, sort);
  const listed = facts.enum || facts.type === 'Boolean';
  const later = listed ? isAny(model, sort, laterMembers(facts, order, value)) : { [sort]: { [beyond]: value } };
  // PostgreSQL finds its place in an index by a plain bound, not by an OR: the bound repeats what the OR implies.
  const bound = facts.required && !listed ? { [sort]: { [`${beyond}e`]: value } } : {};
  const alternatives = [later, laterTie, ...(facts.required ? [] : [{ [sort]: null }])];
  return and([bound, { OR: alternatives }]);
}

/** The values of an enum or boolean that sort after one; Prisma compares neither. */
function laterMembers(facts: { type: string; enum: boolean }, order: 'asc' | 'desc', value: Position['value']) {
  const members = facts.enum ? Object.keys(enumFacts(facts.type).words) : [false, true];
  const place = members.indexOf(value as never);
  return order === 'asc' ? members.slice(place + 1) : members.slice(0, place);
}

function cursorValue(value: unknown): Position['value'] {
  if (value instanceof Date) return value.toISOString();
  return Prisma.Decimal.isDecimal(value) ? value.toString() : (value as Position['value']);
}
