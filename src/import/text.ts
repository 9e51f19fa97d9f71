// The text of a file: its encoding, which is told or found out, and its characters as they are read.
import { TextDecoder } from 'node:util';
import iconv from 'iconv-lite';
import { badRequest, shorten } from '../errors.ts';
import { type ByteSource, readBytes } from './source.ts';
import { refuseFile } from './table.ts';

/** How many bytes of the beginning decide what has no mark and is no UTF-8. */
const sampleBytes = 65_536;

/** The marks with which files say their encoding. */
const marks: readonly (readonly [encoding: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * Finds the encoding of a file. UTF-8 is recognized by all of its bytes, as text of another encoding is hardly ever
 * valid; what is none, and has no mark, is Windows-1252, in which every byte is a character.
 *
 * @param given what the client says it is
 * @throws ServiceError where that is no encoding, or the file is no text
 */
export async function findEncoding(source: ByteSource, given: string | undefined): Promise<string> {
  if (given !== undefined) {
    const known: boolean = iconv.encodingExists(given);
    if (!known) throw badRequest(`there is no encoding ${shorten(given, 50)}`, 'encoding');
    return given.toLowerCase();
  }
  const start = await readBytes(source, 0, sampleBytes);
  const mark = marks.find(([, bytes]) => bytes.every((byte, at) => start[at] === byte));
  if (mark) return mark[0];
  const zeros = [0, 0];
  for (const [at, byte] of start.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  // Text of European languages in UTF-16 has a zero in every other byte.
  if (odd > start.length / 8 && even < odd / 8) return 'utf-16le';
  if (even > start.length / 8 && odd < even / 8) return 'utf-16be';
  if (even + odd > 0) throw refuseFile('is no text, and no spreadsheet: save it as CSV or XLSX');
  return (await isUtf8(source)) ? 'utf-8' : 'windows-1252';
}

async function isUtf8(source: ByteSource): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const part of source.read()) decoder.decode(part, { stream: true });
    decoder.decode();
    return true;
  } catch {
    return false;
  }
}

/** Reads the text of a file, in parts, without its mark. @throws ServiceError for what is no text */
export async function* readText(source: ByteSource, encoding: string): AsyncGenerator<string> {
  const decoder = iconv.getDecoder(encoding, { stripBOM: true });
  for await (const part of source.read()) {
    const text = decoder.write(part);
    if (text.includes('\0')) throw refuseFile('is no text: it has characters that are zero');
    if (text !== '') yield text;
  }
  const rest = decoder.end();
  if (rest) yield rest;
}
