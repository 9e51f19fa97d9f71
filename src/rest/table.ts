import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { CsvDialect } from '../http/csv.ts';
import { isTableType, sendTable, type TableType, tableTypes } from '../http/send-table.ts';
import type { TablePage } from '../http/table.ts';
import { maxPageSize } from '../resource/index.ts';
import { json, type List } from './envelope.ts';
import type { FeedDependencies } from './feed.ts';
import type { RowColumn } from './fields.ts';

/** The media type of the table as which a client prefers a list. The default is JSON, also when it accepts neither. */
export function preferredTable(request: FastifyRequest): TableType | undefined {
  const type = new Negotiator(request.raw).mediaType([json, ...tableTypes]);
  return isTableType(type) ? type : undefined;
}

/** A list to send. */
interface TableList {
  /** The collection's path. */
  readonly path: string;
  readonly columns: readonly RowColumn[];
  /** The variables of the request: with `first` a single page, otherwise all rows from the given start. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Runs the operation with these variables. */
  readonly read: (variables: Readonly<Record<string, unknown>>) => Promise<List>;
}

/** The most rows of a page of a table. */
export const maxTablePage = 1000;

/** About how long (characters) a page becomes: pages of long rows have fewer of them, as a page is held in memory. */
const pageLength = 1_000_000;

/**
 * Sends a list as a table, page by page.
 *
 * @param dialect how CSV is written
 * @throws ServiceError of the first page, where the request is wrong
 */
export async function sendListAsTable(
  request: FastifyRequest,
  reply: FastifyReply,
  list: TableList,
  type: TableType,
  dialect: CsvDialect,
  assertValid: FeedDependencies['assertValid'],
): Promise<FastifyReply> {
  const first = await list.read({ first: maxPageSize, ...list.variables });
  const table = { name: fileName(list.path), columns: list.columns, first: pageOf(list, first) };
  return sendTable(request, reply, table, type, dialect, assertValid);
}

function pageOf(list: TableList, { nodes, pageInfo: { hasNextPage, endCursor: after } }: List): TablePage {
  const { columns, variables, read } = list;
  const readNext = async (length: number) => {
    const size = Math.floor((nodes.length * pageLength) / length);
    const first = Math.min(Math.max(size, maxPageSize), maxTablePage);
    return pageOf(list, await read({ ...variables, first, after, offset: 0 }));
  };
  return {
    rows: nodes.map((row) => columns.map(({ path }) => valueAt(row, path))),
    next: hasNextPage && !('first' in variables) ? readNext : undefined,
  };
}

/** A value of a row, or of a row that it is related to; undefined where there is none. */
function valueAt(row: unknown, path: readonly string[]): unknown {
  let value = row;
  // Each value on the way is an object, or missing.
  for (const name of path) value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return value;
}

/** `/service-requests/:id/comments` → `service-requests-comments` */
export const fileName = (path: string) =>
  path
    .split('/')
    .filter((part) => part !== '' && !part.startsWith(':'))
    .join('-');
