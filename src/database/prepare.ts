import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Config } from '../config.ts';
import { root } from '../root.ts';
import { type Database, openDatabase } from './index.ts';
import { listPending } from './migrate.ts';

/** The database could not be brought up to date; the message is that of the process that tried. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** What a start has to do to the database before it can be used. */
export type Preparation = 'creating the embedded database' | 'applying migrations';

/** The compiled program has its entry points in one folder, and its source in another. */
const program = import.meta.filename.endsWith('.ts')
  ? join(root, 'src', 'migrate.ts')
  : join(root, 'dist', 'migrate.js');

/**
 * Opens the database that the environment names, and brings it up to date. What is missing is done by a process of its
 * own: creating a database and Prisma's schema engine leave some hundred MB behind in the process that ran them.
 *
 * @param config as read from the environment, which the other process reads too
 * @param onPreparation told what takes a while, before it begins
 * @returns the database, and the migrations that were applied to it
 * @throws MigrationError, FolderInUseError, or the driver's error
 */
export async function openMigrated(
  config: Config,
  onPreparation: (what: Preparation) => void = () => {},
): Promise<{ database: Database; applied: string[] }> {
  const applied: string[] = [];
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'pglite'))) {
    onPreparation('creating the embedded database');
    applied.push(...(await migrateApart()));
  }
  const database = await openDatabase(config);
  try {
    if ((await listPending(database)).length === 0) return { database, applied };
  } catch (error) {
    await database.close();
    throw error;
  }
  // The embedded database belongs to one process at a time.
  await database.close();
  onPreparation('applying migrations');
  applied.push(...(await migrateApart()));
  return { database: await openDatabase(config), applied };
}

async function migrateApart(): Promise<string[]> {
  const child = fork(program, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let applied: string[] = [];
  child.once('message', (names: string[]) => (applied = names));
  const [message] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'exit')]);
  if (child.exitCode !== 0) throw new MigrationError(message.trim() || 'The database could not be migrated.');
  return applied;
}
