import { textOrder } from '../fields/index.ts';
import type { Database } from './database.ts';

/**
 * Finds the collations whose version changed since their indexes were built, as after an upgrade of the server's ICU.
 *
 * @returns for each the statement that accepts its version
 */
async function findMoved({ query }: Pick<Database, 'query'>): Promise<string[]> {
  const { rows } = await query({
    text: `
      SELECT accept FROM (
        SELECT format('ALTER COLLATION pg_catalog.%I REFRESH VERSION', collname) AS accept, collversion AS built,
               pg_collation_actual_version(oid) AS now
          FROM pg_collation WHERE collname = $1
        UNION ALL
        SELECT format('ALTER DATABASE %I REFRESH COLLATION VERSION', datname), datcollversion,
               pg_database_collation_actual_version(oid)
          FROM pg_database WHERE datname = current_database()
      ) AS used WHERE built <> now`,
    values: [textOrder],
  });
  return rows.map(({ accept }) => String(accept));
}

/**
 * Finds whether indexes of text may be out of order, since the rules of their collation changed. Those of the embedded
 * database, which only this process opens, are built again.
 *
 * @returns the statements that an operator of PostgreSQL has to run; none where indexes are in order
 */
export async function refreshCollations(database: Database): Promise<string[]> {
  const accepting = await findMoved(database);
  if (accepting.length === 0) return [];
  // That of a whole database cannot be part of a transaction.
  const { rows } = await database.query({
    text:
      database.kind === 'postgresql'
        ? `SELECT format('REINDEX DATABASE %I', current_database()) AS build`
        : `SELECT format('REINDEX TABLE %s', oid::regclass) AS build
             FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`,
  });
  const statements = [...rows.map(({ build }) => String(build)), ...accepting];
  if (database.kind === 'postgresql') return statements;
  await database.inOneTransaction(({ execute }) => execute(statements.join(';')));
  return [];
}
