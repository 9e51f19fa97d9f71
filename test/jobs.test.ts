// Jobs: work of companies that runs later, with leases, attempts and pauses.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deleteCompany } from '../src/auth/company-deletion.ts';
import { commandLine } from '../src/auth/security-log.ts';
import { deleteOldRows } from '../src/background/cleanup.ts';
import { Jobs } from '../src/background/jobs.ts';
import { addJob, defineJob, GiveUp, type JobDefinition, type JobRun } from '../src/jobs/index.ts';
import { noMailer } from '../src/mail/index.ts';
import { api } from '../src/schema/index.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
let other: Tenant;
let instances: Jobs[] = [];
/** What failed, as the log of the service has it. */
let logged: unknown[] = [];
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  [tenant, other] = [await service.tenant(), await service.tenant()];
  logged = [];
});
afterEach(async () => {
  await Promise.all(instances.map((each) => each.close()));
  instances = [];
  await service.database.prisma.job.deleteMany();
});
afterAll(() => service.close());

/** What another instance has. */
function startInstance(...definitions: JobDefinition[]): Jobs {
  const log = { warn: (facts: unknown) => void logged.push(facts) };
  const jobs = new Jobs({ database: service.database, api, mailer: noMailer, log }, definitions);
  instances.push(jobs);
  return jobs;
}

const sql = async (text: string, ...values: unknown[]) => (await service.database.query({ text, values })).rows;

/** Does what the time does: everything is due so many seconds earlier. */
const pass = (seconds: number) => sql('UPDATE jobs SET next_at = next_at - make_interval(secs => $1)', seconds);

const find = async (id: string) =>
  (await service.database.prisma.job.findMany({ where: { id } })).map(({ state, attempts, error, progress }) => {
    return { state, attempts, error, progress };
  })[0];

const add = <Payload extends { readonly name: string }>(
  definition: JobDefinition<Payload>,
  payload: Payload,
  { company }: Tenant = tenant,
) => addJob(service.database.prisma, definition, { companyId: company.id, payload });

/** Jobs whose runs a test decides about. */
function recordRuns(run: (name: string, job: JobRun) => Promise<void> = async () => {}) {
  const runs: string[] = [];
  const definition = defineJob<{ readonly name: string }>({
    kind: 'test',
    pauses: [10, 100],
    async run({ name }, job) {
      runs.push(name);
      await run(name, job);
    },
  });
  return { runs, definition };
}

