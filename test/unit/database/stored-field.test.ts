// Members of a column's JSON that a statement sets, as PostgreSQL evaluates them.
import { afterAll, expect, test } from '@jest/globals';
import { columnsToSet, memberField } from '../../../src/database/stored-field.ts';
import { integer } from '../../../src/fields/index.ts';
import { testDatabase } from '../../support/database.ts';

const database = await testDatabase();
afterAll(() => database.close());

const names = Array.from({ length: 60 }, (_, n) => `member${n}`);
const facts = { model: 'Paint', type: integer, itemType: integer, list: false, required: false, hasDefault: false };
const values = names.map((name, n) => [memberField({ ...facts, name }, 'details', name), `${n}::int`] as const);

/** What the column has after it was set in a row of `(details)`. */
const stored = async (sql: string | undefined, before: string): Promise<unknown> => {
  const { rows } = await database.query({
    text: `SELECT ${sql} AS details FROM (VALUES (${before}::jsonb)) AS t0 (details)`,
    values: [],
  });
  return rows[0]?.['details'];
};

test('a new row has more members than a function takes arguments', async () => {
  const [[column, sql] = []] = columnsToSet(values);
  expect(column).toBe('details');
  expect(await stored(sql, 'NULL')).toEqual(Object.fromEntries(names.map((name, n) => [name, n])));
});

test.each(['NULL', `'{"other":true,"member1":9}'`])(
  'an update of %s keeps the members that it does not set',
  async (before) => {
    const [[, sql] = []] = columnsToSet(values.slice(0, 2), 't0');
    const kept = before === 'NULL' ? {} : { other: true };
    expect(await stored(sql, before)).toEqual({ ...kept, member0: 0, member1: 1 });
  },
);
