import { setTimeout } from 'node:timers/promises';
import type { Database } from './database.ts';
import facts from './generated/facts.ts';
import { listPending } from './migrate.ts';
import { readMigrations } from './schema-engine.ts';

/** The database lacks a migration, table or column that the code needs. */
class SchemaError extends Error {
  override readonly name = 'SchemaError';
  /** PostgreSQL's code for an object that is not in the required state. */
  readonly code = '55000';
}

/** The database accepts no writes: it is a standby, or was made read-only. */
class ReadOnlyError extends Error {
  override readonly name = 'ReadOnlyError';
  /** PostgreSQL's code for a write to such a database. */
  readonly code = '25006';
}

/** Minimum interval (ms) between checks of the schema. */
const schemaCheckIntervalMs = 1000;

/** How long (ms) a check waits for its statement before responses to other statements count as ready. */
const checkTimeoutMs = 500;

/**
 * Creates the readiness check of the database: it answers, accepts writes, and has the migrations, tables and columns
 * that this version needs. Concurrent checks share one, and so one connection. Where one connection serves everybody, a
 * database that was ready once is ready while it works for others.
 *
 * @returns the check, which throws the driver's error, a ReadOnlyError or a SchemaError
 */
export async function createReadinessCheck(database: Database): Promise<() => Promise<void>> {
  const migrations = await readMigrations();
  let running: Promise<void> | undefined;
  let checkedAt = 0;
  const check = async () => {
    const { rows } = await database.query({
      text: `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "isReadOnly"`,
    });
    if (rows[0]?.['isReadOnly'] === true) throw new ReadOnlyError('The database accepts no writes.');
    if (Date.now() - checkedAt < schemaCheckIntervalMs) return;
    const pending = await listPending(database, migrations);
    if (pending.length > 0) throw new SchemaError(`Not applied: ${pending.join(', ')}.`);
    const missing = await findMissingColumns(database);
    if (missing.length > 0) throw new SchemaError(`Missing columns: ${missing.slice(0, 10).join(', ')}.`);
    checkedAt = Date.now();
  };
  return () => {
    running ??= check().finally(() => (running = undefined));
    if (!database.isWorking || checkedAt === 0) return running;
    const answered = running;
    const othersServed = setTimeout(checkTimeoutMs, undefined, { ref: false }).then(() =>
      database.isWorking?.() ? undefined : answered,
    );
    return Promise.race([answered, othersServed]);
  };
}

/** What the facts say of each table: the names of its columns, where they are others than those of the fields. */
interface NeededTable {
  readonly table: string;
  readonly columns: Readonly<Record<string, { readonly type: string; readonly databaseName?: string }>>;
}

const models: Readonly<Record<string, NeededTable>> = facts.models;

const neededColumns = Object.values(models).flatMap(({ table, columns }) =>
  Object.entries(columns).map(([name, { databaseName = name }]) => [table, databaseName] as const),
);

/** Lists the columns that the code needs and the database does not have, as `table.column`. */
async function findMissingColumns(database: Database): Promise<string[]> {
  const { rows } = await database.query({
    isPrepared: true,
    text: `
      SELECT format('%s.%s', needed.table, needed.column) AS name
      FROM unnest($1::text[], $2::text[]) AS needed("table", "column")
      WHERE NOT EXISTS (
        SELECT FROM pg_attribute
        WHERE attrelid = to_regclass(needed.table) AND attname = needed.column AND NOT attisdropped)`,
    values: [neededColumns.map(([table]) => table), neededColumns.map(([, column]) => column)],
  });
  return rows.map(({ name }) => String(name));
}
