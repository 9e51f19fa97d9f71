import { randomBytes } from 'node:crypto';
import type { Database } from '../../database/index.ts';

/** Loads a secret shared by all processes on the same database, and creates it on first use. */
export async function loadSecret(database: Database, name: string): Promise<string> {
  const select = async () => {
    const { rows } = await database.query({ text: 'SELECT value FROM secrets WHERE name = $1', values: [name] });
    // The column is required text.
    return rows[0]?.['value'] as string | undefined;
  };
  const existing = await select();
  if (existing !== undefined) return existing;
  const created = randomBytes(32).toString('base64url');
  await database.query({
    text: 'INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
    values: [name, created],
  });
  // Another process may have been first.
  return (await select()) ?? created;
}
