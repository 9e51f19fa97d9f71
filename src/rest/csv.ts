import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { csvFormat, csvType } from '../http/csv.ts';
import { maxPageSize } from '../resource/index.ts';
import { json, type List } from './envelope.ts';

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

/** Streams a list as CSV, page by page at the client's speed. An error after the first page aborts the connection. */
export async function sendCsv(request: FastifyRequest, reply: FastifyReply, list: CsvList): Promise<FastifyReply> {
  // Errors of the request occur on the first page, and get a regular error response.
  const first = await list.read({ first: maxPageSize, ...list.variables });
  reply.type(csvType).header('content-disposition', `attachment; filename="${fileName(list.path)}"`);
  return reply.send(Readable.from(request.method === 'HEAD' ? [] : lines(list, first), { objectMode: false }));
}

async function* lines(list: CsvList, first: List): AsyncGenerator<string> {
  const { fields, variables } = list;
  const write = ({ nodes }: List) =>
    stringify(
      nodes.map((row) => fields.map((field) => row[field])),
      csvFormat,
    );
  yield stringify([fields], csvFormat);
  let next: Promise<List> | undefined = Promise.resolve(first);
  while (next) {
    const page: List = await next;
    const text = write(page);
    // Read while the client receives this page.
    next = 'first' in variables ? undefined : readAfter(list, page, text.length);
    next?.catch(() => {}); // Thrown above, unless the client has disconnected.
    yield text;
  }
}

/** Reads the page after another one, if there is one. @param length of the other one in CSV */
function readAfter(
  { variables, read }: CsvList,
  { nodes, pageInfo: { hasNextPage, endCursor: after } }: List,
  length: number,
): Promise<List> | undefined {
  if (!hasNextPage) return undefined;
  const size = Math.floor((nodes.length * pageLength) / length);
  const first = Math.min(Math.max(size, maxPageSize), maxCsvPage);
  return read({ ...variables, first, after, offset: 0 });
}

/** `/service-requests/:id/comments` → `service-requests-comments.csv` */
const fileName = (path: string) =>
  `${path
    .split('/')
    .filter((part) => part !== '' && !part.startsWith(':'))
    .join('-')}.csv`;
