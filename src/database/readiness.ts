import type { Database } from './database.ts';

/** Creates the readiness check of the database. Concurrent checks share one statement, and so one connection. */
export function createReadinessCheck(database: Database): () => Promise<void> {
  let running: Promise<void> | undefined;
  const check = async () => {
    await database.query({ text: 'SELECT 1' });
  };
  return () => {
    running ??= check().finally(() => (running = undefined));
    return running;
  };
}
