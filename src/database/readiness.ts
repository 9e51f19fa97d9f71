import type { Database } from './database.ts';

/** Creates the check whether the database answers. Whoever asks while it runs shares it, so that it takes one connection. */
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
