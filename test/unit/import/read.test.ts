import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { ZipFile } from 'yazl';
import { openTable } from '../../../src/import/open.ts';
import { bufferSource } from '../../../src/import/source.ts';
import type { FileTable, ReadOptions } from '../../../src/import/table.ts';

const open = (bytes: Buffer | string, options: ReadOptions = {}) =>
  openTable(bufferSource(Buffer.from(bytes as string)), options);
const file = (name: string) => readFileSync(join(import.meta.dirname, 'files', name));

async function rowsOf(table: FileTable) {
  const rows = [];
  for await (const row of table.rows()) rows.push(row);
  return rows;
}

/** The rows as texts. */
const texts = async (table: FileTable) =>
  (await rowsOf(table)).map(({ cells }) => cells.map((cell) => (cell && 'text' in cell ? cell.text : cell)));

/** What is wrong with a file. */
async function problem(bytes: Buffer | string, options?: ReadOptions): Promise<string | undefined> {
  try {
    await rowsOf(await open(bytes, options));
    return undefined;
  } catch (error) {
    return (error as { fieldErrors?: Record<string, string> }).fieldErrors?.['file'];
  }
}

/** An archive of files, each compressed. */
async function zip(files: Readonly<Record<string, Buffer | string>>): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, content] of Object.entries(files)) archive.addBuffer(Buffer.from(content as string), name);
  archive.end();
  const parts: Buffer[] = [];
  for await (const part of archive.outputStream as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

/** A spreadsheet by hand, with the XML of its sheet. */
const workbook = (rows: string, more: Readonly<Record<string, Buffer | string>> = {}) =>
  zip({
    'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    ...more,
  });

describe('CSV', () => {
  const text = 'Título;Größe\r\nCafé – 5 €;2\r\n';

  test.each([
    ['utf-8', Buffer.from(text)],
    ['utf-8', Buffer.from(`\uFEFF${text}`)],
    ['utf-16le', Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['utf-16le', Buffer.from(text, 'utf16le')],
    ['utf-16be', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    // The dash and the sign of the euro are no characters of ISO 8859-1.
    ['windows-1252', Buffer.from('Título;Größe\r\nCafé \x96 5 \x80;2\r\n', 'latin1')],
  ])('in %s is recognized', async (encoding, bytes) => {
    const table = await open(bytes);
    expect(table.detected).toMatchObject({ format: 'csv', encoding, separator: 'semicolon' });
    expect(table.header).toEqual(['Título', 'Größe']);
    expect(await texts(table)).toEqual([['Café – 5 €', '2']]);
  });

  test('says its lines as people count them', async () => {
    const table = await open('a,b\n"one\ntwo",1\n\n3,4\n');
    expect((await rowsOf(table)).map(({ line }) => line)).toEqual([2, 5]);
  });

  test.each([
    ['comma', 'a,b\n"1;2",3\n'],
    ['semicolon', 'a;b\n1,5;3\n2,5;4\n'],
    ['tab', 'a\tb\n1,2\t3\n'],
    ['pipe', 'a|b\n1|3\n'],
    ['semicolon', 'sep=;\na;b\n1;2\n'],
  ])('with a %s', async (separator, content) => {
    const table = await open(content);
    expect(table.detected.separator).toBe(separator);
    expect(table.header).toEqual(['a', 'b']);
  });

  test('has rows with too many cells as errors', async () => {
    const [row] = await rowsOf(await open('a,b\n1,2,3\n'));
    expect(row?.error).toBe('has 3 cells, and the header has 2');
  });

  test.each([
    ['a,b\n"1,2\n', /quote that is never closed/],
    ['a,b\n"1"x,2\n', /after a closing quote, in line 2/],
    ['', /must not be empty/],
    ['a,b\n1,\0\n', /no text/],
    [`a\n${'x'.repeat(10_000_000)}\n`, /more than 1048576 characters/],
    ['[{"a":1}]', /array of JSON/],
    [Buffer.from('d0cf11e0a1b11ae1', 'hex'), /old format XLS/],
    ['%PDF-1.7', /PDF/],
  ])('is refused: %#', async (content, reason) => {
    expect(await problem(content)).toMatch(reason);
  });
});

test('NDJSON has the columns of all its rows', async () => {
  const table = await open('{"a":1,"b":"x"}\n\n{"c":[1]}\nno\n');
  expect(table.detected).toMatchObject({ format: 'ndjson' });
  expect(table.header).toEqual(['a', 'b', 'c']);
  expect(await rowsOf(table)).toEqual([
    { line: 1, cells: [{ json: 1 }, { json: 'x' }, null] },
    { line: 3, cells: [null, null, { json: [1] }] },
    { line: 4, cells: [], error: 'is no object of JSON' },
  ]);
});

describe('Spreadsheets', () => {
  test('of openpyxl are read', async () => {
    const table = await open(file('openpyxl.xlsx'));
    expect(table.detected).toEqual({ format: 'xlsx', sheet: 'Requests' });
    expect(table.header).toEqual(['Title', 'Due date', 'Amount', 'Open', 'Made at', 'Note']);
    expect(await rowsOf(table)).toEqual([
      {
        line: 2,
        cells: [
          { text: 'Broken lamp' },
          { serial: 46112 },
          { number: '1234.5' },
          { boolean: true },
          // 14:05 is 845 of 1440 minutes.
          { serial: expect.closeTo(46112 + 845 / 1440, 8) },
          { text: 'line one\nline two' },
        ],
      },
      {
        line: 3,
        cells: [
          { error: 'is a formula: paste its value instead' },
          null,
          { number: '0.3' },
          { boolean: false },
          null,
          { text: 'ünïcödé €' },
        ],
      },
      { line: 5, cells: [{ text: '00123' }, { serial: 46024 }, { number: '7' }] },
    ]);
  });

  test('count days from 1904 where they say so', async () => {
    expect(await rowsOf(await open(file('openpyxl-1904.xlsx')))).toEqual([{ line: 2, cells: [{ serial: 46112 }] }]);
  });

  test('may leave out the places of cells, and have rich and phonetic texts', async () => {
    const bytes = await workbook(
      '<row><c t="inlineStr"><is><t>a</t></is></c><c r="C1" t="s"><v>0</v></c></row><row><c><v>1e3</v></c></row>',
      { 'xl/sharedStrings.xml': '<sst><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>x</t></rPh></si></sst>' },
    );
    const table = await open(bytes);
    expect(table.header).toEqual(['a', '', 'rich']);
    expect(await rowsOf(table)).toEqual([{ line: 2, cells: [{ number: '1e3' }] }]);
  });

  const header = '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>';

  test('that unpack to far more than they are, are refused before they are unpacked', async () => {
    expect(await problem(await workbook(header, { 'xl/media/image.bin': Buffer.alloc(60_000_000) }))).toBe(
      'is more than 200 times larger when it is unpacked',
    );
  });

  test('with more content than they say are refused', async () => {
    const bytes = await workbook(header + `<row>${' '.repeat(100_000)}</row>`);
    // The sizes of the sheet in the directory of the archive say that it is shorter.
    const content = deflateRawSync(Buffer.alloc(10));
    const size = Buffer.alloc(4);
    const sheet = bytes.lastIndexOf('xl/worksheets/sheet1.xml') - 46;
    size.writeUInt32LE(content.length + 100);
    size.copy(bytes, sheet + 24);
    expect(await problem(bytes)).toBe('is a damaged ZIP archive, or encrypted');
  });

  test('with a cell of 10 MB are refused', async () => {
    const cell = `<row r="2"><c r="A2" t="inlineStr"><is><t>${'x'.repeat(10_000_000)}</t></is></c></row>`;
    const random = Buffer.from(Array.from({ length: 200_000 }, (_, n) => (n * 7919) % 251));
    expect(await problem(await workbook(header + cell, { 'xl/media/a.bin': random }))).toMatch(
      /a (cell|row) of more than 1048576 characters/,
    );
  });

  test('with entities, other archives and halves are refused', async () => {
    const bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet>&a;</worksheet>';
    expect(await problem(await workbook('', { 'xl/worksheets/sheet1.xml': bomb }))).toMatch(/twice|document type|ZIP/);
    expect(await problem(await zip({ 'content.xml': '<a/>' }))).toMatch(/no spreadsheet of the format XLSX/);
    const whole = await workbook(header);
    expect(await problem(whole.subarray(0, whole.length / 2))).toBe('is not a whole ZIP archive');
    expect(await problem(await workbook('<row><c r="A1"><v>1</c>'))).toMatch(/XML is damaged/);
  });
});
