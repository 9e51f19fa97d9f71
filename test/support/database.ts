import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { overPGlite } from '../../src/database/embedded.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/database/index.ts';
import { startPGlite } from '../../src/database/pglite.ts';
import { sessionSettings } from '../../src/database/pool.ts';
import { currentRequester } from '../../src/database/requester.ts';
import { recordStatement, saveStatements } from './statements.ts';
import { onServer, urlOf } from './template.ts';

const template = process.env.TEST_TEMPLATE ?? '';

/**
 * Opens a migrated, empty database: embedded, in memory, or on the PostgreSQL server at `TEST_DATABASE_URL`. Closing it
 * deletes its content.
 *
 *     const database = await testDatabase();
 *     afterAll(() => database.close());
 */
export async function testDatabase({ onQuery, ...others }: DatabaseOptions = {}): Promise<Database> {
  const options = {
    ...others,
    onQuery(sql: string) {
      // What a request of a known caller sends, rather than a test itself or the background.
      if (currentRequester()?.company) recordStatement(sql);
      onQuery?.(sql);
    },
  };
  if (!process.env.TEST_DATABASE_URL) return borrow(options);
  const { url, drop } = await testDatabaseUrl();
  const database = await openDatabase({ databaseUrl: url, dataDir: '' }, options);
  return {
    ...database,
    async close() {
      saveStatements();
      await database.close();
      await drop();
    },
  };
}

/** `testDatabaseUrl` of a database without tables, for tests of what makes them. */
export const withoutTables = 'template1';

/**
 * Creates a database on the server at `TEST_DATABASE_URL`. @param from the database to copy; by default it is migrated
 * and has no rows
 */
export async function testDatabaseUrl(from = template): Promise<{ url: string; drop: () => Promise<unknown> }> {
  const name = `${template}_${randomUUID().slice(0, 8)}`;
  await onServer(`CREATE DATABASE "${name}" TEMPLATE "${from}"`);
  return { url: urlOf(name), drop: () => onServer(`DROP DATABASE "${name}" WITH (FORCE)`) };
}

/** An embedded database. Its Prisma client alone takes 100 ms and 12 MB, so test files use it one after another. */
interface Embedded {
  readonly pglite: PGlite;
  readonly database: Database;
  /** Its schema. */
  readonly shape: string;
  /** The only rows that migrations insert, in JSON. */
  readonly changeLogs: string;
  /** Takes what the present test file wants to know. */
  setOptions(options: DatabaseOptions): void;
}

/** Those that no test file uses. */
const idle: Embedded[] = [];

/** Closes the unused databases of this process, which would keep it alive. */
export const closeIdle = (): Promise<unknown> => Promise.all(idle.splice(0).map(({ database }) => database.close()));

// A Jest worker that should end no longer listens; if it is there half a second later, it is killed with a warning.
if (process.connected) {
  setInterval(() => process.listenerCount('message') === 0 && closeIdle(), 100).unref();
  // Where nothing else is left to do, Node would free the memory of all test files first, which takes longer than that.
  process.once('beforeExit', () => process.exit());
}

/**
 * Takes an unused embedded database, or starts one. Closing it empties it for the next test file, unless its connection
 * or its tables were changed.
 */
async function borrow(options: DatabaseOptions): Promise<Database> {
  const embedded = idle.pop() ?? (await startEmbedded());
  const { database } = embedded;
  embedded.setOptions(options);
  const close = async () => {
    saveStatements();
    embedded.setOptions({});
    if ((await readShape(database).catch(() => '')) !== embedded.shape) return database.close();
    const { rows } = await database.query({
      text: `SELECT format('%I', tablename) AS table FROM pg_tables
        WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`,
    });
    const emptied = rows.map(({ table }) => `DELETE FROM ${String(table)}`);
    await embedded.pglite.exec(
      [
        'UNLISTEN *',
        'RESET ALL',
        sessionSettings,
        // Allows deleting rows in any order.
        'SET session_replication_role = replica',
        ...emptied,
        `INSERT INTO change_logs SELECT * FROM jsonb_populate_recordset(NULL::change_logs, '${embedded.changeLogs}')`,
        // Where tests had set the clock ahead, it would wait until that time before it updates its statistics.
        'SELECT pg_stat_force_next_flush()',
        'RESET session_replication_role',
      ].join(';'),
    );
    idle.push(embedded);
  };
  return { ...database, close };
}

async function startEmbedded(): Promise<Embedded> {
  const pglite = await startPGlite({ dataDir: 'memory://', loadDataDir: await openAsBlob(template) });
  let options: DatabaseOptions = {};
  const database = overPGlite(pglite, { onQuery: (sql) => options.onQuery?.(sql) });
  const { rows } = await database.query({ text: 'SELECT jsonb_agg(change_logs)::text AS logs FROM change_logs' });
  return {
    pglite,
    database,
    shape: await readShape(database),
    changeLogs: String(rows[0]?.['logs']),
    setOptions: (given) => (options = given),
  };
}

/** The schema of a database, without rows. */
async function readShape(database: Database): Promise<string> {
  const { rows } = await database.query({
    // By their ids, as one that takes the place of another has its name.
    text: `SELECT (SELECT md5(string_agg(format('%s %s', oid, relname), ',' ORDER BY oid)) FROM pg_class) AS tables,
            (SELECT count(*) FROM pg_attribute WHERE NOT attisdropped) AS columns,
            (SELECT md5(string_agg(oid::text, ',' ORDER BY oid)) FROM pg_constraint) AS constraints,
            (SELECT md5(string_agg(format('%s %s', oid, tgenabled), ',' ORDER BY oid)) FROM pg_trigger) AS triggers,
            (SELECT count(*) FROM pg_proc) AS functions,
            (SELECT count(*) FROM _prisma_migrations) AS migrations`,
  });
  return JSON.stringify(rows);
}
