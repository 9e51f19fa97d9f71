import { describe, expect, test } from '@jest/globals';
import type { ApiField } from '../../../src/database/stored-field.ts';
import {
  boolean,
  date,
  dateTime,
  decimal,
  enumeration,
  type FieldType,
  integer,
  text,
} from '../../../src/fields/index.ts';
import { plainText, readCell } from '../../../src/import/cells.ts';
import {
  dateEvidence,
  dateOrders,
  decimalEvidence,
  decimals,
  readDecimal,
  Survey,
} from '../../../src/import/conventions.ts';
import type { Cell } from '../../../src/import/table.ts';

// Of a field, cells are read by its type and whether it is a list.
const field = (type: FieldType, list = false) => ({ type, list }) as unknown as ApiField;
const read = (type: FieldType, cell: Cell | string, options = {}) => {
  const checked = readCell(typeof cell === 'string' ? { text: cell } : cell, field(type), {
    timeZone: 'Europe/Berlin',
    ...options,
  });
  return 'error' in checked ? checked.error : checked.value;
};

test.each([
  ['1.5', 'point'],
  ['1,5', 'comma'],
  ['1.234,56', 'comma'],
  ['1,234.56', 'point'],
  ['1.234.567', 'comma'],
  ['1,234,567', 'point'],
  ['1.234', 'either'],
  ['-1,234', 'either'],
  ['0,125', 'comma'],
  ['1234,567', 'comma'],
  ['1234', undefined],
  ['1 234', undefined],
  ['abc', undefined],
])('%s says of decimals: %s', (written, evidence) => {
  expect(decimalEvidence(written)).toBe(evidence);
});

test.each([
  ['1.234,56', 'comma', '1234.56'],
  ['1,234.56', 'point', '1234.56'],
  ["1'234.50", 'point', '1234.50'],
  ['1 234,5', 'comma', '1234.5'],
  ['-0,5', 'comma', '-0.5'],
  ['007', 'point', '7'],
  ['1,2,3', 'comma', undefined],
  ['12,34.5', 'point', undefined],
  ['1.5', 'comma', undefined],
  ['five', 'point', undefined],
] as const)('%s with a decimal %s is %s', (written, way, digits) => {
  expect(readDecimal(written, way)).toBe(digits);
});

test.each([
  ['31/12/2026', 'dmy'],
  ['12/31/2026', 'mdy'],
  ['03/04/2026', 'either'],
  ['05/05/2026', undefined],
  ['2026-03-04', undefined],
  ['03.04.2026', undefined],
])('%s says of days: %s', (written, evidence) => {
  expect(dateEvidence(written)).toBe(evidence);
});

test('a file that can be read in two ways says by which value', () => {
  const open = new Survey<'dmy' | 'mdy'>();
  open.add('either', () => 'A2');
  expect(open.conclude(dateOrders)).toEqual({ open: 'A2 can be read in two ways' });
  open.add('mdy', () => 'A3');
  expect(open.conclude(dateOrders)).toEqual({ way: 'mdy' });
  open.add('dmy', () => 'A4');
  expect(open.conclude(dateOrders)).toEqual({ open: 'A4 and A3 are written differently' });
  expect(new Survey<'point' | 'comma'>().conclude(decimals)).toEqual({});
});

describe('Cells', () => {
  test.each([
    ['2026-03-31', '2026-03-31T00:00:00.000Z', {}],
    ['31/03/2026', '2026-03-31T00:00:00.000Z', { dateOrder: 'dmy' }],
    ['3/4/2026', '2026-03-04T00:00:00.000Z', { dateOrder: 'mdy' }],
    ['31.3.2026', '2026-03-31T00:00:00.000Z', { dateOrder: 'mdy' }],
    ['2026/03/31', '2026-03-31T00:00:00.000Z', {}],
  ])('%s is a day', (written, day, options) => {
    expect(read(date, written, options)).toEqual(new Date(day));
  });

  test.each(['31/02/2026', '31/03/26', '2026-02-30', 'tomorrow', '31/03/2026 14:05'])('%s is no day', (written) => {
    expect(read(date, written)).toMatch(/must be a (calendar )?date/);
  });

  test.each([
    // Berlin has summer time from 2026-03-29 on.
    ['31/03/2026 14:05', '2026-03-31T12:05:00.000Z'],
    ['31.01.2026 02:05 PM', '2026-01-31T13:05:00.000Z'],
    ['2026-03-31T14:05:00Z', '2026-03-31T14:05:00.000Z'],
    ['2026-03-31T14:05:00+02:00', '2026-03-31T12:05:00.000Z'],
  ])('%s is a time', (written, time) => {
    expect(read(dateTime, written)).toEqual(new Date(time));
  });

  test('of spreadsheets have the days and clocks of the company', () => {
    expect(read(date, { serial: 46112 })).toEqual(new Date('2026-03-31'));
    expect(read(date, { serial: 46112.5 })).toBe('must be a date without a time');
    expect(read(dateTime, { serial: 46112.5 })).toEqual(new Date('2026-03-31T10:00:00Z'));
    expect(read(decimal, { serial: 46112 })).toBe('must be a number, and is a date');
    expect(read(date, { number: '46112' })).toMatch(/formatted as one/);
  });

  test('are booleans in words', () => {
    for (const word of ['true', 'TRUE', 'Yes', 'y', '1', 'ja', 'x']) expect(read(boolean, word)).toBe(true);
    for (const word of ['false', 'No', '0', 'nein', 'off']) expect(read(boolean, word)).toBe(false);
    expect(read(boolean, 'perhaps')).toBe('must be true or false');
    expect(read(boolean, { number: '1' })).toBe(true);
  });

  test('are members of enums as either API or people write them', () => {
    const status = enumeration('Status', { databaseType: 's', mappedValues: { IN_PROGRESS: 'in-progress' } });
    for (const word of ['in-progress', 'IN_PROGRESS', 'In progress']) expect(read(status, word)).toBe('IN_PROGRESS');
    expect(read(status, 'gone')).toBe('must be one of in-progress');
  });

  test('are numbers', () => {
    expect(read(decimal, '1,5', { decimal: 'comma' })).toBe(1.5);
    expect(read(decimal, '1,5')).toBe('must be a number');
    expect(read(integer, '1.234', { decimal: 'comma' })).toBe(1234);
    expect(read(integer, '2.0')).toBe(2);
    expect(read(integer, '2.5')).toMatch(/whole number/);
    expect(read(integer, { number: '3' })).toBe(3);
  });

  test('lose the apostrophe that an export puts before what looks like a formula', () => {
    expect(read(text, "'=1+1")).toBe('=1+1');
    expect(read(text, "'tis")).toBe("'tis");
    expect(plainText({ text: "'-A7" })).toBe('-A7');
  });

  test('may be lists, as JSON or with commas', () => {
    const list = (cell: string) =>
      readCell(
        { text: cell },
        {
          ...field(text, true),
          type: {
            ...text,
            csv: {
              print: String,
              parse: (each: string) => {
                try {
                  return { value: JSON.parse(each) as unknown };
                } catch {
                  return { error: 'must be an array' };
                }
              },
            },
          },
        },
        { timeZone: 'UTC' },
      );
    expect(list('["a","b"]')).toEqual({ value: ['a', 'b'] });
    expect(list('a, b')).toEqual({ value: ['a', 'b'] });
    expect(list('["a"')).toEqual({ error: 'must be an array' });
  });
});
