import { expect, test } from '@jest/globals';
import { StatementNames } from '../../../src/database/read/names.ts';

test('a statement is named on its second use, and keeps its name', () => {
  const names = new StatementNames();
  expect(names.nameOf('SELECT 1')).toBeUndefined();
  const name = names.nameOf('SELECT 1');
  expect(name).toBeDefined();
  names.nameOf('SELECT 2');
  expect(names.nameOf('SELECT 2')).not.toBe(name);
  expect(names.nameOf('SELECT 1')).toBe(name);
});

test.each(['fold_case(name) LIKE fold_case($1)', 'name ~ $1::text'])('a search is not named: %s', (condition) => {
  const names = new StatementNames();
  const uses = [1, 2, 3].map(() => names.nameOf(`SELECT 1 FROM paints WHERE ${condition}`));
  expect(uses).toEqual([undefined, undefined, undefined]);
});

test('of more than 500 statements the least recently used loses its name until its second use', () => {
  const names = new StatementNames();
  const use = (n: number) => names.nameOf(`SELECT ${n}`);
  for (const n of [1, 1, 2, 2]) use(n);
  const [first, second] = [use(1), use(2)];
  expect(first).not.toBe(second);
  use(1);
  for (let n = 3; n <= 501; n++) use(n);
  expect(use(1)).toBe(first);
  expect(use(2)).toBeUndefined();
  // The name is a hash of the statement.
  expect(use(2)).toBe(second);
});
