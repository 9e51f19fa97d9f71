// Takes imports back with the command line, as it is built.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Jobs } from '../src/background/jobs.ts';
import type { Database } from '../src/database/index.ts';
import { importFile, keepFile, storeArriving } from '../src/import/index.ts';
import { addJob } from '../src/jobs/index.ts';
import { noMailer } from '../src/mail/index.ts';
import { api } from '../src/schema/index.ts';
import { CommandLine } from './support/command-line.ts';

let commands: CommandLine;
let folder: string;
let companyId: string;
let sandboxId: string;
let userId: string;
beforeAll(async () => {
  commands = await CommandLine.create();
  folder = await mkdtemp(join(tmpdir(), 'premises-undo-'));
  await commands.run('company', 'create', '--slug', 'acme', '--name', 'Acme');
  const ada = ['--email', 'ada@acme.example', '--name', 'Ada', '--role', 'admin'];
  await commands.run('user', 'create', '--company', 'acme', ...ada);
  await commands.look(async ({ prisma }) => {
    ({ id: companyId } = await prisma.company.findFirstOrThrow({ where: { slug: 'acme' } }));
    ({ id: sandboxId } = await prisma.company.findFirstOrThrow({ where: { sandboxOfId: companyId } }));
    ({ id: userId } = await prisma.user.findFirstOrThrow({ where: { companyId } }));
  });
});
afterAll(async () => {
  await commands.remove();
  await rm(folder, { recursive: true });
});

const undo = (id: string, ...options: string[]) =>
  commands.run('undo-import', '--company', 'acme', '--import', id, ...options);

/** Imports a file by the command line. @returns the id of the import */
async function imported(content: string, resource: string, ...options: string[]): Promise<string> {
  const path = join(folder, 'rows.csv');
  await writeFile(path, content);
  const of = ['--company', 'acme', '--user', 'ada@acme.example', '--resource', resource, '--yes'];
  const { out, code } = await commands.run('import', path, ...of, ...options);
  expect(code).toBe(0);
  return /^Import (.*)$/m.exec(out)?.[1] ?? '';
}

/** What the security log has of an import: the last events. */
const events = ({ prisma }: Database, id: string) =>
  prisma.securityEvent.findMany({
    where: { companyId, details: { path: ['import'], equals: id } },
    orderBy: { id: 'asc' },
    select: { action: true, personId: true, actorId: true, details: true },
  });

test('an import of the command line: new rows go, changed ones are as before, those of others are kept', async () => {
  const stored = await commands.look(({ prisma }) =>
    prisma.vendor.create({ data: { companyId, companyName: 'Kept', email: 'old@kept.example' } }),
  );
  const vendors = `id,company_name,email\n${stored.id},Kept,new@kept.example\n,Acme,\n,Bolt,\n,Coil,\n`;
  const id = await imported(vendors, 'vendors', '--mode', 'upsert');
  const { bolt, coil } = await commands.look(async ({ prisma }) => {
    const find = (companyName: string) => prisma.vendor.findFirstOrThrow({ where: { companyId, companyName } });
    const [bolt, coil] = [await find('Bolt'), await find('Coil')];
    // Others change one, and refer to another.
    const key = { companyId_id: { companyId, id: bolt.id } };
    await prisma.vendor.update({ where: key, data: { email: 'b@bolt.example' } });
    await prisma.invoice.create({ data: { companyId, invoiceNumber: 'R-1', vendorId: coil.id } });
    return { bolt, coil };
  });

  expect(await undo(id)).toMatchObject({ code: 1, err: 'error: begin with --dry-run, and take back with --yes\n' });
  const lines = (end: string) =>
    [`kept\tvendors\t${bolt.id}\tchanged`, `kept\tvendors\t${coil.id}\treferred`, end, ''].join('\n');
  const tried = await undo(id, '--dry-run');
  expect([tried.code, tried.err, tried.out]).toEqual([1, '', lines('Would take back 2 rows; 2 would be kept.')]);
  const names = ({ prisma }: Database) =>
    prisma.vendor.findMany({ orderBy: { companyName: 'asc' }, select: { companyName: true, email: true } });
  expect(await commands.look(names)).toMatchObject([
    { companyName: 'Acme' },
    { companyName: 'Bolt' },
    { companyName: 'Coil' },
    { companyName: 'Kept', email: 'new@kept.example' },
  ]);
  expect(await commands.look((database) => events(database, id))).toEqual([]);

  const done = await undo(id, '--yes');
  expect([done.code, done.err, done.out]).toEqual([1, '', lines('Took back 2 rows; 2 were kept.')]);
  expect(await commands.look(names)).toMatchObject([
    { companyName: 'Bolt' },
    { companyName: 'Coil' },
    { companyName: 'Kept', email: 'old@kept.example' },
  ]);
  const common = { personId: userId, actorId: null };
  expect(await commands.look((database) => events(database, id))).toEqual([
    { ...common, action: 'undo_started', details: { import: id, live: true } },
    { ...common, action: 'import_undone', details: { import: id, live: true, rows: 2, kept: 2 } },
  ]);
  // Again, it finds nothing left.
  expect(await undo(id, '--dry-run')).toMatchObject({ last: 'Would take back 0 rows; 2 would be kept.' });
  expect(await undo(id, '--yes')).toMatchObject({ last: 'Took back 0 rows; 2 were kept.' });
});

