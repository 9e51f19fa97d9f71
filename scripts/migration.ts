// Writes the next migration: the difference between prisma/migrations and prisma/schema, with the log of new tables,
// the constraints of their external ids and the indexes for the searches of resources.
//   npm run migration -- add_leases
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Database, openDatabase } from '../src/database/index.ts';
import { diff, migrate } from '../src/database/migrate.ts';
import { findSearchIndexes, neededSearchIndexes } from './search-indexes.ts';

const name = process.argv[2];
if (!name || !/^[a-z0-9_]+$/.test(name)) {
  console.error('A name in lower case is required: npm run migration -- add_leases');
  process.exit(1);
}

/** Logs the changes of new tables that have rows of companies. */
const withLog = (sql: string): string => {
  const tables = [...sql.matchAll(/^CREATE TABLE "(\w+)" \(\n\s+"company_id" UUID NOT NULL,\n\s+"id" UUID/gm)];
  return sql + tables.map(([, table]) => `\n-- Changes\nSELECT log_changes_of('${table}');\n`).join('');
};

/** Adds the constraints of external ids to new tables that have them. */
const withExternalIds = (sql: string): string => {
  const created = [...sql.matchAll(/^CREATE TABLE "(\w+)" \(\n([^]*?)^\);/gm)];
  const tables = created.flatMap(([, table, columns = '']) => (columns.includes('"external_id"') ? [table] : []));
  return sql + tables.map((table) => `\n-- External ids\nSELECT external_ids_of('${table}');\n`).join('');
};

/** Creates the indexes for searches that the migrations so far do not. */
async function withSearchIndexes(sql: string, migrated: Database): Promise<string> {
  const existing = await findSearchIndexes(migrated);
  const missing = Object.entries(neededSearchIndexes()).filter(
    ([table, columns]) => !isDeepStrictEqual(existing[table], columns),
  );
  const call = (names: readonly string[]) => `SELECT index_search_of(${names.map((name) => `'${name}'`).join(', ')});`;
  return sql + missing.map(([table, columns]) => `\n-- Search\n${call([table, ...columns])}\n`).join('');
}

const database = await openDatabase({ dataDir: 'memory://' });
await migrate(database);
const sql = await withSearchIndexes(withExternalIds(withLog((await diff(database)) ?? '')), database);
await database.close();

if (sql === '') {
  console.log('The migrations are up to date with prisma/schema.');
} else {
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = join(import.meta.dirname, '..', 'prisma', 'migrations', `${time}_${name}`);
  await mkdir(folder);
  await writeFile(join(folder, 'migration.sql'), sql);
  console.log(`Wrote ${join(folder, 'migration.sql')}: read it before you commit it.`);
}
process.exit(); // the schema engine leaves a timer running
