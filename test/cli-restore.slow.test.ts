import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Actor } from '../src/database/index.ts';
import { runAs } from '../src/database/index.ts';
import { CommandLine } from './support/command-line.ts';

let commands: CommandLine;
beforeAll(async () => {
  commands = await CommandLine.create();
});
afterAll(() => commands.remove());

test('restores what somebody deleted, and lists what conflicts', async () => {
  await commands.run('company', 'create', '--slug', 'acme', '--name', 'Acme');
  const people = ['ada@acme.test', 'ben@acme.test'];
  for (const email of people)
    await commands.run('user', 'create', '--company', 'acme', '--email', email, '--name', email, '--role', 'admin');
  const since = new Date(Date.now() - 1000).toISOString();
  await commands.look(async ({ prisma, transaction }) => {
    const { id: companyId } = await prisma.company.findFirstOrThrow({ where: { slug: 'acme' } });
    const users = await prisma.user.findMany({ where: { companyId }, orderBy: { email: 'asc' } });
    const building = await prisma.building.create({ data: { companyId, name: 'North' } });
    const desk = await prisma.desk.create({ data: { companyId, buildingId: building.id } });
    const checklist = await prisma.checklist.create({ data: { companyId, name: 'Morning' } });
    await prisma.checklistTask.create({ data: { companyId, checklistId: checklist.id, title: 'Unlock', order: 1 } });
    const vendor = await prisma.vendor.create({ data: { companyId, companyName: 'Acme' } });
    const invoice = { companyId, invoiceNumber: 'R-1', vendorId: vendor.id };
    const { id } = await prisma.invoice.create({ data: invoice });
    const paint = await prisma.paint.create({ data: { companyId, name: 'Grey' } });
    const actors = users.map((user): Actor => ({ kind: 'session', id: user.id, user_id: user.id }));
    const as = (n: number, work: () => Promise<unknown>) =>
      runAs(actors[n] ?? { kind: 'clock' }, () => transaction(work));
    const keyOf = (row: { id: string }) => ({ where: { companyId_id: { companyId, id: row.id } } });
    await as(0, () => prisma.desk.delete(keyOf(desk)));
    await as(0, () => prisma.building.delete(keyOf(building)));
    await as(0, () => prisma.checklist.delete(keyOf(checklist)));
    await as(0, () => prisma.invoice.delete(keyOf({ id })));
    await as(1, () => prisma.paint.delete(keyOf(paint)));
    await prisma.invoice.create({ data: invoice });
  });
  const restore = (...options: string[]) => commands.run('restore', '--company', 'acme', '--since', since, ...options);
  expect(await restore('--actor', 'ada@acme.test')).toMatchObject({
    code: 1,
    err: 'error: begin with --dry-run, and restore with --yes\n',
  });
  expect(await restore('--actor', 'eve@acme.test', '--dry-run')).toMatchObject({ code: 1 });
  const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
  const lines = (verb: string, end: string) =>
    new RegExp(
      [
        `^conflict\t${time}\tWhat it had to itself is taken meanwhile\\. .*invoiceNumber is taken.*`,
        `${verb}\t${time}\t(checklists 1, checklist_tasks 1|checklist_tasks 1, checklists 1)`,
        `${verb}\t${time}\tbuildings 1`,
        `${verb}\t${time}\tdesks 1`,
        `${end}\n$`,
      ].join('\n'),
    );
  const tried = await restore('--actor', 'Ada@acme.test', '--dry-run');
  expect(tried.out).toMatch(lines('would restore', 'Would restore 4 rows; 1 deletions would conflict\\.'));
  expect(tried.code).toBe(1);
  const done = await restore('--actor', 'ada@acme.test', '--yes');
  expect(done.out).toMatch(lines('restored', 'Restored 4 rows; 1 deletions conflicted\\.'));
  expect(done.code).toBe(1);
  await commands.look(async ({ prisma }) => {
    const count = [prisma.desk.count(), prisma.building.count(), prisma.checklistTask.count(), prisma.paint.count()];
    expect(await Promise.all(count)).toEqual([1, 1, 1, 0]);
  });
  expect(await restore('--actor', 'ben@acme.test', '--yes')).toMatchObject({ code: 0, err: '' });
  await commands.look(async ({ prisma }) => {
    expect(await prisma.paint.count()).toBe(1);
    // The tries have recorded nothing.
    const events = await prisma.securityEvent.findMany({
      where: { action: { in: ['restore_started', 'rows_restored'] } },
    });
    const { id: companyId } = await prisma.company.findFirstOrThrow({ where: { slug: 'acme' } });
    const users = await prisma.user.findMany({ where: { companyId }, orderBy: { email: 'asc' } });
    const details = { since, live: true };
    expect(
      events.map(({ action, companyId, actorId, personId, details }) => ({
        action,
        companyId,
        actorId,
        personId,
        details,
      })),
    ).toEqual(
      [
        { rows: 4, conflicts: 1 },
        { rows: 1, conflicts: 0 },
      ].flatMap((counts, n) => {
        const common = { companyId, actorId: null, personId: users[n]?.id };
        return [
          { ...common, action: 'restore_started', details },
          { ...common, action: 'rows_restored', details: { ...details, ...counts } },
        ];
      }),
    );
  });
});

test('restores in a sandbox what was deleted there, and nothing of the company', async () => {
  const since = new Date(Date.now() - 1000).toISOString();
  const { sandbox, company } = await commands.look(async ({ prisma, transaction }) => {
    const company = await prisma.company.findFirstOrThrow({ where: { slug: 'acme' } });
    const sandbox = await prisma.company.findFirstOrThrow({ where: { sandboxOfId: company.id } });
    for (const { id: companyId } of [company, sandbox]) {
      const user = await prisma.user.findFirstOrThrow({ where: { companyId, email: 'ben@acme.test' } });
      const { id } = await prisma.paint.create({ data: { companyId, name: 'Both' } });
      await runAs({ kind: 'session', id: user.id, user_id: user.id }, () =>
        transaction(() => prisma.paint.delete({ where: { companyId_id: { companyId, id } } })),
      );
    }
    return { company, sandbox };
  });
  const options = ['--company', sandbox.id, '--since', since, '--actor', 'ben@acme.test', '--yes'];
  expect(await commands.run('restore', ...options)).toMatchObject({
    code: 0,
    last: 'Restored 1 rows; 0 deletions conflicted.',
  });
  await commands.look(async ({ prisma }) => {
    const paints = await prisma.paint.findMany({ where: { name: 'Both' } });
    expect(paints.map(({ companyId }) => companyId)).toEqual([sandbox.id]);
    const event = await prisma.securityEvent.findFirst({ where: { action: 'rows_restored' }, orderBy: { id: 'desc' } });
    expect(event).toMatchObject({ companyId: company.id, details: { since, live: false, rows: 1, conflicts: 0 } });
  });
});
