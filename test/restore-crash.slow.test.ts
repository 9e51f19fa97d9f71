// `admin restore` that is killed while it works, and on two instances at once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { type Database, runAs } from '../src/database/index.ts';
import { CommandLine, program } from './support/command-line.ts';

const created: CommandLine[] = [];
let commands: CommandLine;
let options: string[];
beforeEach(async () => {
  commands = await CommandLine.create();
  created.push(commands);
  await commands.run('company', 'create', '--slug', 'acme', '--name', 'Acme');
  const email = 'ada@acme.test';
  await commands.run('user', 'create', '--company', 'acme', '--email', email, '--name', 'Ada', '--role', 'admin');
  const since = new Date(Date.now() - 1000).toISOString();
  options = ['restore', '--company', 'acme', '--actor', email, '--since', since, '--yes'];
});
afterAll(() => Promise.all(created.map((each) => each.remove())));

/** Creates checklists of 20 tasks, each of which Ada deletes by itself. */
const deleteChecklists = (count: number) =>
  commands.look(async ({ prisma, transaction }) => {
    const { id: companyId } = await prisma.company.findFirstOrThrow({ where: { slug: 'acme' } });
    const { id: userId } = await prisma.user.findFirstOrThrow({ where: { companyId } });
    for (let n = 0; n < count; n++) {
      const { id } = await prisma.checklist.create({ data: { companyId, name: `Checklist ${n}` } });
      const tasks = Array.from({ length: 20 }, (_, order) => ({
        companyId,
        checklistId: id,
        title: `Task ${order}`,
        order,
      }));
      await prisma.checklistTask.createMany({ data: tasks });
      await runAs({ kind: 'session', id: userId, user_id: userId }, () =>
        transaction(() => prisma.checklist.delete({ where: { companyId_id: { companyId, id } } })),
      );
    }
  });

/** How many tasks each checklist has. */
const countTasks = ({ prisma }: Database) =>
  prisma.checklist
    .findMany({ select: { _count: { select: { tasks: true } } } })
    .then((found) => found.map(({ _count }) => _count.tasks));
const countEvents = ({ prisma }: Database, action: string) => prisma.securityEvent.count({ where: { action } });

test('a killed restore has each deletion back or not at all, and the next one has the rest', async () => {
  const count = 60;
  await deleteChecklists(count);
  const [command, ...args] = program;
  const child = spawn(command, [...args, ...options], {
    env: { PATH: process.env.PATH, ...commands.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // After the first of them it works on another.
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  const left = await commands.look(async (database) => {
    const tasks = await countTasks(database);
    expect(tasks).toEqual(tasks.map(() => 20));
    expect(tasks.length).toBeGreaterThan(0);
    expect(tasks.length).toBeLessThan(count);
    expect(await database.prisma.checklistTask.count()).toBe(tasks.length * 20);
    // That it began is known.
    expect(await countEvents(database, 'restore_started')).toBe(1);
    expect(await countEvents(database, 'rows_restored')).toBe(0);
    return count - tasks.length;
  });
  const again = await commands.run(...options);
  expect([again.code, again.last]).toEqual([0, `Restored ${left * 21} rows; 0 deletions conflicted.`]);
  await commands.look(async (database) => {
    expect(await countTasks(database)).toEqual(Array(count).fill(20));
    expect(await countEvents(database, 'rows_restored')).toBe(1);
  });
});

// The embedded database has one process.
const onServer = process.env['TEST_DATABASE_URL'] ? test : test.skip;

onServer('of two restores of the same row at once one has it back, and the other tells of a conflict', async () => {
  await deleteChecklists(1);
  await commands.look(async ({ prisma, transaction, query }) => {
    let both: Promise<Awaited<ReturnType<CommandLine['run']>>[]> | undefined;
    await transaction(
      async () => {
        // Both have found the deletion, and wait to insert the row.
        await prisma.$executeRaw`LOCK TABLE checklists IN SHARE MODE`;
        both = Promise.all([commands.run(...options), commands.run(...options)]);
        const waiting = async () =>
          (
            await query({
              text: `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
            })
          ).rows.length;
        while ((await waiting()) < 2) await sleep(50);
      },
      { timeoutMs: 60_000 },
    );
    const printed = (await both) ?? [];
    expect(printed.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(printed.map(({ last }) => last).sort()).toEqual([
      'Restored 0 rows; 1 deletions conflicted.',
      'Restored 21 rows; 0 deletions conflicted.',
    ]);
    expect(printed.find(({ code }) => code === 1)?.out).toContain(
      'It was restored, or another row has taken its place.',
    );
  });
  await commands.look(async (database) => expect(await countTasks(database)).toEqual([20]));
});
