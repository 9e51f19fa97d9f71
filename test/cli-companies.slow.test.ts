import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CommandLine } from './support/command-line.ts';
import { unzip } from './support/unzip.ts';

let commands: CommandLine;
beforeAll(async () => {
  commands = await CommandLine.create();
});
afterAll(() => commands.remove());

test('exports and deletes companies', async () => {
  for (const slug of ['acme', 'gone']) await commands.run('company', 'create', '--slug', slug, '--name', slug);
  // A double does not hold the payment.
  const monthlyPayment = '549755813888.0003';
  const ended = { name: 'Old office', status: 'ACTIVE', endDate: new Date('2020-12-31'), monthlyPayment } as const;
  await commands.look(async ({ prisma }) => {
    const { id: companyId } = await prisma.company.findFirstOrThrow({ where: { slug: 'gone' } });
    await prisma.lease.create({ data: { ...ended, companyId } });
  });
  const folder = await mkdtemp(join(tmpdir(), 'premises-test-'));
  const file = join(folder, 'gone.zip');
  expect(await commands.run('company', 'export', '--company', ' Gone', '--file', file)).toMatchObject({
    code: 0,
    err: '',
  });
  const { mode, size } = await stat(file);
  expect({ mode: mode & 0o777, isEmpty: size === 0 }).toEqual({ mode: 0o600, isEmpty: false });
  const files = await unzip(await readFile(file));
  expect(files['leases.ndjson']).toContain(`"monthly_payment":${monthlyPayment},`);
  // What is exported is as of today, although the service has not run since the lease ended.
  await commands.look(async ({ prisma }) => {
    expect(await prisma.lease.findMany({ where: { name: 'Old office' } })).toMatchObject([{ status: 'EXPIRED' }]);
  });
  // It overwrites nothing.
  expect(await commands.run('company', 'export', '--company', 'gone', '--file', file)).toMatchObject({ code: 1 });
  // An import beside it takes another slug.
  expect(await commands.run('company', 'import', file)).toMatchObject({
    code: 1,
    err: 'error: A company with the slug "gone" already exists; choose another one with --slug\n',
  });
  expect(await commands.run('company', 'import', folder)).toMatchObject({ code: 1, out: '' });
  const again = await commands.run('company', 'import', file, '--slug', ' Back');
  expect({ ...again, last: undefined }).toEqual({
    code: 0,
    err: '',
    out: expect.stringMatching(
      /^Imported company gone \(back, [\da-f-]{36}\): \d+ rows, 0 users, of whom 0 were known\.\nIts sandbox back-sandbox /,
    ),
    last: undefined,
  });
  await commands.look(async ({ prisma }) => {
    const { id: companyId } = await prisma.company.findFirstOrThrow({ where: { slug: 'back' } });
    const leases = await prisma.lease.findMany({ where: { companyId } });
    expect(leases.map((lease) => [lease.name, String(lease.monthlyPayment)])).toEqual([['Old office', monthlyPayment]]);
  });
  await rm(folder, { recursive: true });
  const remove = (confirm: string) => commands.run('company', 'delete', '--company', 'gone', '--confirm', confirm);
  expect(await remove('acme')).toMatchObject({ code: 1, err: expect.stringContaining('--confirm must be gone') });
  expect(await remove('GONE ')).toMatchObject({ code: 0, err: '', out: 'Deleted gone.\n' });
  await commands.look(async ({ prisma }) => {
    expect(await prisma.company.count({ where: { slug: { startsWith: 'gone' } } })).toBe(0);
    expect(await prisma.company.count({ where: { slug: 'acme' } })).toBe(1);
  });
});
