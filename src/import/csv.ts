import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';
import type { ByteSource } from './source.ts';
import {
  type Cell,
  checkHeader,
  type FileRow,
  type FileTable,
  maxRowLength,
  type ReadOptions,
  refuseFile,
  type Separator,
  separators,
} from './table.ts';
import { findEncoding, readText } from './text.ts';

/** How much text, and how many of its rows, decide the separator. */
const sample = { length: 65_536, rows: 50 };

const common = { relax_column_count: true, skip_empty_lines: true } as const;

/** A first line by which some spreadsheet programs say the separator: `sep=;`. */
const separatorLine = /^sep=(.)\r?\n/;

/** Opens a file of CSV. @throws ServiceError for what is none */
export async function openCsv(source: ByteSource, options: ReadOptions): Promise<FileTable> {
  const encoding = await findEncoding(source, options.encoding);
  let start = '';
  for await (const part of readText(source, encoding)) {
    start += part;
    if (start.length >= sample.length) break;
  }
  const said = separatorLine.exec(start);
  const skipped = said?.[0].length ?? 0;
  const separator = options.separator ?? nameOf(said?.[1]) ?? findSeparator(start);
  const parts = () => readText(source, encoding);
  const records = () => readRecords(parts(), skipped, separator);
  let header: readonly string[] = [];
  for await (const { record } of records()) {
    header = record.map((name) => name.trim());
    break;
  }
  const shift = skipped > 0 ? 1 : 0;
  return {
    detected: { format: 'csv', encoding, separator },
    header: checkHeader(header),
    async *rows(): AsyncGenerator<FileRow> {
      let isHeader = true;
      for await (const { record, line } of records()) {
        if (!isHeader) yield rowOf(record, line + shift, header.length);
        isHeader = false;
      }
    },
  };
}

const nameOf = (character: string | undefined): Separator | undefined =>
  (Object.keys(separators) as Separator[]).find((name) => separators[name] === character);

function rowOf(record: readonly string[], line: number, columns: number): FileRow {
  const cells = record.map((text): Cell => (text === '' ? null : { text }));
  return record.length > columns && record.slice(columns).some((text) => text !== '')
    ? { line, cells, error: `has ${record.length} cells, and the header has ${columns}` }
    : { line, cells };
}

interface CsvRecord {
  readonly record: string[];
  readonly line: number;
}

/** Reads records, each with the line that it begins on. */
async function* readRecords(
  parts: AsyncGenerator<string>,
  skipped: number,
  separator: Separator,
): AsyncGenerator<CsvRecord> {
  async function* text() {
    let left = skipped;
    for await (const part of parts) {
      yield part.slice(left);
      left = Math.max(0, left - part.length);
    }
  }
  const parser = parse({ ...common, delimiter: separators[separator], max_record_size: maxRowLength, info: true });
  const input = Readable.from(text());
  input.on('error', (error) => parser.destroy(error));
  input.pipe(parser);
  let line = 1;
  try {
    // With `info` records have this form, which the package's types leave out.
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      // The count is that of its last line.
      line = info.lines - record.reduce((sum, cell) => sum + breaksIn(cell), 0);
      yield { record, line };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const at = typeof error['lines'] === 'number' ? error['lines'] : line;
    throw refuseFile(`${reasons[error.code] ?? 'is no CSV as RFC 4180 describes it'}, in line ${at}`);
  } finally {
    input.destroy();
    parser.destroy();
  }
}

const breaksIn = (cell: string) => (cell.includes('\n') ? cell.split('\n').length - 1 : 0);

const reasons: Readonly<Record<string, string>> = {
  CSV_MAX_RECORD_SIZE: `has a row of more than ${maxRowLength} characters, or a quote that is never closed`,
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'has a text after a closing quote',
  INVALID_OPENING_QUOTE: 'has a quote inside a cell that does not begin with one',
};

/** Finds the separator with which the most rows have as many cells as the first, and that more than one. */
function findSeparator(start: string): Separator {
  const text = start.length < sample.length ? start : start.slice(0, start.lastIndexOf('\n') + 1);
  let best: { readonly name: Separator; readonly score: number } = { name: 'comma', score: 0 };
  for (const name of Object.keys(separators) as Separator[]) {
    const rows = parseSample(text, separators[name]);
    const width = rows[0]?.length ?? 0;
    if (width < 2) continue;
    const score = rows.filter((row) => row.length === width).length / rows.length + width / 10_000;
    if (score > best.score) best = { name, score };
  }
  return best.name;
}

function parseSample(text: string, delimiter: string): string[][] {
  try {
    return parseAtOnce(text, { ...common, delimiter, to: sample.rows, relax_quotes: true });
  } catch {
    return [];
  }
}
