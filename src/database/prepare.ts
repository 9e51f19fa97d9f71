import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Config } from '../config.ts';
import { root } from '../root.ts';
import { type Database, openDatabase } from './index.ts';
import { listPending } from './migrate.ts';
import { assertRoleSettings, examineConnections } from './pooler.ts';
import { assertEncoding, assertTextOrder } from './requirements.ts';
import { hasOtherRights } from './roles.ts';

/** The database could not be migrated; the message is that of the process that tried. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** A step that prepares the database at start. */
type Preparation = 'creating the embedded database' | 'applying migrations';

/** The compiled entry points are in one folder, unlike their sources. */
const program = import.meta.filename.endsWith('.ts')
  ? join(root, 'src', 'migrate.ts')
  : join(root, 'dist', 'migrate.js');

/**
 * Opens the configured database, and creates and migrates it as needed. Migrations are applied by a separate process:
 * Prisma's schema engine leaves some hundred MB in the process that ran it.
 *
 * @param config as read from the environment, which the other process reads too
 * @param onPreparation called before each slow step
 * @returns the database, and the migrations that were applied to it
 * @throws MigrationError, FolderInUseError, OpenError, or the driver's error
 */
export async function openMigrated(
  config: Config,
  onPreparation: (what: Preparation) => void = () => {},
): Promise<{ database: Database; applied: string[] }> {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'pglite')))
    onPreparation('creating the embedded database');
  const options = await examineConnections(config);
  const database = await openDatabase(config, options);
  try {
    await assertEncoding(database);
    await assertTextOrder(database);
    if (options.isShared) await assertRoleSettings(database);
    if (!(await needsMigration(database, config))) return { database, applied: [] };
  } catch (error) {
    await database.close();
    throw error;
  }
  // Only one process at a time can open the embedded database.
  await database.close();
  onPreparation('applying migrations');
  const applied = await migrateApart();
  return { database: await openDatabase(config, options), applied };
}

/** Whether migrations are pending, or the role that serves has other rights than the one that migrates would grant. */
async function needsMigration(database: Database, { migrationDatabaseUrl }: Config): Promise<boolean> {
  if (migrationDatabaseUrl !== undefined && (await hasOtherRights(database))) return true;
  return (await listPending(database)).length > 0;
}

/** Whether the database has the indexes for searches: it may not offer the extension that they need. */
export async function hasSearchIndexes(database: Database): Promise<boolean> {
  const { rows } = await database.query({
    text: `SELECT EXISTS (
      SELECT FROM pg_index JOIN pg_opclass ON pg_opclass.oid = ANY (indclass) WHERE opcname = 'gin_trgm_ops') AS found`,
  });
  return rows[0]?.['found'] === true;
}

async function migrateApart(): Promise<string[]> {
  const child = fork(program, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let applied: string[] = [];
  child.once('message', (names: string[]) => (applied = names));
  const [message] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'exit')]);
  if (child.exitCode !== 0) throw new MigrationError(message.trim() || 'The database could not be migrated.');
  return applied;
}
