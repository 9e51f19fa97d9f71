// What follows from jobs that are given up.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Jobs } from '../src/background/jobs.ts';
import { addJob, defineJob, GiveUp } from '../src/jobs/index.ts';
import { noMailer } from '../src/mail/index.ts';
import { api } from '../src/schema/index.ts';
import { type Service, startService } from './support/service.ts';

let service: Service;
let companyId: string;
let instance: Jobs | undefined;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  companyId = (await service.tenant()).company.id;
});
afterEach(async () => {
  await instance?.close();
  await service.database.prisma.job.deleteMany();
});
afterAll(() => service.close());

const sql = (text: string, ...values: unknown[]) => service.database.query({ text, values });

/** Adds a job that is followed by a new paint, and runs it. */
async function start({ run = async () => {}, follow = () => {}, attempts = 0 }: Partial<Followed>) {
  const { database } = service;
  const definition = defineJob<{ readonly name: string }>({
    kind: 'test',
    pauses: [10, 100],
    run: (_, { id }) => run(id),
    async onGivenUp({ name }, given) {
      await given.database.prisma.paint.create({ data: { companyId: given.companyId, name } });
      follow();
    },
  });
  instance = new Jobs({ database, api, mailer: noMailer, log: { warn: () => {} } }, [definition]);
  const id = await addJob(database.prisma, definition, { companyId, payload: { name: 'given up' } });
  if (attempts > 0)
    await sql('UPDATE jobs SET attempts = $1, lease_id = gen_random_uuid() WHERE id = $2', attempts, id);
  await instance.runAll();
}

interface Followed {
  readonly run: (id: string) => Promise<void>;
  readonly follow: () => void;
  readonly attempts: number;
}

/** The states of all jobs, and the names of all paints. */
const found = async () => {
  const { prisma } = service.database;
  const [jobs, paints] = [await prisma.job.findMany(), await prisma.paint.findMany({ where: { companyId } })];
  return { states: jobs.map(({ state }) => state), paints: paints.map(({ name }) => name) };
};

test.each([
  ['has failed in all attempts', { run: () => Promise.reject(new Error('no')), attempts: 2 }],
  ['gives up', { run: () => Promise.reject(new GiveUp('The file is gone.')) }],
])('it follows from one that %s', async (_, options) => {
  await start(options);
  expect(await found()).toEqual({ states: ['failed'], paints: ['given up'] });
});

test('it follows from one whose instance has died in the last attempt, once it can be committed with its end', async () => {
  let isBroken = true;
  const follow = () => {
    if (isBroken) throw new Error('The database is gone.');
  };
  await start({ run: () => Promise.reject(new Error('It runs no more.')), follow, attempts: 3 });
  expect(await found()).toEqual({ states: ['pending'], paints: [] });
  isBroken = false;
  await sql(`UPDATE jobs SET next_at = next_at - interval '61 s'`);
  await instance?.runAll();
  expect(await found()).toEqual({ states: ['failed'], paints: ['given up'] });
});

test('nothing follows from one that succeeds', async () => {
  await start({ attempts: 2 });
  expect(await found()).toEqual({ states: ['succeeded'], paints: [] });
});

test('nothing follows from one that another instance has taken', async () => {
  await start({
    async run(id) {
      await sql('UPDATE jobs SET lease_id = gen_random_uuid() WHERE id = $1', id);
      throw new GiveUp('The file is gone.');
    },
  });
  expect(await found()).toEqual({ states: ['pending'], paints: [] });
});