test('a job runs once, on one of two instances, when its transaction was committed and it is due', async () => {
  const { runs, definition } = recordRuns(() => sleep(20));
  const { prisma, transaction } = service.database;
  const rolledBack = transaction(async () => {
    await add(definition, { name: 'never' });
    throw new Error('It is rolled back.');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  const names = Array.from({ length: 20 }, (_, n) => `job ${n}`);
  const ids: string[] = [];
  for (const name of names) ids.push(await add(definition, { name }));
  const runAt = new Date(Date.now() + 60_000);
  const later = { companyId: tenant.company.id, payload: { name: 'later' }, runAt };
  ids.push(await addJob(prisma, definition, later));
  const [one, two] = [startInstance(definition), startInstance(definition)];
  await Promise.all([one.runAll(), two.runAll()]);
  expect(runs.toSorted()).toEqual(names.toSorted());
  await pass(61);
  await Promise.all([one.runAll(), two.runAll()]);
  expect(runs.slice(20)).toEqual(['later']);
  for (const id of ids) expect(await find(id)).toMatchObject({ state: 'succeeded', attempts: 1, error: null });
});

test('kinds with slots of their own neither wait for others nor keep them waiting', async () => {
  const runs: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const kindOf = (kind: string, waits: boolean, slots?: number) =>
    defineJob<{ readonly name: string }>({
      kind,
      pauses: [],
      ...(slots !== undefined && { slots }),
      async run({ name }) {
        runs.push(name);
        if (waits) await released;
      },
    });
  const [photos, texts, plain] = [kindOf('photos', true, 2), kindOf('texts', false, 2), kindOf('plain', false)];
  for (const { company } of [tenant, other])
    for (let n = 0; n < 20; n++)
      await addJob(service.database.prisma, photos, { companyId: company.id, payload: { name: 'photo' } });
  await add(texts, { name: 'text' });
  await add(plain, { name: 'import' });
  const instance = startInstance(photos, texts, plain);
  const all = instance.runAll();
  while (!(runs.includes('text') && runs.includes('import'))) await sleep(10);
  // One of each company.
  expect(runs.filter((name) => name === 'photo')).toHaveLength(2);
  release();
  await all;
  expect(runs).toHaveLength(42);
});

describe('a job that fails', () => {
  test('runs again after its pauses, and fails after the last', async () => {
    const { runs, definition } = recordRuns(() => Promise.reject(new Error('a secret')));
    const id = await add(definition, { name: 'bad' });
    const instance = startInstance(definition);
    for (const [pause, expected] of [
      [0, 1],
      [9, 1],
      [2, 2],
      [98, 2],
      [3, 3],
      [100_000, 3],
    ] as const) {
      await pass(pause);
      await instance.runAll();
      expect([pause, runs.length]).toEqual([pause, expected]);
    }
    const found = await find(id);
    expect(found).toMatchObject({ state: 'failed', attempts: 3, error: expect.any(String) });
    // The log of the service has the error, and no export does.
    expect(found?.error).not.toContain('secret');
    expect(logged).toHaveLength(3);
  });

  test('does not run again where it says so', async () => {
    const { runs, definition } = recordRuns(() => Promise.reject(new GiveUp('The file is gone.')));
    const id = await add(definition, { name: 'bad' });
    const instance = startInstance(definition);
    await instance.runAll();
    await pass(1000);
    await instance.runAll();
    expect(runs).toHaveLength(1);
    expect(await find(id)).toMatchObject({ state: 'failed', error: 'The file is gone.' });
  });

  test('is over when an instance has died during its last attempt', async () => {
    const { runs, definition } = recordRuns();
    const id = await add(definition, { name: 'bad' });
    await sql('UPDATE jobs SET attempts = 3, lease_id = gen_random_uuid() WHERE id = $1', id);
    await startInstance(definition).runAll();
    expect(runs).toEqual([]);
    expect(await find(id)).toMatchObject({ state: 'failed' });
  });
});

test('a job whose lease has ended is taken by another instance, goes on where it was, and does nothing twice', async () => {
  const { database } = service;
  const lost: unknown[] = [];
  let stall: Promise<void> | undefined;
  let resume = () => {};
  /** Adds three paints, each in one transaction with the progress. */
  const { definition } = recordRuns(async (_, job) => {
    const reached = (job.progress as { count: number } | null)?.count ?? 0;
    for (let count = reached + 1; count <= 3; count++) {
      // The first attempt hangs before the second paint, as a process that is stopped does.
      if (count === 2 && job.attempt === 1) await (stall = new Promise((resolve) => (resume = resolve)));
      const added = database.transaction(async () => {
        const paint = { companyId: job.companyId, name: `Paint ${count} of attempt ${job.attempt}` };
        await database.prisma.paint.create({ data: paint });
        await job.setProgress({ count });
      });
      await added.catch((error: unknown) => {
        lost.push(error);
        throw error;
      });
    }
  });
  const id = await add(definition, { name: 'paints' });
  const first = startInstance(definition).runAll();
  while (!stall) await sleep(10);
  expect(await find(id)).toMatchObject({ state: 'pending', progress: { count: 1 } });
  const second = startInstance(definition);
  await second.runAll();
  expect(await find(id)).toMatchObject({ state: 'pending', attempts: 1 });
  await pass(61);
  await second.runAll();
  expect(await find(id)).toMatchObject({ state: 'succeeded', attempts: 2, progress: { count: 3 } });
  // The first one wakes up: what it adds is rolled back.
  resume();
  await first;
  expect(lost).toMatchObject([{ name: 'LeaseLost' }]);
  const names = await sql('SELECT name FROM paints WHERE company_id = $1 ORDER BY name', tenant.company.id);
  expect(names.map(({ name }) => name)).toEqual([
    'Paint 1 of attempt 1',
    'Paint 2 of attempt 2',
    'Paint 3 of attempt 2',
  ]);
  expect(await find(id)).toMatchObject({ state: 'succeeded', attempts: 2 });
});

test('a lease is renewed while its job runs, and one that was lost ends it', async () => {
  let signal: AbortSignal | undefined;
  const definition = defineJob({
    kind: 'long',
    pauses: [],
    leaseSeconds: 1,
    async run(_, job) {
      ({ signal } = job);
      await new Promise((resolve) => job.signal.addEventListener('abort', resolve));
    },
  });
  const id = await addJob(service.database.prisma, definition, { companyId: tenant.company.id, payload: {} });
  const [one, two] = [startInstance(definition), startInstance(definition)];
  const running = one.runAll();
  await sleep(2500);
  await two.runAll();
  expect(await find(id)).toMatchObject({ state: 'pending', attempts: 1 });
  expect(signal?.aborted).toBe(false);
  await sql('UPDATE jobs SET lease_id = gen_random_uuid() WHERE id = $1', id);
  await running;
  expect(signal?.reason).toMatchObject({ name: 'LeaseLost' });
});

test('a job of an instance that stops goes on at another one at once, as the same attempt', async () => {
  const { runs, definition } = recordRuns(async (_, { signal }) => {
    if (runs.length > 1) return;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    signal.throwIfAborted();
  });
  const id = await add(definition, { name: 'long' });
  const stopped = startInstance(definition);
  const running = stopped.runAll();
  while (runs.length === 0) await sleep(10);
  await stopped.close();
  await running;
  await startInstance(definition).runAll();
  expect(await find(id)).toMatchObject({ state: 'succeeded', attempts: 1 });
});

test('1,000 jobs of one company do not hold up one of another', async () => {
  const { runs, definition } = recordRuns();
  await sql(
    `INSERT INTO jobs (company_id, id, kind, payload) SELECT $1, gen_random_uuid(), 'test', '{"name": "many"}'
     FROM generate_series(1, 1000)`,
    tenant.company.id,
  );
  await add(definition, { name: 'one' }, other);
  await startInstance(definition).runAll();
  expect(runs).toHaveLength(1001);
  // The companies take turns.
  expect(runs.indexOf('one')).toBeLessThan(20);
});

test('jobs of a kind that an instance does not know wait for one that does', async () => {
  const { runs, definition } = recordRuns();
  const id = await add(definition, { name: 'new' });
  await startInstance().runAll();
  expect(await find(id)).toMatchObject({ state: 'pending', attempts: 0 });
  await startInstance(definition).runAll();
  expect(runs).toEqual(['new']);
});

test('a job runs as the user who created it, in the role that they have now, and in the sandbox as there', async () => {
  const callers: unknown[] = [];
  const { definition } = recordRuns(async (_, job) => {
    const context = await job.context();
    callers.push(context && [context.caller.companyId, context.caller.userId, context.caller.role]);
  });
  const [user] = tenant.users;
  const [sandbox] = await sql('SELECT id::text FROM companies WHERE sandbox_of_id = $1', tenant.company.id);
  const instance = startInstance(definition);
  const run = async (companyId: unknown) => {
    const job = { companyId: String(companyId), payload: { name: 'mine' }, createdBy: String(user?.id) };
    await addJob(service.database.prisma, definition, job);
    await instance.runAll();
  };
  await run(tenant.company.id);
  await sql(`UPDATE users SET role = 'member' WHERE company_id = $1 AND id = $2`, tenant.company.id, user?.id);
  await run(tenant.company.id);
  await run(sandbox?.['id']);
  await sql('UPDATE users SET deactivated_at = now() WHERE company_id = $1 AND id = $2', tenant.company.id, user?.id);
  await run(tenant.company.id);
  expect(callers).toEqual([
    [tenant.company.id, user?.id, 'ADMIN'],
    [tenant.company.id, user?.id, 'MEMBER'],
    [sandbox?.['id'], user?.id, 'ADMIN'],
    undefined,
  ]);
});

test('a company that is deleted takes its jobs along, also one that runs', async () => {
  const outcomes: unknown[] = [];
  let end = () => {};
  const { runs, definition } = recordRuns(async (_, job) => {
    await new Promise<void>((resolve) => (end = resolve));
    await job.setProgress({ count: 1 }).catch((error: Error) => {
      outcomes.push(error.name);
      throw error;
    });
  });
  await add(definition, { name: 'runs' });
  const running = startInstance(definition).runAll();
  while (runs.length === 0) await sleep(10);
  await deleteCompany(service.database, tenant.company.id, commandLine);
  end();
  await running;
  expect(outcomes).toEqual(['LeaseLost']);
  expect(await service.database.prisma.job.count()).toBe(0);
});

test('jobs are kept for 30 days after their end, and while they wait', async () => {
  const { definition } = recordRuns();
  const ids = [];
  for (const name of ['old', 'new', 'waiting']) ids.push(await add(definition, { name }));
  const age = `UPDATE jobs SET state = 'succeeded', finished_at = now() - make_interval(days => $2) WHERE id = $1`;
  await sql(age, ids[0], 31);
  await sql(age, ids[1], 29);
  await sql(`UPDATE jobs SET created_at = now() - interval '40 days'`);
  await deleteOldRows(service.database.prisma, 'jobs', 30, () => false);
  const left = await service.database.prisma.job.findMany({ select: { id: true } });
  expect(left.map(({ id }) => id).toSorted()).toEqual(ids.slice(1).toSorted());
});