test('what follows from its rows goes with them, in a dry run too, however many they are', async () => {
  const titles = Array.from({ length: 1300 }, (_, n) => `Door ${n},ada@acme.example`);
  const id = await imported(`title,assigned_to\n${titles.join('\n')}\n`, 'service-requests');
  const count = ({ prisma }: Database) => prisma.serviceRequest.count({ where: { companyId } });
  expect(await commands.look(count)).toBe(1300);
  const tried = await undo(id, '--dry-run');
  const done = await undo(id, '--yes');
  expect([tried.code, done.code]).toEqual([0, 0]);
  expect(done.last).toMatch(/^Took back \d+ rows; 0 were kept\.$/);
  expect(tried.last).toBe(done.last.replace('Took back', 'Would take back').replace('were', 'would be'));
  expect(await commands.look(count)).toBe(0);
});

test('an import of the API is cancelled then, in a sandbox too', async () => {
  const make = (of: string) =>
    commands.look(async (database) => {
      const { prisma } = database;
      const options = { mode: 'insert', handling: 'strict', autoStart: true };
      const status = 'CHECKING' as const;
      const row = await prisma.import.create({ data: { companyId: of, userId, type: 'Vendor', options, status } });
      const file = (async function* () {
        yield Buffer.from('company_name\nDuct\nEdge\n');
      })();
      const arrived = await storeArriving(prisma, row, file, 10_000);
      await keepFile(prisma, row, arrived);
      await prisma.import.updateMany({ where: { id: row.id }, data: { fileBytes: arrived.size } });
      await addJob(prisma, importFile, { companyId: of, payload: { importId: row.id }, createdBy: userId });
      const jobs = new Jobs({ database, api, mailer: noMailer, log: console }, [importFile]);
      await jobs.runAll();
      await jobs.close();
      return row.id;
    });
  const read = (id: string) =>
    commands.look(async ({ prisma }) => ({
      ...(await prisma.import.findFirstOrThrow({ where: { id }, select: { status: true, takenBack: true } })),
      left: await prisma.vendor.count({ where: { companyName: { in: ['Duct', 'Edge'] } } }),
    }));
  const id = await make(companyId);
  expect(await read(id)).toEqual({ status: 'IMPORTED', takenBack: 0, left: 2 });
  expect(await undo(id, '--dry-run')).toMatchObject({ code: 0, last: 'Would take back 2 rows; 0 would be kept.' });
  expect(await read(id)).toEqual({ status: 'IMPORTED', takenBack: 0, left: 2 });
  expect(await undo(id, '--yes')).toMatchObject({ code: 0, last: 'Took back 2 rows; 0 were kept.' });
  expect(await read(id)).toEqual({ status: 'CANCELLED', takenBack: 2, left: 0 });
  expect(await undo(id, '--yes')).toMatchObject({ code: 1, err: expect.stringContaining('was taken back') });

  const other = await make(sandboxId);
  // It is of the sandbox alone.
  expect(await undo(other, '--yes')).toMatchObject({ code: 1, err: expect.stringContaining('there is no import') });
  const inSandbox = await commands.run('undo-import', '--company', sandboxId, '--import', other, '--yes');
  expect(inSandbox).toMatchObject({ code: 0, last: 'Took back 2 rows; 0 were kept.' });
  const recorded = await commands.look((database) => events(database, other));
  expect(recorded.map(({ details }) => details)).toMatchObject([{ live: false }, { live: false, rows: 2, kept: 0 }]);
});

test('an import that is not in the log is told', async () => {
  expect(await undo('019b6f3c-5a1e-7c40-8b21-6d1f0a9e4c33', '--yes')).toMatchObject({
    code: 1,
    err: 'error: there is no import 019b6f3c-5a1e-7c40-8b21-6d1f0a9e4c33, or the log of changes no longer has it\n',
  });
  expect(await undo('1', '--yes')).toMatchObject({ code: 1, err: expect.stringContaining('It must be a UUID.') });
});
