import { type Database, type DatabaseOptions, openDatabase } from '../../src/database/index.ts';
import { migrate } from '../../src/database/migrate.ts';
import { readMigrations } from '../../src/database/schema-engine.ts';
import { testDatabaseUrl, withoutTables } from './database.ts';

/**
 * Opens a database as releases before a migration left it; `migrate` of the result upgrades it. Closing it deletes it.
 *
 * @param migration the name of the first migration that they do not have
 */
export async function openOlder(migration: string, options: DatabaseOptions = {}): Promise<Database> {
  const { url, drop } = process.env.TEST_DATABASE_URL
    ? await testDatabaseUrl(withoutTables)
    : { url: undefined, drop: () => Promise.resolve() };
  const database = await openDatabase({ databaseUrl: url, dataDir: 'memory://' }, options);
  const all = await readMigrations();
  const since = all.migrationDirectories.findIndex(({ path }) => path === migration);
  if (since < 0) throw new Error(`There is no migration ${migration}.`);
  await migrate(database, { ...all, migrationDirectories: all.migrationDirectories.slice(0, since) });
  return {
    ...database,
    async close() {
      await database.close();
      await drop();
    },
  };
}
