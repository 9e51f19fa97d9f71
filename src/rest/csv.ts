import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { type CsvPage, csvType, sendCsv } from '../http/csv.ts';
import { maxPageSize } from '../resource/index.ts';
import { json, type List } from './envelope.ts';
import type { FeedDependencies } from './feed.ts';

/** Whether a client prefers a list as CSV. The default is JSON, also when it accepts neither. */
export const prefersCsv = (request: FastifyRequest): boolean =>
  new Negotiator(request.raw).mediaType([json, csvType]) === csvType;

/** A list to send. */
interface CsvList {
  /** The collection's path. */
  readonly path: string;
  /** The columns' names, which are the rows' field names. */
  readonly fields: readonly string[];
  /** The variables of the request: with `first` a single page, otherwise all rows from the given start. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Runs the operation with these variables. */
  readonly read: (variables: Readonly<Record<string, unknown>>) => Promise<List>;
}

/** The most rows of a page of CSV. */
export const maxCsvPage = 1000;

/** About how long (characters) a page becomes: pages of long rows have fewer of them, as a page is held in memory. */
const pageLength = 1_000_000;

/** Sends a list as CSV, page by page. @throws ServiceError of the first page, where the request is wrong */
export async function sendListAsCsv(
  request: FastifyRequest,
  reply: FastifyReply,
  list: CsvList,
  assertValid: FeedDependencies['assertValid'],
): Promise<FastifyReply> {
  const first = await list.read({ first: maxPageSize, ...list.variables });
  const file = { name: fileName(list.path), columns: list.fields, first: pageOf(list, first) };
  return sendCsv(request, reply, file, assertValid);
}

function pageOf(list: CsvList, { nodes, pageInfo: { hasNextPage, endCursor: after } }: List): CsvPage {
  const { fields, variables, read } = list;
  const readNext = async (length: number) => {
    const size = Math.floor((nodes.length * pageLength) / length);
    const first = Math.min(Math.max(size, maxPageSize), maxCsvPage);
    return pageOf(list, await read({ ...variables, first, after, offset: 0 }));
  };
  return {
    rows: nodes.map((row) => fields.map((field) => row[field])),
    next: hasNextPage && !('first' in variables) ? readNext : undefined,
  };
}

/** `/service-requests/:id/comments` → `service-requests-comments.csv` */
const fileName = (path: string) =>
  `${path
    .split('/')
    .filter((part) => part !== '' && !part.startsWith(':'))
    .join('-')}.csv`;
