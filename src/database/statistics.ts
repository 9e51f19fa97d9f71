import type { Database } from './database.ts';

/**
 * Updates the statistics by which PostgreSQL plans statements, of tables of which more than a tenth has changed. A
 * server does so by itself (autovacuum), the embedded database does not. One table at a time, as nothing else runs
 * meanwhile.
 */
export async function analyzeChanged({ query }: Pick<Database, 'query'>): Promise<void> {
  const { rows } = await query({
    text: `SELECT format('%I', relname) AS "table" FROM pg_stat_user_tables
           WHERE n_mod_since_analyze > 50 + n_live_tup / 10`,
  });
  for (const { table } of rows) await query({ text: `ANALYZE ${String(table)}` });
}
