import { parseJson } from '../json.ts';
import type { ByteSource } from './source.ts';
import {
  cellOfJson,
  checkHeader,
  type FileRow,
  type FileTable,
  maxColumns,
  maxRowLength,
  type ReadOptions,
  refuseFile,
} from './table.ts';
import { findEncoding, readText } from './text.ts';

/** Opens a file with an object of JSON in each line. Its columns are the names that its objects have. */
export async function openNdjson(source: ByteSource, options: ReadOptions): Promise<FileTable> {
  const encoding = await findEncoding(source, options.encoding ?? 'utf-8');
  const names = new Map<string, number>();
  for await (const { text } of readLines(source, encoding)) {
    const value = parseObject(text);
    if (!value) continue;
    for (const name of Object.keys(value)) if (!names.has(name)) names.set(name, names.size);
    if (names.size > maxColumns) break;
  }
  const header = checkHeader([...names.keys()]);
  return {
    detected: { format: 'ndjson', encoding },
    header,
    async *rows(): AsyncGenerator<FileRow> {
      for await (const { text, line } of readLines(source, encoding)) {
        const value = parseObject(text);
        yield value
          ? { line, cells: header.map((name) => cellOfJson(value[name])) }
          : { line, cells: [], error: 'is no object of JSON' };
      }
    },
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

async function* readLines(source: ByteSource, encoding: string): AsyncGenerator<{ text: string; line: number }> {
  let [rest, line] = ['', 0];
  for await (const part of readText(source, encoding)) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      line += 1;
      assertLength(text, line);
      if (text.trim() !== '') yield { text, line };
    }
    assertLength(rest, line + 1);
  }
  if (rest.trim() !== '') yield { text: rest, line: line + 1 };
}

function assertLength(text: string, line: number): void {
  if (text.length > maxRowLength)
    throw refuseFile(`has a row of more than ${maxRowLength} characters, in line ${line}`);
}
