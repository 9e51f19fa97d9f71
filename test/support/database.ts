import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { overPGlite, startPGlite } from '../../src/database/embedded.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/database/index.ts';
import { onServer, urlOf } from './template.ts';

const template = process.env.TEST_TEMPLATE ?? '';

/**
 * Opens a migrated, empty database: embedded, in memory, or on the PostgreSQL server at `TEST_DATABASE_URL`. Closing it
 * deletes its content.
 *
 *     const database = await testDatabase();
 *     afterAll(() => database.close());
 */
export async function testDatabase(options: DatabaseOptions = {}): Promise<Database> {
  if (!process.env.TEST_DATABASE_URL) {
    const { pglite, end } = await borrow();
    return overPGlite(pglite, options, end);
  }
  const { url, drop } = await testDatabaseUrl(template);
  const database = await openDatabase({ databaseUrl: url, dataDir: '' }, options);
  return {
    ...database,
    async close() {
      await database.close();
      await drop();
    },
  };
}

/** Creates a database on the server at `TEST_DATABASE_URL`. @param from the database to copy; by default it is empty */
export async function testDatabaseUrl(from = 'template1'): Promise<{ url: string; drop: () => Promise<unknown> }> {
  const name = `${template}_${randomUUID().slice(0, 8)}`;
  await onServer(`CREATE DATABASE "${name}" TEMPLATE "${from}"`);
  return { url: urlOf(name), drop: () => onServer(`DROP DATABASE "${name}" WITH (FORCE)`) };
}

/** Unused embedded databases: emptying one takes a tenth of the time of starting one. */
const idle: PGlite[] = [];

/** Closes the unused databases of this process, which would keep it alive. */
export const closeIdle = (): Promise<unknown> => Promise.all(idle.splice(0).map((pglite) => pglite.close()));

// A Jest worker that should end no longer listens; if it then stays alive, it is killed with a warning.
if (process.connected) setInterval(() => process.listenerCount('message') === 0 && closeIdle(), 100).unref();

/**
 * Takes an unused embedded database, or starts one. `end` empties it for the next test file, unless its tables were
 * changed.
 */
async function borrow(): Promise<{ pglite: PGlite; end: () => Promise<void> }> {
  const pglite = idle.pop() ?? (await startPGlite({ dataDir: 'memory://', loadDataDir: await openAsBlob(template) }));
  const before = await shape(pglite);
  const end = async () => {
    await pglite.exec('DISCARD ALL');
    if ((await shape(pglite)) !== before) return pglite.close();
    const { rows } = await pglite.query<{ table: string }>(
      `SELECT format('%I', tablename) AS table FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`,
    );
    const emptied = rows.map(({ table }) => `DELETE FROM ${table}`);
    // Allows deleting rows in any order.
    await pglite.exec(
      ['SET session_replication_role = replica', ...emptied, 'RESET session_replication_role'].join(';'),
    );
    idle.push(pglite);
  };
  return { pglite, end };
}

/** The schema of a database, without rows. */
async function shape(pglite: PGlite): Promise<string> {
  const { rows } = await pglite.query(
    `SELECT (SELECT md5(string_agg(format('%s %s', oid, relname), ',' ORDER BY oid)) FROM pg_class), (SELECT count(*) FROM pg_constraint),
            (SELECT count(*) FROM pg_proc), (SELECT count(*) FROM _prisma_migrations)`,
  );
  return JSON.stringify(rows);
}
