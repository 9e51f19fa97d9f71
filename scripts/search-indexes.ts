// The indexes for searches: those that a database has, and those that the resources need.
import type { Database } from '../src/database/index.ts';
import { snakeCase } from '../src/names.ts';
import { modelFacts } from '../src/resource/index.ts';
import { api } from '../src/schema/index.ts';

/** The columns of indexes, in order, by table. */
type Indexes = Readonly<Record<string, readonly string[]>>;

/** The indexes for searches that a database has. */
export async function findSearchIndexes({ query }: Pick<Database, 'query'>): Promise<Indexes> {
  const { rows } = await query({
    text: `
      SELECT indrelid::regclass::text AS "table", array_agg(name ORDER BY place) AS columns
        FROM pg_index, generate_series(1, indnkeyatts) AS place,
             substring(pg_get_indexdef(indexrelid, place, false) FROM 'fold_case\\(\\(?"?(\\w+)') AS name
       WHERE EXISTS (SELECT FROM pg_opclass WHERE oid = ANY (indclass) AND opcname = 'gin_trgm_ops')
       GROUP BY indexrelid, indrelid`,
  });
  // A query returns an array for one.
  return Object.fromEntries(rows.map(({ table, columns }) => [String(table), columns as string[]]));
}

/** The indexes that searches need. The rows of one parent are few, and found by their reference to it. */
export const neededSearchIndexes = (): Indexes =>
  Object.fromEntries(
    api.resources
      .filter(({ search, parent }) => search.length > 0 && !parent)
      .map(({ model, search, normalized }) => [
        modelFacts(model).table,
        search.map((name) => normalized[name]?.field.column ?? snakeCase(name)),
      ]),
  );
