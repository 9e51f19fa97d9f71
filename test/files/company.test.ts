// What becomes of files with their company, or the person who sent them.
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CompanyArchive } from '../../src/auth/company-archive.ts';
import { deleteCompany } from '../../src/auth/company-deletion.ts';
import { exportCompany } from '../../src/auth/company-export.ts';
import { importCompany } from '../../src/auth/company-import.ts';
import { deactivate, erase } from '../../src/auth/members.ts';
import { commandLine } from '../../src/auth/security-log.ts';
import { createToken } from '../../src/auth/tokens.ts';
import { StoredFiles } from '../../src/background/stored-files.ts';
import type { openFiles } from '../../src/files/index.ts';
import { originalOf } from '../../src/files/index.ts';
import { memberClient } from '../resources/members.ts';
import { Client } from '../support/client.ts';
import { addFile, contentOf } from '../support/files.ts';
import { filesOf, type Service, startService, type Tenant } from '../support/service.ts';
import { unzip } from '../support/unzip.ts';

const newUrl = 'https://new.example.com';
let folder: string;
let source: Service;
let target: Service;
let acme: Tenant;
let client: Client;
/** Files of a request, of a document and of nothing, and the document. */
let photo: string;
let plan: string;
let unheld: string;
let document: string;
let archive: string;

/** The store of the service that a company is imported into. */
const targetUrl = () => pathToFileURL(join(folder, 'target')).href;
const targetFiles = () => filesOf({ FILES_URL: targetUrl(), PUBLIC_URL: newUrl });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'premises-test-'));
  [source, target] = [await startService(), await startService({ FILES_URL: targetUrl() })];
  acme = await source.tenant('acme');
  client = await acme.client();
  [photo, plan, unheld] = (await Promise.all(
    ['photo', 'plan', 'nothing'].map(async (text) => String((await addFile(client, text, `${text}.txt`))['id'])),
  )) as [string, string, string];
  expect((await client.post('/service-requests', { title: 'Door', attachment_ids: [photo] })).status).toBe(201);
  document = String((await client.post('/documents', { title: 'Plan', file_id: plan })).row['id']);
  await client.post('/documents', { title: 'Elsewhere', file_url: 'https://files.example.com/x.pdf' });
  await source.database.prisma.file.updateMany({
    where: { id: photo },
    data: { previewStatus: 'READY', previewBytes: [1, 2, 3] },
  });
  archive = await exported();
});
afterAll(async () => {
  await Promise.all([source.close(), target.close()]);
  await rm(folder, { recursive: true });
});

let archives = 0;
/** Exports the company. @returns the path of the archive */
async function exported(
  options: { readerId?: string; maxFileBytes?: number } = {},
  { files = filesOf(), missing = 0, withheld = 0 } = {},
): Promise<string> {
  const path = join(folder, `${(archives += 1)}.zip`);
  const file = await open(path, 'wx');
  const done = exportCompany(source.database, files, acme.company.id, file, { timeoutMs: 60_000, ...options });
  expect(await done.finally(() => file.close())).toEqual({ missing, withheld });
  return path;
}

async function imported(path: string, slug?: string, { database } = target, files = targetFiles()) {
  const opened = await CompanyArchive.open(path);
  return importCompany(database, files, opened, slug).finally(() => opened.close());
}

/** The keys of a store's objects of a company. */
async function keysOf({ store }: ReturnType<typeof openFiles>, companyId: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list()) if (key.startsWith(companyId)) keys.push(key);
  return keys.toSorted();
}
const keysFor = (companyId: string, ids: readonly string[]) =>
  ids.map((id) => originalOf({ companyId, id })).toSorted();

test('an archive has the files that rows hold', async () => {
  const files = await unzip(await readFile(archive));
  expect([files[`files/${photo}`], files[`files/${plan}`], files[`files/${unheld}`]]).toEqual([
    'photo',
    'plan',
    undefined,
  ]);
  expect(files['files.ndjson']?.trim().split('\n')).toHaveLength(2);
  expect(JSON.parse(files['archive.json'] ?? '')).toMatchObject({ files: 2 });
});

test('an archive of an admin has no files of what others keep for themselves', async () => {
  const ben = await memberClient(source, acme, 1);
  const { id } = await addFile(ben, 'secret');
  const { row } = await ben.post('/notes', { title: 'Mine', content: 'x', attachment_ids: [id] });
  expect(row['attachment_ids']).toEqual([id]);
  const namesFor = async (user: number) =>
    Object.keys(await unzip(await readFile(await exported({ readerId: acme.users[user]?.id ?? '' }))));
  expect(await namesFor(0)).not.toContain(`files/${id}`);
  expect(await namesFor(0)).toContain(`files/${photo}`);
  expect(await namesFor(1)).toContain(`files/${id}`);
  await ben.delete(`/notes/${row['id']}`);
});

