// Tables of rows that are sent as files. What differs between their formats is a printer.
import type { FieldType } from '../fields/index.ts';

/** A column of a table. */
export interface TableColumn {
  readonly name: string;
  /** The type of its values; undefined where they have the kind that they have in JSON. */
  readonly type: FieldType | undefined;
}

/** The cells of a row, in the order of the columns: values as clients get them. */
type Cells = readonly unknown[];

/** A page of rows. */
export interface TablePage {
  readonly rows: readonly Cells[];
  /** Reads the page after this one, if there is one. @param length of this one as it was printed, in characters */
  readonly next: ((length: number) => Promise<TablePage>) | undefined;
}

/** A table to send. */
export interface Table {
  /** The name of its file, without the ending. */
  readonly name: string;
  readonly columns: readonly TableColumn[];
  readonly first: TablePage;
}

/** A part of a printed table. */
export interface TablePart {
  /** The number of the sheet that it belongs to, from 1; formats without sheets have one. */
  readonly sheet: number;
  readonly text: string;
}

/** Prints one table, in order. */
export interface TablePrinter {
  /** What comes before the first row. */
  readonly start: () => TablePart;
  readonly print: (rows: readonly Cells[]) => readonly TablePart[];
  /** What comes after the last row. */
  readonly end: () => TablePart;
}

/**
 * Prints a table page by page: the next page is read while the client receives one.
 *
 * @param assertValid rejects before a further page where the caller is no longer valid
 */
export async function* printTable(
  { first }: Pick<Table, 'first'>,
  printer: TablePrinter,
  assertValid: () => Promise<void>,
): AsyncGenerator<TablePart> {
  yield printer.start();
  let next: Promise<TablePage> | undefined = Promise.resolve(first);
  while (next) {
    const page: TablePage = await next;
    const parts = printer.print(page.rows);
    const { next: readNext } = page;
    const length = parts.reduce((sum, { text }) => sum + text.length, 0);
    next = readNext && assertValid().then(() => readNext(length));
    next?.catch(() => {}); // Thrown above, unless the client has disconnected.
    yield* parts;
  }
  yield printer.end();
}
