// The texts of webhooks are parsed once for all of their messages.
import { expect, jest, test } from '@jest/globals';
import { type LoggedType, loggedTypes } from '../../../src/schema/changes/change-view.ts';
import { api } from '../../../src/schema/index.ts';
import { readOnce } from '../../../src/schema/webhooks/read-once.ts';
import { readSelection } from '../../../src/schema/webhooks/selection.ts';

const [one, other] = loggedTypes(api.resources) as [LoggedType, LoggedType];
const { schema } = api;

test('a text is read once for each type', () => {
  const read = jest.fn((text: string, { type }: LoggedType) => `${type}: ${text}`);
  const readKept = readOnce(read);
  for (const type of [one, other, one]) expect(readKept('{ id }', type, schema)).toBe(`${type.type}: { id }`);
  expect(readKept('{ id', one, schema)).toBe(`${one.type}: { id`);
  expect(read).toHaveBeenCalledTimes(3);
});

test('of too many texts, those are forgotten that were not used for the longest time', () => {
  const read = jest.fn((text: string) => text.length);
  const readKept = readOnce(read);
  const text = (n: number) => `${n}`.padEnd(4000);
  for (let n = 0; n < 1000; n++) {
    readKept(text(n), one, schema);
    readKept(text(0), one, schema);
  }
  expect(read).toHaveBeenCalledTimes(1000);
  for (let n = 980; n < 1000; n++) readKept(text(n), one, schema);
  expect(read).toHaveBeenCalledTimes(1000);
  // Of 100,000 characters, 24 texts.
  for (let n = 0; n < 1000; n++) readKept(text(n), one, schema);
  expect(read.mock.calls.length).toBeGreaterThanOrEqual(1975);
});

test('a selection keeps its document, and with it its plan', () => {
  const paint = loggedTypes(api.resources).find(({ type }) => type === 'Paint') as LoggedType;
  const [first, second] = [1, 2].map(() => readSelection('{ name }', paint, schema));
  expect(first).toHaveProperty('document');
  expect(second).toBe(first);
  expect(readSelection('{ nam }', paint, schema)).toHaveProperty('problem');
});
