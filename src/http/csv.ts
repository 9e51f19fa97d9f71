import { Readable } from 'node:stream';
import { type Options, stringify } from 'csv-stringify/sync';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { text } from '../fields/index.ts';
import { ExactNumber, stringifyJson } from '../json.ts';

/** The media type of CSV with a line of names. */
export const csvType = 'text/csv; charset=utf-8; header=present';

/**
 * RFC 4180. Values are printed by the kind that they have in JSON, as their types in `src/fields/` print them; objects
 * are JSON.
 */
const csvFormat: Options = {
  record_delimiter: 'windows',
  quote_record_delimiter: true,
  cast: {
    boolean: String,
    string: text.csv.print,
    object: (value) => (value instanceof ExactNumber ? value.text : stringifyJson(value)),
  },
};

/** Prints rows of cells. */
export const printCsv = (rows: readonly (readonly unknown[])[]): string => stringify([...rows], csvFormat);

/** A page of rows. */
export interface CsvPage {
  /** The cells of each row, in the order of the columns. */
  readonly rows: readonly (readonly unknown[])[];
  /** Reads the page after this one, if there is one. @param length of this one in CSV, in characters */
  readonly next: ((length: number) => Promise<CsvPage>) | undefined;
}

/** A file of CSV. */
export interface CsvFile {
  readonly name: string;
  readonly columns: readonly string[];
  readonly first: CsvPage;
}

/**
 * Streams a file page by page, at the client's speed. An error after the first page aborts the connection.
 *
 * @param assertValid rejects before a further page when the caller, who may be deactivated before the end, is no longer
 *   valid
 */
export function sendCsv(
  request: FastifyRequest,
  reply: FastifyReply,
  file: CsvFile,
  assertValid: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): FastifyReply {
  reply.type(csvType).header('content-disposition', `attachment; filename="${file.name}"`);
  return reply.send(
    Readable.from(request.method === 'HEAD' ? [] : linesOf(file, () => assertValid(request, reply)), {
      objectMode: false,
    }),
  );
}

async function* linesOf({ columns, first }: CsvFile, assertValid: () => Promise<void>): AsyncGenerator<string> {
  yield printCsv([columns]);
  let next: Promise<CsvPage> | undefined = Promise.resolve(first);
  while (next) {
    const page: CsvPage = await next;
    const text = printCsv(page.rows);
    const { next: readNext } = page;
    // Read while the client receives this page.
    next = readNext && assertValid().then(() => readNext(text.length));
    next?.catch(() => {}); // Thrown above, unless the client has disconnected.
    yield text;
  }
}
