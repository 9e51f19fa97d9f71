// Migrates the configured database and exits; `openMigrated` runs it as a separate process.
import { readConfig } from './config.ts';
import { openDatabase } from './database/index.ts';
import { migrate } from './database/migrate.ts';

try {
  const database = await openDatabase(readConfig());
  const applied = await migrate(database).finally(() => database.close());
  if (process.send) await new Promise((resolve) => process.send?.(applied, resolve));
  process.exit(0); // the schema engine leaves a timer running
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
