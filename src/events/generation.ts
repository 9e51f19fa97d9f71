import { randomUUID } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Prisma } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';

/**
 * What identifies the log: restoring a dump creates another table, recovery from an archive begins another timeline,
 * and each server has its own identifier.
 */
export const logIdentity = Prisma.sql`
  SELECT concat_ws(' ', system.system_identifier, checkpoint.timeline_id, 'changes'::regclass::oid)
  FROM pg_control_system() AS system, pg_control_checkpoint() AS checkpoint`;

/**
 * Identifies the folder of the embedded database by a file: a copy of the folder contains another file, and overwriting
 * the file changes it.
 */
async function identifyFolder(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found ? `${found.ino} ${found.ctimeNs}` : 'new';
}

/**
 * Begins another generation of the log if the database was restored since the last start. Its transactions follow all
 * earlier ones, whatever numbers the server gives them, and positions of earlier generations are refused.
 *
 * @param dataDir the folder of the embedded database
 * @returns whether it began one
 */
export async function beginGeneration({ prisma, transaction }: Database, dataDir?: string): Promise<boolean> {
  const file = dataDir === undefined ? undefined : join(dataDir, 'identity');
  const folder = file === undefined ? null : await identifyFolder(file);
  const begins = await transaction(async () => {
    const isKnown = Prisma.sql`
      SELECT (SELECT identity FROM change_logs ORDER BY generation DESC LIMIT 1) IN (
        -- The first was stored before there was one of the folder.
        (${logIdentity}), concat_ws(' ', (${logIdentity}), ${folder}::text)
      ) AS known`;
    const read = async () => (await prisma.$queryRaw<{ known: boolean | null }[]>(isKnown))[0]?.known === true;
    if (await read()) return false;
    // Waits for writes in flight. All that follow read the generation after they have locked the log themselves.
    await prisma.$executeRaw`LOCK TABLE changes IN EXCLUSIVE MODE`;
    if (await read()) return false;
    await prisma.$executeRaw`
      INSERT INTO change_logs (generation, identity)
      SELECT coalesce(max(generation) + 1, 0), (${logIdentity}) FROM change_logs`;
    return true;
  });
  if (file !== undefined) {
    // Written at each start, so that a tool that restores only changed files restores this one too.
    await writeFile(file, randomUUID());
    await prisma.$executeRaw`
      UPDATE change_logs SET identity = concat((${logIdentity}), ' ', ${await identifyFolder(file)}::text)
      WHERE generation = (SELECT max(generation) FROM change_logs)`;
  }
  return begins;
}
