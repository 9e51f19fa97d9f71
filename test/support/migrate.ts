// Migrates the database at the given address, and prints the names of the applied migrations.
import { openDatabase } from '../../src/database/index.ts';
import { migrate } from '../../src/database/migrate.ts';

const database = await openDatabase({ databaseUrl: process.argv[2], dataDir: '' });
console.log(JSON.stringify(await migrate(database)));
await database.close();
process.exit(); // the schema engine leaves a timer running
