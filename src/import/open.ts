import { openCsv } from './csv.ts';
import { openNdjson } from './ndjson.ts';
import { type ByteSource, readBytes } from './source.ts';
import { type FileTable, type Format, type ReadOptions, refuseFile } from './table.ts';
import { findEncoding, readText } from './text.ts';
import { openXlsx } from './xlsx.ts';

const openers: Readonly<Record<Format, (source: ByteSource, options: ReadOptions) => Promise<FileTable>>> = {
  csv: openCsv,
  ndjson: openNdjson,
  xlsx: openXlsx,
};

/** Opens a file, by its content. @throws ServiceError for what is no table */
export async function openTable(source: ByteSource, options: ReadOptions): Promise<FileTable> {
  const { format, encoding } = await findFormat(source, options);
  // A text of unknown encoding is read as a whole to find it; once is enough.
  return openers[format](source, format === 'csv' && encoding !== undefined ? { ...options, encoding } : options);
}

/** What files of other programs begin with. */
const others: readonly (readonly [start: string, reason: string])[] = [
  ['d0cf11e0a1b11ae1', 'is a spreadsheet of the old format XLS, or has a password: save it as XLSX or CSV'],
  ['25504446', 'is a PDF: save the table as XLSX or CSV'],
  ['1f8b', 'is compressed: unpack it first'],
];

interface FoundFormat {
  readonly format: Format;
  /** The encoding of its text, where it was needed to find the format. */
  readonly encoding?: string;
}

async function findFormat(source: ByteSource, options: ReadOptions): Promise<FoundFormat> {
  const start = await readBytes(source, 0, 8);
  const hex = start.toString('hex');
  if (start.length === 0) throw refuseFile('must not be empty');
  const other = others.find(([bytes]) => hex.startsWith(bytes));
  if (other) throw refuseFile(other[1]);
  if (hex.startsWith('504b0304')) return { format: 'xlsx' };
  if (options.format === 'xlsx') throw refuseFile('is no spreadsheet of the format XLSX');
  if (options.format) return { format: options.format };
  const encoding = await findEncoding(source, options.encoding);
  for await (const text of readText(source, encoding)) {
    const first = text.trimStart().charAt(0);
    if (first === '{') return { format: 'ndjson' };
    if (first === '[') throw refuseFile('is an array of JSON: write each of its objects in a line of its own');
    if (first !== '') return { format: 'csv', encoding };
  }
  throw refuseFile('must not be empty');
}
