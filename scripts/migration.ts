// Writes the next migration: the difference between prisma/migrations and prisma/schema.
//   npm run migration -- add_leases
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../src/database/index.ts';
import { diff, migrate } from '../src/database/migrate.ts';

const name = process.argv[2];
if (!name || !/^[a-z0-9_]+$/.test(name)) {
  console.error('A name in lower case is required: npm run migration -- add_leases');
  process.exit(1);
}

/** Leaves out the indexes for searches where the database lacks the extension that they need. */
const whereSupported = (sql: string): string =>
  sql.replace(
    /^CREATE INDEX .*gin_trgm_ops.*;$/gm,
    (statement) => `DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN
    ${statement}
  END IF;
END $$;`,
  );

/** Logs the changes of new tables that have rows of companies. */
const withLog = (sql: string): string => {
  const tables = [...sql.matchAll(/^CREATE TABLE "(\w+)" \(\n\s+"company_id" UUID NOT NULL,\n\s+"id" UUID/gm)];
  return sql + tables.map(([, table]) => `\n-- Changes\nSELECT log_changes_of('${table}');\n`).join('');
};

const database = await openDatabase({ dataDir: 'memory://' });
await migrate(database);
const sql = await diff(database);
await database.close();

if (sql === undefined) {
  console.log('The migrations are up to date with prisma/schema.');
} else {
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const folder = join(import.meta.dirname, '..', 'prisma', 'migrations', `${time}_${name}`);
  await mkdir(folder);
  await writeFile(join(folder, 'migration.sql'), withLog(whereSupported(sql)));
  console.log(`Wrote ${join(folder, 'migration.sql')}: read it before you commit it.`);
}
process.exit(); // the schema engine leaves a timer running
