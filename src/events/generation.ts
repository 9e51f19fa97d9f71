import { randomUUID } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../database/index.ts';

/**
 * Identifies the folder of the embedded database by a file: a copy of the folder contains another file, and overwriting
 * the file changes it.
 */
async function identifyFolder(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found ? `${found.ino} ${found.ctimeNs}` : 'new';
}

/**
 * Begins another generation of the log if the database was restored, or another server took over. Its transactions
 * follow all earlier ones, whatever numbers the server gives them. Positions of earlier generations are refused where
 * they follow the last change that this one inherited. Each write does the same for its own transaction; this is for
 * those that read first.
 *
 * @param dataDir the folder of the embedded database
 * @returns whether it began one
 */
export async function beginGeneration({ query }: Pick<Database, 'query'>, dataDir?: string): Promise<boolean> {
  if (dataDir === undefined) {
    const { rows } = await query({ text: begin });
    return beginsAnother(rows[0]);
  }
  const file = join(dataDir, 'identity');
  const values = [await identifyFolder(file)];
  const { rows } = await query({ text: `SELECT begin_change_log($1) AS begins, ${hasLog}`, values });
  // Written at each start, so that a tool that restores only changed files restores this one too.
  await writeFile(file, randomUUID());
  await query({
    text: `UPDATE change_logs SET identity = concat(change_log_identity(), ' ', $1::text)
      WHERE generation = (SELECT max(generation) FROM change_logs)`,
    values: [await identifyFolder(file)],
  });
  return beginsAnother(rows[0]);
}

/** The database that the build prepares has no generation, so that each copy of it begins with one of its own. */
const hasLog = 'EXISTS (SELECT FROM change_logs) AS "hasLog"';
const begin = `SELECT begin_change_log() AS begins, ${hasLog}`;
const beginsAnother = (row: Readonly<Record<string, unknown>> | undefined) =>
  row?.['begins'] === true && row['hasLog'] === true;

/**
 * Looks again on each connection that is opened from now on, before its first use: the server that it leads to may be
 * another one than before.
 *
 * @param onBegin called when that began another generation
 */
export function watchGeneration({ onConnect }: Pick<Database, 'onConnect'>, onBegin: () => void): void {
  onConnect?.(async (query) => {
    const [found] = await query(begin);
    if (beginsAnother(found)) onBegin();
  });
}
