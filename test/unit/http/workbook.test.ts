import { buffer } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { decimal } from '../../../src/fields/index.ts';
import { maxCellLength, maxSheetRows, sheetPrinter } from '../../../src/http/sheet-xml.ts';
import { printTable, type Table } from '../../../src/http/table.ts';
import { writeWorkbook } from '../../../src/http/workbook.ts';
import { ExactNumber } from '../../../src/json.ts';
import { readXlsx, recordsOf } from '../../support/xlsx.ts';

/** A table of pages, with one column. */
function tableOf(pages: readonly (readonly unknown[])[], type: Table['columns'][number]['type'] = undefined) {
  const at = (n: number): Table['first'] => ({
    rows: (pages[n] ?? []).map((value) => [value]),
    next: n + 1 < pages.length ? async () => at(n + 1) : undefined,
  });
  return { name: 'numbers', columns: [{ name: 'value', type }], first: at(0) };
}

const write = (table: Table, maxRows?: number) =>
  buffer(writeWorkbook(printTable(table, sheetPrinter(table.columns, 'UTC', maxRows), async () => {})));

const valuesOf = async (bytes: Buffer) =>
  [...(await readXlsx(bytes))].map(([name, rows]) => [name, recordsOf(rows).records.map(({ value }) => value?.value)]);

test('the limits of a sheet are those of the format', () => {
  expect([maxSheetRows, maxCellLength]).toEqual([1_048_576, 32_767]);
});

test('a full sheet is followed by another with the same header', async () => {
  const pages = [
    [1, 2, 3],
    [4, 5, 6, 7],
  ];
  expect(await valuesOf(await write(tableOf(pages), 4))).toEqual([
    ['Rows', ['1', '2', '3']],
    ['Rows 2', ['4', '5', '6']],
    ['Rows 3', ['7']],
  ]);
  expect(await valuesOf(await write(tableOf([[1, 2, 3]]), 4))).toEqual([['Rows', ['1', '2', '3']]]);
  expect(await valuesOf(await write(tableOf([[1, 2, 3], [4]]), 4))).toEqual([
    ['Rows', ['1', '2', '3']],
    ['Rows 2', ['4']],
  ]);
  expect(await valuesOf(await write(tableOf([[]]), 4))).toEqual([['Rows', []]]);
});

test('numbers keep their digits, as text where a double loses some', async () => {
  const digits = ['12345678901234567.25', '9007199254740993', '0.0000001', '-0.01', '0.1'];
  const table = tableOf(
    [digits.map((text) => (text.length > 15 || text === '0.0000001' ? new ExactNumber(text) : Number(text)))],
    decimal,
  );
  const rows = recordsOf((await readXlsx(await write(table))).get('Rows')).records;
  expect(rows.map(({ value }) => [value?.type, value?.value])).toEqual([
    ['text', '12345678901234567.25'],
    ['text', '9007199254740993'],
    ['number', '0.0000001'],
    ['number', '-0.01'],
    ['number', '0.1'],
  ]);
});

test('columns after Z have two letters', async () => {
  const columns = Array.from({ length: 703 }, (_, n) => ({ name: `c${n}`, type: undefined }));
  const table = { name: 'wide', columns, first: { rows: [columns.map((_, n) => n)], next: undefined } };
  const [header] = (await readXlsx(await write(table))).get('Rows') ?? [];
  expect(['Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA'].map((letters) => header?.get(letters)?.value)).toEqual([
    'c25',
    'c26',
    'c51',
    'c52',
    'c701',
    'c702',
  ]);
});

test('it fails as a page does, and reads no further when nobody reads it', async () => {
  const failing: Table = {
    ...tableOf([[1]]),
    first: { rows: [[1]], next: () => Promise.reject(new Error('The database has gone.')) },
  };
  await expect(write(failing)).rejects.toThrow('The database has gone.');
  let read = 0;
  let isEnded = false;
  const endless = async (): Promise<Table['first']> => {
    read += 1;
    return { rows: Array.from({ length: 2000 }, () => [Math.random()]), next: endless };
  };
  const table = { ...tableOf([]), first: { rows: [], next: endless } };
  async function* parts() {
    try {
      yield* printTable(table, sheetPrinter(table.columns, 'UTC'), async () => {});
    } finally {
      isEnded = true;
    }
  }
  const output = writeWorkbook(parts());
  for await (const part of output) if (part) break;
  for (let n = 0; n < 200 && !isEnded; n++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isEnded).toBe(true);
  const before = read;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(read).toBe(before);
});
