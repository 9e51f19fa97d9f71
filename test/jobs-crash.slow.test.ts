// A job whose instance is killed while it works.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startScript } from './support/children.ts';
import { testDatabaseUrl } from './support/database.ts';
import type { InstanceReport } from './support/job-instance.ts';

/** On PostgreSQL two instances share one database; the embedded one supports one, which is started again. */
const shared = Boolean(process.env.TEST_DATABASE_URL);
/** As the kind of the jobs says. */
const leaseMs = 3000;

let place: string;
let clean: () => Promise<unknown>;
const children: ChildProcess[] = [];
beforeAll(async () => {
  if (shared) {
    const { url, drop } = await testDatabaseUrl();
    [place, clean] = [url, drop];
  } else {
    const folder = await mkdtemp(join(tmpdir(), 'premises-jobs-'));
    [place, clean] = [folder, () => rm(folder, { recursive: true })];
  }
});
afterAll(async () => {
  await Promise.all(children.map(kill));
  await clean();
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Starts an instance. @returns it, and what it has told so far */
function startInstance(...args: string[]) {
  const child = startScript('job-instance.ts', place, ...args);
  children.push(child);
  const told: InstanceReport[] = [];
  child.on('message', (report: InstanceReport) => told.push(report));
  const tells = async <Is extends InstanceReport['is']>(is: Is) => {
    for (;;) {
      const found = told.find((report): report is InstanceReport & { is: Is } => report.is === is);
      if (found) return found;
      if (child.exitCode !== null) throw new Error(`The instance ended with ${child.exitCode}.`);
      await sleep(20);
    }
  };
  /** What is stored now. */
  const stored = async () => {
    child.send('tell');
    const found = await tells('stored');
    told.splice(told.indexOf(found), 1);
    return found;
  };
  return { child, told, tells, stored };
}

test('a job of a killed instance is taken by another after its lease, goes on and ends once', async () => {
  const first = startInstance('first');
  await first.tells('stuck');
  const other = shared ? startInstance() : undefined;
  if (other) {
    await other.tells('ready');
    // The first instance renews its lease while it works.
    await sleep(2 * leaseMs);
    expect(other.told).toEqual([{ is: 'ready' }]);
  }
  const killedAt = Date.now();
  await kill(first.child);

  const survivor = other ?? startInstance();
  expect(await survivor.tells('running')).toEqual({ is: 'running', attempt: 2, progress: { count: 2 } });
  // At the earliest, the lease was renewed for the last time a third of it before; at the latest, the queue looks
  // each second, and the machine is busy.
  const waitedMs = Date.now() - killedAt;
  if (shared) expect(waitedMs).toBeGreaterThan((leaseMs * 2) / 3 - 500);
  expect(waitedMs).toBeLessThan(leaseMs + 30_000);

  const deadline = Date.now() + 30_000;
  let found = await survivor.stored();
  while (found.jobs[0]?.state === 'pending' && Date.now() < deadline) {
    await sleep(100);
    found = await survivor.stored();
  }
  // Nobody takes it again.
  await sleep(2 * leaseMs);
  expect(await survivor.stored()).toEqual({
    is: 'stored',
    jobs: [{ state: 'succeeded', attempts: 2, progress: { count: 5 } }],
    paints: [
      'Paint 1 of attempt 1',
      'Paint 2 of attempt 1',
      'Paint 3 of attempt 2',
      'Paint 4 of attempt 2',
      'Paint 5 of attempt 2',
    ],
  });
  expect(survivor.told.filter(({ is }) => is === 'running')).toHaveLength(1);
});
