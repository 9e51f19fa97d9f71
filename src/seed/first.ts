import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database/index.ts';
import { createDemoAccess, createDemoRows, type DemoAccess, demoCreation } from './index.ts';

/**
 * The name of a row that is created with the demo, and deleted when its sign-in was shown. Whoever holds it creates and
 * shows the sign-in; it is not the database's own lock, because the sign-in is committed before it is shown.
 */
const name = 'first sign-in';

/** How long an instance that has created a sign-in has to show it, before another one creates another. */
const showSeconds = 5;

/** How long (ms) to wait for another instance before looking again at what it has done. */
const pauseMs = 250;

/** What a start does with the demo and its sign-in. */
interface FirstDemoSteps {
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
  /** Called before the demo is created. */
  onCreate(): void;
  /** Called when it is, before there is a sign-in. */
  onCreated(): Promise<void>;
  /** Shows the sign-in, which nobody else knows; resolves when it was shown. */
  show(access: DemoAccess): Promise<void>;
}

/**
 * Creates the demo in a database without companies, in one transaction, and a sign-in to it. Completes what an earlier
 * start has begun that was killed; of instances that start at once, one does it.
 *
 * @returns whether the sign-in was shown
 * @throws the signal's reason when the service stops meanwhile
 */
export async function createFirstDemo(database: Database, steps: FirstDemoSteps): Promise<boolean> {
  let created = await createOnce(database, steps);
  while (created === undefined) {
    await sleep(pauseMs, undefined, steps);
    created = await createOnce(database, steps);
  }
  if (created) await steps.onCreated();
  const { leaderLock } = database.prisma;
  while ((await leaderLock.count({ where: { name } })) > 0) {
    steps.signal.throwIfAborted();
    const access = await createAccessOnce(database);
    if (access) {
      await steps.show(access);
      await leaderLock.deleteMany({ where: { name } });
      return true;
    }
    await sleep(pauseMs, undefined, steps);
  }
  return false;
}

/** @returns whether it has created the demo; undefined while another instance does */
function createOnce(database: Database, { onCreate, signal }: FirstDemoSteps): Promise<boolean | undefined> {
  const { prisma, transaction } = database;
  const work = async () => {
    // It ends with the transaction, also that of an instance that was killed.
    const [lock] = await prisma.$queryRaw<{ free: boolean }[]>`
      SELECT pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) AS free`;
    if (!lock?.free) return undefined;
    if ((await prisma.company.count()) > 0) return false;
    onCreate();
    await createDemoRows(database, signal);
    await prisma.leaderLock.create({ data: { name, holder: randomUUID(), until: new Date(0) } });
    return true;
  };
  return transaction(work, demoCreation);
}

/** @returns a sign-in; undefined when another instance has shown one, or is about to */
function createAccessOnce(database: Database): Promise<DemoAccess | undefined> {
  const { prisma, transaction } = database;
  return transaction(async () => {
    const claimed = await prisma.$executeRaw`
      UPDATE duties SET holder = gen_random_uuid(), until = now() + make_interval(secs => ${showSeconds})
      WHERE name = (SELECT name FROM duties WHERE name = ${name} AND until < now() FOR UPDATE SKIP LOCKED)`;
    if (claimed === 0) return undefined;
    const access = await createDemoAccess(database, { newPassword: true });
    // Somebody has deleted the company meanwhile.
    if (!access) await prisma.leaderLock.deleteMany({ where: { name } });
    return access;
  });
}
