// Brings the configured database up to date and ends; `openMigrated` runs it as a process of its own.
import { readConfig } from './config.ts';
import { openDatabase } from './database/index.ts';
import { migrate } from './database/migrate.ts';

try {
  const database = await openDatabase(readConfig());
  try {
    process.send?.(await migrate(database));
  } finally {
    await database.close();
  }
  process.disconnect?.();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
