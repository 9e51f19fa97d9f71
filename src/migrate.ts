// Migrates the configured database and exits; `openMigrated` runs it as a separate process.
import { dropViews, hasViews, refreshViews } from './bi/refresh.ts';
import { type Config, readConfig } from './config.ts';
import { type Database, openDatabase } from './database/index.ts';
import { listPending, migrate } from './database/migrate.ts';
import { examineConnections } from './database/pooler.ts';
import { assertNoOtherRights, findGrantee, grantAccess } from './database/roles.ts';

try {
  const config = readConfig();
  const { migrationDatabaseUrl } = config;
  const open = async (each: Config) => openDatabase(each, await examineConnections(each));
  const database = await open({ ...config, databaseUrl: migrationDatabaseUrl ?? config.databaseUrl });
  const serving = migrationDatabaseUrl === undefined ? undefined : await open(config);
  const applied = await migrateAndGrant(database, serving).finally(() =>
    Promise.all([database.close(), serving?.close()]),
  );
  if (process.send) await new Promise((resolve) => process.send?.(applied, resolve));
  process.exit(0); // the schema engine leaves a timer running
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

/** @param serving the database as the role that serves, where that is another one. @returns the applied migrations */
async function migrateAndGrant(database: Database, serving: Database | undefined): Promise<string[]> {
  const grantee = serving && (await findGrantee(database, serving));
  const applied = await migrateWithViews(database);
  if (serving && grantee) {
    await grantAccess(database, grantee);
    await assertNoOtherRights(serving, grantee);
  }
  return applied;
}

/** Migrates a database, and makes the views of BI tools anew where it has some. */
async function migrateWithViews(database: Database): Promise<string[]> {
  const { prisma, transaction } = database;
  if ((await listPending(database)).length === 0 || !(await hasViews(prisma))) return migrate(database);
  await dropViews(prisma);
  try {
    return await migrate(database);
  } finally {
    // Few databases have such views, and the definitions take a second to load.
    const { api } = await import('./schema/index.ts');
    await transaction(() => refreshViews(prisma, api));
  }
}
