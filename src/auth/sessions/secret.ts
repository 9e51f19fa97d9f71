import { randomBytes } from 'node:crypto';
import type { Database } from '../../database/index.ts';

/** What signs cookies, made by the first process that asks and the same for all that share the database. */
export async function sharedSecret(database: Database, name = 'cookies'): Promise<string> {
  const made = randomBytes(32).toString('base64url');
  const known = async () => {
    const { rows } = await database.query({ text: 'SELECT value FROM secrets WHERE name = $1', values: [name] });
    return rows[0]?.['value'] as string | undefined;
  };
  const found = await known();
  if (found !== undefined) return found;
  await database.query({
    text: 'INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
    values: [name, made],
  });
  return (await known()) ?? made;
}
