import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CsvDialect, csvPrinter, csvType } from './csv.ts';
import { printTable, type Table } from './table.ts';

/** The media type of spreadsheets. */
export const sheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** The media types of tables; in this order where a client prefers none. */
export const tableTypes = [csvType, sheetType] as const;
/** The media type of a table. */
export type TableType = (typeof tableTypes)[number];

/** Whether a response of a media type is a table. */
export const isTableType = (type: string | undefined): type is TableType => tableTypes.some((each) => each === type);

/**
 * Streams a table page by page, at the client's speed. An error after the first page aborts the connection.
 *
 * @param dialect how CSV is written
 * @param assertValid rejects before a further page when the caller, who may be deactivated before the end, is no longer
 *   valid
 */
export async function sendTable(
  request: FastifyRequest,
  reply: FastifyReply,
  table: Table,
  type: TableType,
  dialect: CsvDialect,
  assertValid: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): Promise<FastifyReply> {
  const ending = type === sheetType ? 'xlsx' : 'csv';
  reply.type(type).header('content-disposition', `attachment; filename="${table.name}.${ending}"`);
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  const { timeZone } = request.caller;
  return reply.send(await openTable(table, type, { timeZone, dialect }, () => assertValid(request, reply)));
}

/** How a table is printed. */
interface TableFormat {
  /** The time zone of the times in spreadsheets. */
  readonly timeZone: string;
  /** How CSV is written. */
  readonly dialect: CsvDialect;
}

/**
 * Prints a table page by page, at the pace of its reader.
 *
 * @param assertValid rejects before a further page when whoever reads it may not go on
 * @returns its bytes, which are destroyed with the error of a page
 */
export async function openTable(
  table: Table,
  type: TableType,
  { timeZone, dialect }: TableFormat,
  assertValid: () => Promise<void>,
): Promise<Readable> {
  if (type === csvType) return Readable.from(lines(table, dialect, assertValid), { objectMode: false });
  // Few clients ask for spreadsheets.
  const [{ sheetPrinter }, { writeWorkbook }] = [await import('./sheet-xml.ts'), await import('./workbook.ts')];
  return writeWorkbook(printTable(table, sheetPrinter(table.columns, timeZone), assertValid));
}

async function* lines(table: Table, dialect: CsvDialect, isValid: () => Promise<void>): AsyncGenerator<string> {
  for await (const { text } of printTable(table, csvPrinter(table.columns, dialect), isValid)) if (text) yield text;
}
