import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { overPGlite } from '../../src/database/embedded.ts';
import { openDatabase, type Database, type DatabaseOptions } from '../../src/database/index.ts';
import { onServer, urlOf } from './template.ts';

const template = process.env.TEST_TEMPLATE ?? '';

/**
 * Opens a migrated, empty database that nobody else has: embedded, in memory, or on the PostgreSQL server that
 * `TEST_DATABASE_URL` names. Closing it deletes it.
 *
 *     const database = await testDatabase();
 *     afterAll(() => database.close());
 */
export async function testDatabase(options: DatabaseOptions = {}): Promise<Database> {
  if (!process.env.TEST_DATABASE_URL) {
    return overPGlite(await PGlite.create('memory://', { loadDataDir: await openAsBlob(template) }), options);
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

/**
 * Makes a database on the server that `TEST_DATABASE_URL` names.
 *
 * @param from the database that it starts as a copy of; an empty one unless given
 */
export async function testDatabaseUrl(from = 'template1'): Promise<{ url: string; drop: () => Promise<unknown> }> {
  const name = `${template}_${randomUUID().slice(0, 8)}`;
  await onServer(`CREATE DATABASE "${name}" TEMPLATE "${from}"`);
  return { url: urlOf(name), drop: () => onServer(`DROP DATABASE "${name}" WITH (FORCE)`) };
}
