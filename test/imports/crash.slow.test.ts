// An import whose instance is killed at random moments, again and again.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { startScript } from '../support/children.ts';
import { testDatabaseUrl } from '../support/database.ts';
import type { ImportReport } from '../support/import-instance.ts';

/** How many rows the file has, and how often its instance is killed while it writes them. */
const [rowCount, kills] = [8000, 3];

/** Runs instances until one tells that the import has ended; the first `kills` of them are killed after a while. */
async function untilItEnds(kills: number, ...attempts: string[]) {
  const isEmbedded = !process.env.TEST_DATABASE_URL;
  const folder = await mkdtemp(join(tmpdir(), 'premises-import-'));
  const { url, drop } = isEmbedded ? { url: folder, drop: async () => {} } : await testDatabaseUrl();
  try {
    let ended: (ImportReport & { is: 'ended' }) | undefined;
    const progress: number[] = [];
    for (let attempt = 0; !ended; attempt++) {
      const child = startScript('import-instance.ts', url, ...(attempt === 0 ? [String(rowCount), ...attempts] : []));
      const gone = once(child, 'exit');
      const begun = new Promise<void>((resolve) => {
        child.on('message', (report: ImportReport) => {
          if (report.is === 'going') progress.push(report.done);
          else ended = report;
          resolve();
        });
      });
      await Promise.race([begun, gone]);
      if (attempt < kills) await sleep(Math.random() * 700);
      while (attempt >= kills && !ended && child.exitCode === null && child.signalCode === null) await sleep(50);
      child.kill('SIGKILL');
      await gone;
      if (attempt > kills && !ended) throw new Error('The import did not end.');
    }
    return { ended, progress };
  } finally {
    await drop();
    await rm(folder, { recursive: true });
  }
}

test('rows are neither lost nor doubled, however often the instance is killed', async () => {
  const { ended, progress } = await untilItEnds(kills);
  expect(ended).toMatchObject({ status: 'IMPORTED', created: rowCount });
  expect(ended.names.toSorted()).toEqual(Array.from({ length: rowCount }, (_, n) => `Vendor ${n}`).toSorted());
  // It went on, rather than from the beginning.
  expect(progress.toSorted((one, other) => one - other)).toEqual(progress);
});

test('it has failed when the instance of its last attempt is killed', async () => {
  const { ended } = await untilItEnds(1, '5');
  expect(ended.status).toBe('FAILED');
  expect(ended.error).toMatchObject({ message: expect.stringMatching(/to go on where it was\.$|checked again\.$/) });
  // Pages that were written stay.
  expect(ended.names).toHaveLength(ended.created);
});
