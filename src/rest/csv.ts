import { Readable } from 'node:stream';
import { type Options, stringify } from 'csv-stringify/sync';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { maxPageSize } from '../resource/index.ts';
import { json, type List } from './envelope.ts';

const csv = 'text/csv; charset=utf-8; header=present';

/** Whether a client would rather have a list as CSV than as JSON, which is also what it gets if it would have neither. */
export const prefersCsv = (request: FastifyRequest): boolean =>
  new Negotiator(request.raw).mediaType([json, csv]) === csv;

/**
 * RFC 4180. A text that a spreadsheet would take for a formula gets an apostrophe before it; numbers stay what they are,
 * and objects and arrays are JSON.
 */
const format: Options = {
  record_delimiter: 'windows',
  quote_record_delimiter: true,
  escape_formulas: true,
  cast: { boolean: String },
};

/** A list that is to be sent. */
export interface CsvList {
  /** The collection's path. */
  readonly path: string;
  /** The names of the columns, which are those of the rows' fields. */
  readonly fields: readonly string[];
  /** What was asked for: the page that `first` limits, or else all rows from where the others say that it begins. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly readPage: (variables: Readonly<Record<string, unknown>>) => Promise<List>;
}

/**
 * Sends a list as CSV, page after page as fast as the client takes them. What fails on the way breaks the connection
 * off.
 */
export async function sendCsv(request: FastifyRequest, reply: FastifyReply, list: CsvList): Promise<FastifyReply> {
  // A mistake in the request is found with the first page, and answered as everywhere.
  const first = await readPage(list);
  reply.type(csv).header('content-disposition', `attachment; filename="${fileName(list.path)}"`);
  return reply.send(Readable.from(request.method === 'HEAD' ? [] : lines(list, first), { objectMode: false }));
}

async function* lines(list: CsvList, first: List): AsyncGenerator<string> {
  const { fields, variables } = list;
  const write = ({ nodes }: List) =>
    stringify(
      nodes.map((row) => fields.map((field) => row[field])),
      format,
    );
  yield stringify([fields], format) + write(first);
  for (let { pageInfo } = first; pageInfo.hasNextPage && !('first' in variables); ) {
    const page = await readPage(list, pageInfo.endCursor);
    yield write(page);
    ({ pageInfo } = page);
  }
}

/** Reads the first page, or the one after a cursor. */
const readPage = ({ variables, readPage }: CsvList, after?: string | null): Promise<List> =>
  readPage({ first: maxPageSize, ...variables, ...(after && { after, offset: 0 }) });

/** `/service-requests/:id/comments` → `service-requests-comments.csv` */
const fileName = (path: string) =>
  `${path
    .split('/')
    .filter((part) => part !== '' && !part.startsWith(':'))
    .join('-')}.csv`;
