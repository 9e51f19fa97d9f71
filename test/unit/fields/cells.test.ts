import { describe, expect, test } from '@jest/globals';
import {
  boolean,
  date,
  dateTime,
  decimal,
  enumeration,
  type FieldType,
  integer,
  listOf,
  parseCell,
  text,
  uuid,
} from '../../../src/fields/index.ts';
import { ExactNumber } from '../../../src/json.ts';

const status = enumeration('Status', {
  databaseType: 'status',
  mappedValues: { IN_PROGRESS: 'in-progress', DONE: 'done' },
});
const texts = listOf(text);
const id = '01890000-0000-7000-8000-000000000000';

// The value in JSON, and its cell.
describe.each<[string, FieldType, readonly (readonly [unknown, string])[]]>([
  [
    'text',
    text,
    [
      ['Oak', 'Oak'],
      ['=SUM(A1)', `'=SUM(A1)`],
      ['+49 30 123', `'+49 30 123`],
      ['-1', `'-1`],
      ['@here', `'@here`],
      ['＝1', `'＝1`],
      [`'quoted'`, `'quoted'`],
      [`O'Brien`, `O'Brien`],
      ['a "b", c;\r\nd', 'a "b", c;\r\nd'],
      ['null', 'null'],
      ['true', 'true'],
      ['007', '007'],
      ['[1]', '[1]'],
    ],
  ],
  ['uuid', uuid, [[id, id]]],
  [
    'integer',
    integer,
    [
      [0, '0'],
      [-4, '-4'],
      [2_147_483_647, '2147483647'],
    ],
  ],
  [
    'decimal',
    decimal,
    [
      [12.5, '12.5'],
      [-0.01, '-0.01'],
      [new ExactNumber('9007199254740993.25'), '9007199254740993.25'],
    ],
  ],
  [
    'boolean',
    boolean,
    [
      [true, 'true'],
      [false, 'false'],
    ],
  ],
  ['date', date, [['2026-04-01', '2026-04-01']]],
  ['date-time', dateTime, [['2026-03-03T15:40:22.108Z', '2026-03-03T15:40:22.108Z']]],
  ['enum', status, [['in-progress', 'in-progress']]],
  [
    'list of text',
    texts,
    [
      [[], '[]'],
      [['=1', 'a, "b"', ''], '["=1","a, \\"b\\"",""]'],
    ],
  ],
])('cells of %s', (_name, type, pairs) => {
  test.each(pairs)('%j', (value, cell) => {
    expect(type.csv.print(value)).toBe(cell);
    expect(parseCell(type, cell)).toEqual({ value });
  });

  test('are empty without a value', () => {
    expect(parseCell(type, '')).toEqual({ value: null });
  });
});

test.each<[string, FieldType, string, string]>([
  ['a word for an integer', integer, 'four', 'must be a whole number of at most 2147483647'],
  ['a fraction for an integer', integer, '4.5', 'must be a whole number of at most 2147483647'],
  ['an integer that is too large', integer, '2147483648', 'must be a whole number of at most 2147483647'],
  ['a formula for an integer', integer, '=4', 'must be a whole number of at most 2147483647'],
  ['a comma in a decimal', decimal, '1,5', 'must be a number'],
  ['a decimal without end', decimal, 'Infinity', 'must be a number'],
  ['a yes', boolean, 'yes', 'must be true or false'],
  ['a day that does not exist', date, '2026-02-30', 'must be a calendar date such as 2026-01-31 that exists'],
  [
    'a time without zone and seconds',
    dateTime,
    '1 May 2026',
    'must be an ISO 8601 date-time such as 2026-01-31T09:30:00Z',
  ],
  ["GraphQL's member of an enum", status, 'IN_PROGRESS', 'must be one of in-progress, done'],
  ['a name for an id', uuid, 'Oak', 'must be a uuid'],
  ['text for a list', texts, 'a;b', 'must be an array'],
  ['an object for a list', texts, '{}', 'must be an array'],
])('refuses %s', (_name, type, cell, error) => {
  expect(parseCell(type, cell)).toEqual({ error });
});

// Both are printed alike, so one of them cannot be read again.
test('takes an apostrophe before a formula for that of CSV', () => {
  expect(text.csv.print(`'=1`)).toBe(text.csv.print('=1'));
  expect(parseCell(text, `'=1`)).toEqual({ value: '=1' });
});
