// Makes the files of an empty embedded database with all tables, which a first start copies:
// node <this, compiled> <folder>
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openDatabase } from '../src/database/index.ts';
import { migrate } from '../src/database/migrate.ts';

const [, , folder = ''] = process.argv;
// Next to it, as files are not renamed to another disk.
const dataDir = mkdtempSync(join(dirname(folder), 'making-'));
const database = await openDatabase({ databaseUrl: undefined, dataDir });
await migrate(database);
// Each copy begins a log of changes of its own.
await database.query({ text: 'DELETE FROM change_logs' });
await database.close();
renameSync(join(dataDir, 'pglite'), folder);
rmSync(dataDir, { recursive: true });
process.exit(0); // the schema engine leaves a timer running
