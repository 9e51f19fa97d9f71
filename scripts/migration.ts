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
  await writeFile(join(folder, 'migration.sql'), sql);
  console.log(`Wrote ${join(folder, 'migration.sql')}: read it before you commit it.`);
}
process.exit(); // the schema engine leaves a timer running
