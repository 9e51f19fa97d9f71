import type { MigrationList } from '@prisma/schema-engine-wasm';
import type { Database } from './database.ts';
import { filters, readMigrations, readSchema, withSchemaEngine } from './schema-engine.ts';

/** The key of the lock that Prisma's own command line takes while it migrates. */
export const migrationLock = 72707369;

/**
 * Applies the pending migrations of `prisma/migrations`, each in its own transaction, and records them in Prisma's
 * table `_prisma_migrations`. Of several processes that do so at once, one migrates and the others wait.
 *
 * @param migrations replaces those of the folder
 * @returns the names of the migrations that this call applied, in order
 * @throws Error naming the migration that failed; the database is then as it was before that migration
 */
export async function migrate(database: Database, migrations?: MigrationList): Promise<string[]> {
  migrations ??= await readMigrations();
  const { migrationDirectories } = migrations;
  const applied: string[] = [];
  // One at a time, as a value added to an enum cannot be used before the transaction that adds it is committed.
  for (const path of await listPending(database, migrations)) {
    const until = migrationDirectories.findIndex((each) => each.path === path) + 1;
    const upToHere = { ...migrations, migrationDirectories: migrationDirectories.slice(0, until) };
    try {
      applied.push(...(await apply(database, upToHere)));
    } catch (cause) {
      throw new Error(`The migration ${path} failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      });
    }
  }
  return applied;
}

/**
 * Generates the SQL that changes the database's tables into those of `prisma/schema`.
 *
 * @returns undefined when they are the same
 */
export async function diff(database: Database): Promise<string | undefined> {
  const schema = await readSchema();
  const { stdout, exitCode } = await database.inOneTransaction((connection) =>
    withSchemaEngine(connection, (engine) =>
      engine.diff({
        from: { tag: 'schemaDatasource', ...schema, configDir: '' },
        to: { tag: 'schemaDatamodel', ...schema },
        script: true,
        exitCode: true, // 2 when there is a difference
        filters,
      }),
    ),
  );
  return exitCode === 0 ? undefined : (stdout ?? '');
}

/**
 * Lists the pending migrations, oldest first. It queries Prisma's table without the schema engine, which is slow to
 * load and rarely needed.
 */
export async function listPending(database: Database, migrations?: MigrationList): Promise<string[]> {
  const { migrationDirectories } = migrations ?? (await readMigrations());
  const recorded = await readRecorded(database);
  return migrationDirectories.map(({ path }) => path).filter((path) => !recorded.has(path));
}

async function readRecorded(database: Database): Promise<Set<unknown>> {
  const { rows: tables } = await database.query({
    text: `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS made`,
  });
  if (!tables[0]?.made) return new Set();
  const { rows } = await database.query({
    text: 'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  });
  return new Set(rows.map((row) => row.migration_name));
}

function apply(database: Database, migrationsList: MigrationList): Promise<string[]> {
  return database.inOneTransaction(async (connection) => {
    await connection.execute(`SELECT pg_advisory_xact_lock(${migrationLock})`);
    return withSchemaEngine(connection, async (engine) => {
      const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters });
      return appliedMigrationNames;
    });
  });
}
