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

test('a list in the order of a text is read from an index where the text has one for equal values', async () => {
  const { rows } = await database.query({
    text: `
      SELECT indrelid::regclass::text || ' ' || array_to_string(names, ' ') AS index, collated
        FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid AND relam = (SELECT oid FROM pg_am WHERE amname = 'btree'),
        LATERAL (SELECT array_agg(attname ORDER BY place) AS names, bool_or(atttypid IN ('text'::regtype, 'varchar'::regtype)) AS has_text,
                        bool_or(collname = 'und-x-icu') AS collated
                   FROM generate_series(0, indnkeyatts - 1) AS place JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[place]
                   LEFT JOIN pg_collation ON pg_collation.oid = indcollation[place]) AS columns
       WHERE has_text AND names[1] = 'company_id'`,
  });
  const [sorted, equal] = [true, false].map((collated) =>
    rows.filter((row) => (row['collated'] ?? false) === collated).map(({ index }) => String(index)),
  );
  const isListed = (index: string) =>
    /^(assets|buildings|expected_packages|inventory_items|invoices|purchase_orders|service_requests|users) /.test(
      index,
    );
  // Rows are found by an external id, never listed in its order; the index has only those that have one.
  const others = ['tracking_key', 'external_id'];
  const expected = equal?.filter((index) => isListed(index) && !others.some((column) => index.endsWith(column)));
  expect(expected?.length).toBeGreaterThan(7);
  expect(expected?.filter((index) => !sorted?.includes(`${index.replace(' created_at id', '')} id`))).toEqual([]);
});

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
      // Files list no rows.
      Object.keys(references)
        .filter((name) => !['fileId', 'avatarId'].includes(name))
        .map((name) => `${table} (company_id, ${columns[name]?.databaseName ?? name}, created_at, id)`),
    );
  expect(expected.length).toBeGreaterThan(30);
  expect(expected.filter((index) => !indexes.has(index))).toEqual([]);
});
