import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { createReadinessCheck, openDatabase, runFor } from '../src/database/index.ts';
import { migrate } from '../src/database/migrate.ts';
import { publicError } from '../src/errors.ts';

const folder = await mkdtemp(join(tmpdir(), 'premises-test-'));
afterAll(() => rm(folder, { recursive: true }));

test('a statement that does not end stalls neither the process nor /readyz, and is ended after ten seconds', async () => {
  const database = await openDatabase({ dataDir: join(folder, 'data') });
  await migrate(database);
  const { prisma } = database;
  await prisma.company.create({ data: { name: 'Acme', slug: 'acme' } });
  const checkReadiness = await createReadinessCheck(database);
  await checkReadiness();

  const start = performance.now();
  let longestStall = 0;
  let last = start;
  const watch = setInterval(() => {
    longestStall = Math.max(longestStall, performance.now() - last);
    last = performance.now();
  }, 10);
  const endless = runFor({ company: 'acme', caller: 'token' }, () =>
    database.transaction(async () => {
      await prisma.company.create({ data: { name: 'Other', slug: 'other' } });
      await prisma.$queryRaw`SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b`;
    }),
  ).catch((error: unknown) => error);
  for (let n = 0; n < 3; n++) {
    await setTimeout(1000);
    const asked = performance.now();
    await checkReadiness();
    expect(performance.now() - asked).toBeLessThan(1000);
  }
  expect(publicError(await endless)).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('too long'),
  });
  expect(performance.now() - start).toBeLessThan(20_000);
  clearInterval(watch);
  expect(longestStall).toBeLessThan(1000);
  // What was committed is still there, and nothing else.
  expect(await prisma.company.count()).toBe(1);
  await checkReadiness();
  await database.close();
});

test('a restart ends no transaction, keeps committed rows, and makes statements wait', async () => {
  const database = await openDatabase({ dataDir: join(folder, 'again') });
  await migrate(database);
  const { prisma } = database;
  const written = database.transaction(async () => {
    await prisma.company.create({ data: { name: 'Acme', slug: 'acme' } });
    await setTimeout(500);
    await prisma.company.create({ data: { name: 'Other', slug: 'other' } });
  });
  await setTimeout(100);
  const restarted = database.restart?.();
  const counted = prisma.company.count();
  await Promise.all([written, restarted]);
  expect(restarted).toBeDefined();
  expect(await counted).toBe(2);
  await database.close();
});
