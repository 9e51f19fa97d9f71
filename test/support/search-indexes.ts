import type { Database } from '../../src/database/index.ts';

/** The columns of the indexes of trigrams, by table. */
export async function searchIndexes(database: Database): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows } = await database.query({
    text: `
      SELECT indrelid::regclass::text AS "table",
             array(SELECT attname::text FROM unnest(indkey) AS key JOIN pg_attribute ON attrelid = indrelid AND attnum = key
                   ORDER BY 1) AS columns
        FROM pg_index WHERE EXISTS (SELECT FROM pg_opclass WHERE oid = ANY (indclass) AND opcname = 'gin_trgm_ops')`,
  });
  return Object.fromEntries(rows.map(({ table, columns }) => [table, columns]));
}
