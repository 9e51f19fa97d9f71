import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import pg from 'pg';
import { overPGlite } from '../../src/database/embedded.ts';
import { openDatabase } from '../../src/database/index.ts';
import { migrate } from '../../src/database/migrate.ts';
import { startPGlite } from '../../src/database/pglite.ts';
import { readMigrations } from '../../src/database/schema-engine.ts';
import { root } from '../../src/root.ts';

const cache = join(root, 'node_modules', '.cache', 'premises');

/** The connection string of another database on the server at `TEST_DATABASE_URL`. */
export function urlOf(name: string): string {
  const url = new URL(process.env.TEST_DATABASE_URL ?? '');
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs SQL on the server at `TEST_DATABASE_URL`, or in another of its databases. */
export async function onServer(sql: string, connectionString = process.env.TEST_DATABASE_URL): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Migrates one database, which every test file copies. Its path is passed to the test files in `TEST_TEMPLATE`. */
export async function makeTemplate(): Promise<void> {
  process.env.TEST_TEMPLATE = process.env.TEST_DATABASE_URL ? await makeServerTemplate() : await makeDump();
}

/** Drops every database that this run created, including those of crashed tests. */
export async function dropTemplate(): Promise<void> {
  if (!process.env.TEST_DATABASE_URL) return;
  const { rows } = await onServer(
    `SELECT datname FROM pg_database WHERE starts_with(datname, '${process.env.TEST_TEMPLATE}')`,
  );
  for (const { datname } of rows) await onServer(`DROP DATABASE "${datname}" WITH (FORCE)`);
}

async function makeServerTemplate(): Promise<string> {
  const name = `premises_test_${process.pid}`;
  await onServer(`CREATE DATABASE ${name}`);
  const database = await openDatabase({ databaseUrl: urlOf(name), dataDir: '' });
  await migrate(database);
  await database.close();
  return name;
}

/** The dump of a migrated embedded database; kept for the next run, as it takes seconds to create. */
async function makeDump(): Promise<string> {
  const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const content = JSON.stringify([dependencies['@electric-sql/pglite'], await readMigrations(), makeDump.toString()]);
  const path = join(cache, `${createHash('sha256').update(content).digest('hex')}.tar`);
  if (existsSync(path)) return path;
  const pglite = await startPGlite({ dataDir: 'memory://' });
  const database = overPGlite(pglite);
  await migrate(database);
  // A copy recovers as after a crash, and its progress timer would keep the process alive.
  await pglite.exec('ALTER SYSTEM SET log_startup_progress_interval = 0');
  const dump = await pglite.dumpDataDir('none');
  await database.close();
  await mkdir(cache, { recursive: true });
  await writeFile(`${path}.${process.pid}`, Buffer.from(await dump.arrayBuffer()));
  await rename(`${path}.${process.pid}`, path);
  return path;
}
