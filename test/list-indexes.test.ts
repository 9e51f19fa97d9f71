import { afterAll, expect, test } from '@jest/globals';
import facts from '../src/database/generated/facts.ts';
import { testDatabase } from './support/database.ts';

const database = await testDatabase();
afterAll(() => database.close());

interface Model {
  readonly table: string;
  readonly columns: Readonly<Record<string, { readonly databaseName?: string }>>;
  readonly references: Readonly<Record<string, string>>;
}

test('rows that are indexed by time are so within each row that they refer to', async () => {
  const { rows } = await database.query({
    text: `SELECT tablename AS table, substring(indexdef FROM 'btree \\((.*)\\)$') AS columns
      FROM pg_indexes WHERE schemaname = current_schema()`,
  });
  const indexes = new Set(rows.map(({ table, columns }) => `${String(table)} (${String(columns)})`));
  const models: readonly Model[] = Object.values(facts.models as Readonly<Record<string, Model>>);
  const expected = models
    .filter(({ table }) => indexes.has(`${table} (company_id, created_at, id)`))
    .flatMap(({ table, columns, references }) =>
      Object.keys(references).map(
        (name) => `${table} (company_id, ${columns[name]?.databaseName ?? name}, created_at, id)`,
      ),
    );
  expect(expected.length).toBeGreaterThan(30);
  expect(expected.filter((index) => !indexes.has(index))).toEqual([]);
});