test('an archive of too much for a request has the rows alone, and says so', async () => {
  const path = await exported({ maxFileBytes: 3 });
  const files = await unzip(await readFile(path));
  expect(Object.keys(files).filter((name) => name.startsWith('files/'))).toEqual([]);
  expect(files['README.txt']).toContain('without their contents');
  await expect(imported(path, 'rows')).rejects.toThrow(/^The archive has no files\//);
});

test('an import brings files along, whose addresses are those of the service', async () => {
  const { id: companyId } = await imported(archive);
  expect(companyId).toBe(acme.company.id);
  expect(await keysOf(targetFiles(), companyId)).toEqual(keysFor(companyId, [photo, plan]));
  const owner = { companyId, userId: acme.users[0]?.id ?? '', live: true };
  const { token } = await createToken(target.database.prisma, { ...owner, name: 'test', scopes: ['*'] });
  const other = new Client(target.origin, token);
  expect(await (await contentOf(other, photo)).text()).toBe('photo');
  expect((await other.get(`/documents/${document}`)).row).toMatchObject({
    file_id: plan,
    file_url: `${newUrl}/api/v1/files/${plan}/content`,
  });
  expect((await other.get('/documents', { title: 'Elsewhere' })).rows).toMatchObject([
    { file_url: 'https://files.example.com/x.pdf' },
  ]);
  const { prisma } = target.database;
  expect(await prisma.fileHold.count({ where: { companyId } })).toBe(2);
  expect(await prisma.file.count({ where: { companyId, unheldSince: null } })).toBe(2);
  expect(await prisma.fileUsage.findUnique({ where: { companyId } })).toMatchObject({ bytes: 9n });
  // Its previews and its text are made here.
  const waiting = await prisma.job.findMany({ where: { companyId, state: 'pending' }, orderBy: { kind: 'asc' } });
  expect(waiting.map(({ kind, payload }) => [kind, payload])).toEqual([
    ['document-text', { documentId: document, fileId: plan }],
    ['preview', { fileId: photo }],
  ]);
  expect((await other.get(`/documents/${document}`)).row).toMatchObject({ processing_status: 'pending' });
  expect((await prisma.file.findMany({ where: { companyId, id: photo } }))[0]).toMatchObject({
    previewStatus: 'PENDING',
    previewBytes: [],
  });
});

describe('files that are not served', () => {
  const scanning = () => filesOf({ CLAMD_URL: 'tcp://127.0.0.1:9' });
  const ids: Record<string, string> = {};
  let request: string;
  beforeAll(async () => {
    const { prisma } = source.database;
    for (const [scanStatus, scanError] of [
      ['CLEAN', null],
      ['INFECTED', 'Eicar'],
      ['FAILED', 'It is too large.'],
      ['PENDING', null],
      [null, null],
    ] as const) {
      const { id } = await addFile(client, `${scanStatus}`, `${scanStatus}.txt`);
      ids[`${scanStatus}`] = String(id);
      await prisma.file.updateMany({ where: { id: String(id) }, data: { scanStatus, scanError } });
    }
    const { row } = await client.post('/service-requests', { title: 'X', attachment_ids: Object.values(ids) });
    request = String(row['id']);
  });
  afterAll(async () => {
    await client.delete(`/service-requests/${request}`);
    await source.database.prisma.file.deleteMany({ where: { id: { in: Object.values(ids) } } });
  });

  const statusesIn = async (path: string) => {
    const files = await unzip(await readFile(path));
    const statuses = Object.entries(ids).flatMap(([status, id]) =>
      files[`files/${id}`] === undefined ? [] : [status],
    );
    return { statuses, readme: files['README.txt'], manifest: JSON.parse(files['archive.json'] ?? '') as object };
  };

  test('are in no archive, which says so', async () => {
    // The two others of the company were never scanned.
    const withScanner = await statusesIn(await exported({}, { files: scanning(), withheld: 6 }));
    expect(withScanner).toEqual({
      statuses: ['CLEAN'],
      readme: expect.stringContaining('or are going to be: 6 in all'),
      manifest: expect.objectContaining({ files: 1, withheld: 6 }),
    });
    const forAdmin = { readerId: acme.users[0]?.id ?? '' };
    expect((await statusesIn(await exported(forAdmin, { files: scanning(), withheld: 6 }))).statuses).toEqual([
      'CLEAN',
    ]);
    // Without a scanner, all but those with malware are served.
    expect(await statusesIn(await exported({}, { withheld: 1 }))).toMatchObject({
      statuses: ['CLEAN', 'FAILED', 'PENDING', 'null'],
      readme: expect.stringContaining('or are going to be: 1 in all'),
      manifest: { files: 6, withheld: 1 },
    });
  });

  test('are imported without their contents, and never served', async () => {
    await target.database.query({ text: 'UPDATE people SET email_verified_at = now()' });
    const { id: companyId } = await imported(await exported({}, { files: scanning(), withheld: 6 }), 'unserved');
    const { prisma } = target.database;
    const found = Object.fromEntries(
      (await prisma.file.findMany({ where: { companyId } })).map((row) => [row.id, row]),
    );
    const left = 'Its content did not come along, as it was not scanned where it was exported.';
    const scans = Object.values(ids).map((id) => [
      found[id]?.scanStatus,
      found[id]?.scanError,
      Number(found[id]?.size),
    ]);
    expect(scans).toEqual([
      [null, null, 5],
      ['INFECTED', 'Eicar', 0],
      ['FAILED', left, 0],
      ['FAILED', left, 0],
      ['FAILED', left, 0],
    ]);
    expect(await prisma.fileUsage.findUnique({ where: { companyId } })).toMatchObject({ bytes: 5n });
    for (const row of Object.values(found))
      expect(await targetFiles().store.sizeOf(originalOf(row))).toBe(Number(row.size));
    const rows = await prisma.serviceRequest.findMany({ where: { companyId, id: request } });
    expect(rows[0]?.attachmentIds).toEqual(Object.values(ids));
  });
});

test('a deleted company leaves no files, also where it is imported again meanwhile', async () => {
  const { database } = target;
  const { id } = acme.company;
  const sandbox = await database.prisma.company.findFirstOrThrow({ where: { sandboxOfId: id } });
  await targetFiles().store.write(
    originalOf({ companyId: sandbox.id, id: photo }),
    (async function* () {
      yield Buffer.from('x');
    })(),
  );
  const about = { name: 'x', mediaType: 'text/plain', size: 1, sha256: '0'.repeat(64) };
  await database.prisma.file.create({ data: { companyId: sandbox.id, id: photo, ...about } });
  // Its people can join another company.
  await database.query({ text: 'UPDATE people SET email_verified_at = now()' });
  await deleteCompany(database, id, commandLine);
  expect(await database.prisma.fileRemoval.count()).toBe(3);
  const again = await imported(archive);
  expect(again.id).not.toBe(id);
  const log = { warn: (...told: unknown[]) => expect(told).toEqual([]) };
  const background = new StoredFiles({ database, files: targetFiles(), log });
  await background.tick();
  await background.close();
  expect(await database.prisma.fileRemoval.count()).toBe(0);
  expect(await keysOf(targetFiles(), id)).toEqual([]);
  expect(await keysOf(targetFiles(), sandbox.id)).toEqual([]);
  expect(await keysOf(targetFiles(), again.id)).toEqual(keysFor(again.id, [photo, plan]));
});

test('pictures of people come along', async () => {
  const where = { companyId: acme.company.id, id: acme.users[1]?.id ?? '' };
  const { prisma } = source.database;
  await prisma.user.updateMany({ where, data: { avatarId: photo, avatarUrl: 'https://old.example.com/picture' } });
  await target.database.query({ text: 'UPDATE people SET email_verified_at = now()' });
  const { id: companyId, sandbox } = await imported(await exported(), 'pictures');
  await prisma.user.updateMany({ where, data: { avatarId: null, avatarUrl: null } });
  const ofMember = { id: where.id };
  const user = await target.database.prisma.user.findFirstOrThrow({ where: { companyId, ...ofMember } });
  expect(user.avatarUrl).toBe(`${newUrl}/api/v1/files/${user.avatarId}/content`);
  const holds = await target.database.prisma.fileHold.findMany({ where: { companyId, tableName: 'users' } });
  expect(holds).toMatchObject([{ fileId: user.avatarId, rowId: user.id }]);
  const inSandbox = await target.database.prisma.user.findFirstOrThrow({
    where: { companyId: sandbox.id, ...ofMember },
  });
  expect([inSandbox.avatarId, inSandbox.avatarUrl]).toEqual([null, null]);
});

test('an import that fails leaves no files', async () => {
  await target.database.query({ text: 'UPDATE people SET email_verified_at = now()' });
  const before = await keysOf(targetFiles(), '');
  const damaged = join(folder, 'damaged.zip');
  const bytes = await readFile(archive);
  const at = bytes.lastIndexOf(Buffer.from('plan'), bytes.indexOf(Buffer.from('archive.json')));
  bytes[at] = 'x'.charCodeAt(0);
  await writeFile(damaged, bytes);
  await expect(imported(damaged, 'bad')).rejects.toThrow(/^files\/.* is damaged$/);
  expect(await keysOf(targetFiles(), '')).toEqual(before);
});

test('files that the store has lost are counted, and their archive is refused', async () => {
  const { store } = filesOf();
  const key = { companyId: acme.company.id, id: plan };
  await store.remove(originalOf(key).replace(/\/original$/, ''));
  const path = await exported({}, { missing: 1 });
  await expect(imported(path, 'lost')).rejects.toThrow(`The archive has no files/${plan}`);
});

test('erasing a person keeps what rows hold, and forgets who sent it', async () => {
  const { prisma } = source.database;
  const [, , cleo] = acme.users;
  const sender = await memberClient(source, acme, 2);
  const { id } = await addFile(sender, 'abc');
  await client.post('/service-requests', { title: 'Lamp' });
  expect((await sender.post('/service-requests', { title: 'Lamp', attachment_ids: [id] })).status).toBe(201);
  const member = { companyId: acme.company.id, userId: cleo?.id ?? '' };
  expect(await prisma.file.count({ where: { userId: member.userId } })).toBe(1);
  await deactivate(prisma, member, commandLine);
  await erase(prisma, member, commandLine);
  expect(await prisma.file.count({ where: { userId: member.userId } })).toBe(0);
  expect(await (await contentOf(client, String(id))).text()).toBe('abc');
});
