import { randomInt, randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { decodeCursor, encodeCursor, type Position } from '../../../src/resource/cursor.ts';

const id = '01890000-0000-7000-8000-000000000000';
const list = 'a-company paints name asc';

/** Text that cannot be packed much: chance picks the characters. */
const random = (length: number, from: number) =>
  String.fromCodePoint(...Array.from({ length }, () => randomInt(from, from + 8000)));

test.each<[string, Position['value']]>([
  ['text', 'Blue'],
  ['empty text', ''],
  ['null', null],
  ['zero', 0],
  ['a fraction', -12.3456],
  ['a boolean', false],
  ['text that begins as a payload does', '["x"]'],
  ['the longest text', random(20_000, 0x4e00)],
  ['the longest text outside the basic plane', random(20_000, 0x20000)],
  ['the longest text of characters that JSON escapes', '\u0001'.repeat(20_000)],
])('a cursor encodes %s', (_, value) => {
  const cursor = encodeCursor(list, { value, id });
  expect(cursor).toMatch(/^[\w-]+$/);
  expect(decodeCursor(list, cursor)).toEqual({ value, id });
});

const refused = expect.objectContaining({ extensions: { code: 'BAD_REQUEST', status: 400 } });
const cursor = encodeCursor(list, { value: 'Blue', id });

test('a cursor is rejected by any other list', () => {
  for (const other of ['', 'a-company paints name desc', 'a-company paints brand asc', 'b-company paints name asc'])
    expect(() => decodeCursor(other, cursor)).toThrow(refused);
});

test('a cursor is rejected if any character has changed', () => {
  for (let at = 0; at < cursor.length; at++) {
    const altered = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
    expect(() => decodeCursor(list, altered)).toThrow(refused);
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
  expect(() => decodeCursor(list, text)).toThrow(refused);
});

test.each<[string, unknown]>([
  ['an id that is no uuid', 'x'],
  ['no id', undefined],
])('a cursor with a valid checksum and %s is rejected', (_, wrong) => {
  expect(() => decodeCursor(list, encodeCursor(list, { value: 1, id: wrong as string }))).toThrow(refused);
});

test('a cursor with a valid checksum and an object value is rejected', () => {
  const value = { a: 1 } as unknown as string;
  expect(() => decodeCursor(list, encodeCursor(list, { value, id }))).toThrow(refused);
});
