// What is read of a file: a table of cells, whatever its format.
import { validationError } from '../errors.ts';
import { messages } from '../input/index.ts';
import { maxWrites } from '../resource/index.ts';

/** The format of a file. */
export type Format = 'csv' | 'xlsx' | 'ndjson';

/** The separators of CSV, by their names. */
export const separators = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;
/** The separator of CSV. */
export type Separator = keyof typeof separators;

/** How a file is read, where a client says so rather than leaves it to be found out. */
export interface ReadOptions {
  readonly format?: Format | undefined;
  readonly separator?: Separator | undefined;
  /** A name of the Encoding Standard or IANA, such as `windows-1252`. */
  readonly encoding?: string | undefined;
}

/**
 * A cell. CSV has texts alone; spreadsheets say which numbers, dates and booleans are; NDJSON has the values of JSON.
 * An empty cell is null.
 */
export type Cell =
  | null
  | { readonly text: string }
  | { readonly number: string }
  /** Days since 1899-12-30, as a clock of the company shows them. */
  | { readonly serial: number }
  | { readonly boolean: boolean }
  | { readonly json: unknown }
  /** What is wrong with it. */
  | { readonly error: string };

/** A row of a file. */
export interface FileRow {
  /** Its line in the file, or its number in the sheet: what people look for. */
  readonly line: number;
  readonly cells: readonly Cell[];
  /** What is wrong with the whole row. */
  readonly error?: string;
  /** The rows after it that have further items of its lists. */
  readonly further?: readonly FileRow[];
}

/** The cell of a column; rows may end before it. */
export const cellAt = ({ cells }: FileRow, at: number): Cell => cells[at] ?? null;

/** The cell of a value of JSON. */
export const cellOfJson = (value: unknown): Cell => (value === undefined || value === null ? null : { json: value });

/** What a file turns out to be. */
export interface Detected {
  readonly format: Format;
  readonly encoding?: string;
  readonly separator?: Separator;
  /** The name of the sheet that is read. */
  readonly sheet?: string;
}

/** A file, open. */
export interface FileTable {
  readonly detected: Detected;
  /** The names of its columns. */
  readonly header: readonly string[];
  /** Reads its rows from the first one; as often as it is called. @throws ServiceError where the file ends to be one */
  readonly rows: () => AsyncGenerator<FileRow>;
}

/** The longest row of a file, in characters: as much as a request may have. */
export const maxRowLength = 1_048_576;
/** The most columns. */
export const maxColumns = 1000;
/** The most rows that have further items of one row. */
export const maxRowsBelow = maxWrites;
/** The most rows of a file. */
export const maxRows = 1_000_000;

/** What is wrong with a file as a whole, rather than with one of its rows. */
export const refuseFile = (reason: string) => validationError({ file: reason });

/** Checks the names of columns. @throws ServiceError */
export function checkHeader(header: readonly string[]): readonly string[] {
  if (header.length === 0 || header.every((name) => name === '')) throw refuseFile(messages.notEmpty);
  if (header.length > maxColumns) throw refuseFile(`must have at most ${maxColumns} columns`);
  return header;
}
