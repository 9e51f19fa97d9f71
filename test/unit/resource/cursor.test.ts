import { randomInt, randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { modelFacts } from '../../../src/resource/definition/facts.ts';
import { apiField, type ModelName } from '../../../src/resource/definition/model.ts';
import {
  type CursorValue,
  conditionId,
  countedOf,
  decodeCursor,
  encodeCursor,
} from '../../../src/resource/read/cursor.ts';

const id = '01890000-0000-7000-8000-000000000000';
const list = 'a-company paints name asc';

/** Random text, which does not compress well. */
const random = (length: number, from: number) =>
  String.fromCodePoint(...Array.from({ length }, () => randomInt(from, from + 8000)));

/** The keys of an order by a column. */
const keysOf = (model: ModelName, column: string) =>
  [column, 'id'].map((name) => {
    const field = apiField(modelFacts(model), name);
    return { field, nullable: !field.required };
  });
const brand = keysOf('Paint', 'brand');

test.each<[string, CursorValue]>([
  ['text', 'Blue'],
  ['empty text', ''],
  ['null', null],
  ['text that begins as a payload does', '["x"]'],
  ['the longest text', random(20_000, 0x4e00)],
  ['the longest text outside the basic plane', random(20_000, 0x20000)],
  ['the longest text of characters that JSON escapes', '\u0001'.repeat(20_000)],
])('a cursor encodes %s', (_, value) => {
  const cursor = encodeCursor(list, [value, id]);
  expect(cursor).toMatch(/^[\w-]+$/);
  expect(decodeCursor(list, cursor, brand)).toEqual([value, id]);
});

test('a cursor contains the count of a condition', () => {
  const [one, other] = [conditionId({ brand: 'Acme' }), conditionId({ brand: { not: 'Acme' } })];
  expect(one).not.toBe(other);
  for (const value of ['Blue', random(20_000, 0x4e00)]) {
    const counted = encodeCursor(list, [value, id], { total: 7, of: one });
    expect(decodeCursor(list, counted, brand)).toEqual([value, id]);
    expect(countedOf(counted)).toEqual({ total: 7, of: one });
    expect(countedOf(encodeCursor(list, [value, id]))).toBeUndefined();
    const forged = encodeCursor(list, [value, id], { total: -1, of: one });
    expect(() => decodeCursor(list, forged, brand)).toThrow('is not a cursor');
  }
});

const refused = expect.objectContaining({ extensions: { code: 'BAD_REQUEST', status: 400 } });
const cursor = encodeCursor(list, ['Blue', id]);

test('a cursor is rejected by any other list', () => {
  for (const other of ['', 'a-company paints name desc', 'a-company paints brand asc', 'b-company paints name asc'])
    expect(() => decodeCursor(other, cursor, brand)).toThrow(refused);
});

test('a cursor is rejected if any character has changed', () => {
  for (let at = 0; at < cursor.length; at++) {
    const altered = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
    expect(() => decodeCursor(list, altered, brand)).toThrow(refused);
  }
});

test.each([
  ['nothing', ''],
  ['a seal alone', cursor.slice(0, 16)],
  ['a part', cursor.slice(0, -1)],
  ['more', `${cursor}A`],
  ['padding', `${cursor}=`],
  ['a uuid', randomUUID()],
  ['characters that base64 lacks', 'ü{}"'],
])('a cursor of %s is rejected', (_, text) => {
  expect(() => decodeCursor(list, text, brand)).toThrow(refused);
});

test.each<[string, unknown]>([
  ['an id that is no uuid', 'x'],
  ['no id', undefined],
])('a cursor with a valid checksum and %s is rejected', (_, wrong) => {
  expect(() => decodeCursor(list, encodeCursor(list, ['Blue', wrong as string]), brand)).toThrow(refused);
});

/** Values of all kinds. */
const values = [
  ...[null, true, 0, 1.5, 2 ** 31, [], {}],
  ...['', 'x', 'a\0b', '\ud800', 'true', 'PENDING', 'pending', id],
  ...['7', '1.5', '1.50', '1e-7', '1e+900', '9'.repeat(999), '2026-03-01', '2026-02-30T00:00:00.000Z'],
  ...['2026-03-01T00:00:00.000Z', '+020260-03-01T00:00:00.000Z'],
];
const texts = values.filter((value) => typeof value === 'string' && value !== 'a\0b' && value !== '\ud800');

test.each<[ModelName, string, unknown[]]>([
  ['ServiceRequest', 'createdAt', ['2026-03-01T00:00:00.000Z']],
  ['ServiceRequest', 'completedAt', [null, '2026-03-01T00:00:00.000Z']],
  ['Lease', 'endDate', [null, '2026-03-01T00:00:00.000Z']],
  ['ServiceRequest', 'status', ['PENDING']],
  ['ServiceRequest', 'assignedTo', [null, id]],
  ['Note', 'isPinned', [true]],
  ['InventoryItem', 'quantity', [0]],
  ['InventoryItem', 'unitCost', [null, '7', '1.5']],
  ['TimeClockLocation', 'latitude', [null, '7', '1.5', '1e-7']],
  ['Vendor', 'companyName', texts],
])('a cursor of %s.%s accepts only values of the column', (model, column, fit) => {
  for (const value of values) {
    const forged = encodeCursor(list, [value, id]);
    const decode = () => decodeCursor(list, forged, keysOf(model, column));
    if (fit.includes(value)) expect(decode()).toEqual([value, id]);
    else expect(decode).toThrow(refused);
  }
});
