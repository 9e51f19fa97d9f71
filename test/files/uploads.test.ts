// Files that are sent in parts, by the tus protocol.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { StoredFiles, unknownFolders } from '../../src/background/stored-files.ts';
import type { Files } from '../../src/files/index.ts';
import type { Client } from '../support/client.ts';
import { contentOf } from '../support/files.ts';
import { filesOf, type Service, startService, type Tenant } from '../support/service.ts';
import { until } from '../support/until.ts';
import { beginUpload, idIn, offsetOf, openPart, sendByClient, sendPart, tus } from '../support/uploads.ts';

const maxBytes = 1_000_000;
const maxCompanyBytes = 2_000_000;

let folder: string;
let service: Service;
/** Another instance on the same database and store. */
let other: Service;
let files: Files;
let acme: Tenant;
let client: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'premises-test-'));
  const env = {
    FILES_URL: pathToFileURL(folder).href,
    MAX_FILE_BYTES: String(maxBytes),
    MAX_COMPANY_FILE_BYTES: String(maxCompanyBytes),
  };
  files = filesOf(env);
  service = await startService(env);
  other = await startService(env, async () => ({ ...service.database, close: async () => {} }));
  acme = await service.tenant();
  client = await acme.client();
});
afterAll(async () => {
  await other.close();
  await service.close();
  await rm(folder, { recursive: true });
});

/** The sender on the other instance. */
const elsewhere = (by: Client = client) => ({ origin: other.origin, token: by.token });

async function tick(): Promise<void> {
  const background = new StoredFiles({
    ...service,
    files,
    log: { warn: (...told: unknown[]) => expect(told).toEqual([]) },
  });
  await background.tick();
  await background.close();
}

const rowOf = (id: string) => service.database.prisma.fileUpload.findFirst({ where: { id } });
const usageOf = async ({ company }: Tenant) => {
  const usage = await service.database.prisma.fileUsage.findFirst({ where: { companyId: company.id } });
  return Number(usage?.bytes ?? 0);
};
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const filename = (name: string) => `filename ${Buffer.from(name).toString('base64')}`;

/** All objects in the store below a company. */
async function objectsOf({ company }: Tenant): Promise<string[]> {
  const entries = await readdir(join(folder, company.id), { recursive: true }).catch(() => []);
  return entries.filter((path) => path.split('/').length === 3);
}

describe('the client of the protocol', () => {
  test('sends a file in parts, which has the id of the upload', async () => {
    const content = randomBytes(300_000);
    const { url, begunAt } = await sendByClient(client, content, {
      chunkSize: 100_000,
      metadata: { filename: 'Türe.bin', filetype: 'image/png' },
    });
    expect(begunAt).toEqual([0, 100_000, 200_000]);
    const { row } = await client.get(`/files/${idIn(url)}`);
    expect(row).toMatchObject({
      id: idIn(url),
      name: 'Türe.bin',
      size: 300_000,
      sha256: sha256(content),
      media_type: 'application/octet-stream',
      user_id: acme.users[0]?.id,
    });
    const sent = await contentOf(client, idIn(url));
    expect(sha256(Buffer.from(await sent.arrayBuffer()))).toBe(sha256(content));
    expect(await rowOf(idIn(url))).toBeNull();
    const asked = await tus(client, 'HEAD', `/${idIn(url)}`);
    expect(Object.fromEntries(asked.headers)).toMatchObject({
      'upload-offset': '300000',
      'upload-length': '300000',
      'upload-metadata': filename('Türe.bin'),
    });
  });

  test('resumes on another instance what was cut off', async () => {
    const content = randomBytes(600_000);
    const cut = await sendByClient(client, content, { stopAfter: 200_000, chunkSize: 100_000 });
    const id = idIn(cut.url);
    const arrived = await offsetOf(elsewhere(), id);
    expect(arrived).toBeGreaterThanOrEqual(100_000);
    expect(arrived).toBeLessThan(600_000);
    const { begunAt } = await sendByClient(elsewhere(), content, {
      uploadUrl: `${other.origin}/api/v1/uploads/${id}`,
    });
    expect(begunAt).toEqual([arrived]);
    expect((await client.get(`/files/${id}`)).row).toMatchObject({ size: 600_000, sha256: sha256(content) });
  });

  test('sends what it has with the first request', async () => {
    const { url, begunAt } = await sendByClient(client, Buffer.from('all at once'), { uploadDataDuringCreation: true });
    expect(begunAt).toEqual([]);
    expect(await (await contentOf(client, idIn(url))).text()).toBe('all at once');
  });
});

test('a part that is cut off stays as far as it has arrived', async () => {
  const id = await beginUpload(client, 500_000);
  const { part } = openPart(client, id, 0, 500_000);
  part.write(Buffer.alloc(300_000, 'a'));
  await until('the part to be written', objectsInFlight);
  part.destroy();
  await until('the end of the request', async () => (await rowOf(id))?.lockedBy === null);
  const arrived = await offsetOf(client, id);
  expect(arrived).toBeGreaterThan(0);
  expect(arrived).toBeLessThanOrEqual(300_000);
  expect((await sendPart(client, id, arrived, Buffer.alloc(500_000 - arrived, 'a'))).status).toBe(204);
  expect((await client.get(`/files/${id}`)).row).toMatchObject({ sha256: sha256(Buffer.alloc(500_000, 'a')) });
});

/** Whether an object is being written. */
const objectsInFlight = async () => (await readdir(join(folder, 'arriving'))).length > 0;

describe('while a part comes', () => {
  test('another one is refused, and the question how much has arrived ends it, on any instance', async () => {
    const id = await beginUpload(client, 500_000);
    const { part, answered } = openPart(client, id, 0, 500_000);
    part.write(Buffer.alloc(100_000));
    await until('the request', async () => (await rowOf(id))?.lockedBy != null);
    const refused = await sendPart(elsewhere(), id, 0, 'abc');
    expect(refused).toMatchObject({ status: 423, error: { code: 'LOCKED' } });
    expect(await offsetOf(elsewhere(), id)).toBe(100_000);
    // It is told how much of it was taken.
    expect(await answered).toBe(204);
    part.destroy();
    expect((await sendPart(client, id, 100_000, Buffer.alloc(400_000))).status).toBe(204);
  });

  test('the upload can be ended', async () => {
    const id = await beginUpload(client, 500_000);
    const { part } = openPart(client, id, 0, 500_000);
    part.write(Buffer.alloc(100_000));
    await until('the request', async () => (await rowOf(id))?.lockedBy != null);
    expect((await tus(client, 'DELETE', `/${id}`)).status).toBe(204);
    part.destroy();
    expect(await rowOf(id)).toBeNull();
    expect((await tus(client, 'HEAD', `/${id}`)).status).toBe(404);
  });
});

test('the lock of an instance that has died ends within ten seconds', async () => {
  const id = await beginUpload(client, 6);
  await service.database.prisma.fileUpload.updateMany({
    where: { id },
    data: { lockedBy: randomUUID(), lockedUntil: new Date(Date.now() + 1500) },
  });
  expect((await sendPart(client, id, 0, 'abc')).status).toBe(423);
  expect(await offsetOf(client, id)).toBe(0);
  expect((await sendPart(client, id, 0, 'abcdef')).status).toBe(204);
});

test('of two last parts at once one makes the file', async () => {
  const id = await beginUpload(client, 6);
  const answers = await Promise.all([
    sendPart(client, id, 0, 'abcdef'),
    sendPart(elsewhere(), id, 0, 'abcdef'),
    sendPart(client, id, 0, 'abcdef'),
  ]);
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 204)).toEqual([204]);
  expect(statuses.filter((status) => status !== 204).every((status) => [409, 423].includes(status))).toBe(true);
  expect((await client.get(`/files/${id}`)).row).toMatchObject({ size: 6 });
});

test('a file that had arrived when its instance died is made by the question for it', async () => {
  const id = await beginUpload(client, 9);
  await sendPart(client, id, 0, 'abcdef');
  await service.database.prisma.fileUpload.updateMany({ where: { id }, data: { length: 6 } });
  expect(await offsetOf(elsewhere(), id)).toBe(6);
  expect(await (await contentOf(client, id)).text()).toBe('abcdef');
});

test('a file that has arrived is ended as a file', async () => {
  const id = await beginUpload(client, 3);
  await sendPart(client, id, 0, 'abc');
  expect(await tus(client, 'DELETE', `/${id}`)).toMatchObject({
    status: 409,
    error: { code: 'CONFLICT', message: expect.stringContaining(`/files/${id}`) },
  });
  expect((await client.delete(`/files/${id}`)).status).toBe(204);
  expect((await tus(client, 'HEAD', `/${id}`)).status).toBe(404);
});

describe('an upload that does not end', () => {
  test('is gone after a day, with its parts', async () => {
    const tenant = await service.tenant();
    const by = await tenant.client();
    const [old, young] = [await beginUpload(by, 9), await beginUpload(by, 9)];
    for (const id of [old, young]) await sendPart(by, id, 0, 'abcdef');
    expect(await usageOf(tenant)).toBe(12);
    expect(await objectsOf(tenant)).toHaveLength(2);
    const told = (await sendPart(by, young, 6, 'a')).headers.get('upload-expires');
    expect(Math.abs(Date.parse(told ?? '') - Date.now() - 86_400_000)).toBeLessThan(20_000);
    await service.database.query({
      text: `UPDATE file_uploads SET created_at = now() - interval '25 hours' WHERE id = $1`,
      values: [old],
    });
    expect((await tus(by, 'HEAD', `/${old}`)).status).toBe(410);
    expect(await sendPart(by, old, 6, 'ghi')).toMatchObject({ status: 410, error: { code: 'GONE' } });
    await tick();
    expect((await tus(by, 'HEAD', `/${old}`)).status).toBe(404);
    expect([await usageOf(tenant), await offsetOf(by, young)]).toEqual([7, 7]);
    expect(await objectsOf(tenant)).toHaveLength(2);
    expect((await sendPart(by, young, 7, 'hi')).status).toBe(204);
    await tick();
    // The file alone is left.
    expect([await usageOf(tenant), (await objectsOf(tenant)).length]).toEqual([9, 1]);
    expect(await (await contentOf(by, young)).text()).toBe('abcdefahi');
  });

  test('is no bytes without a row, which parts without one are', async () => {
    const tenant = await service.tenant();
    const by = await tenant.client();
    const [kept, lost] = [await beginUpload(by, 9), await beginUpload(by, 9)];
    for (const id of [kept, lost]) await sendPart(by, id, 0, 'abcdef');
    const row = await rowOf(lost);
    await service.database.query({ text: 'DELETE FROM file_uploads WHERE id = $1', values: [lost] });
    const unknown: string[] = [];
    for await (const folders of unknownFolders(service.database, files.store, { olderThanMs: 0 }))
      unknown.push(...folders.filter((each) => each.startsWith(tenant.company.id)));
    expect(unknown).toEqual([`${tenant.company.id}/${row?.partsId.slice(-2)}/${row?.partsId}`]);
  });

  test('counts for the company as far as it has arrived', async () => {
    const tenant = await service.tenant();
    const by = await tenant.client();
    const ids = [await beginUpload(by, maxBytes), await beginUpload(by, maxBytes), await beginUpload(by, 10)];
    const [one = '', two = '', three = ''] = ids;
    expect((await sendPart(by, one, 0, Buffer.alloc(maxBytes))).status).toBe(204);
    expect((await sendPart(by, two, 0, Buffer.alloc(maxBytes - 5))).status).toBe(204);
    expect(await usageOf(tenant)).toBe(maxCompanyBytes - 5);
    expect(await sendPart(by, three, 0, 'abcdef')).toMatchObject({
      status: 413,
      error: { code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('together') },
    });
    expect(await offsetOf(by, three)).toBe(0);
    // The last byte of all that there is room for.
    expect((await sendPart(by, two, maxBytes - 5, Buffer.alloc(5))).status).toBe(204);
    expect(await usageOf(tenant)).toBe(maxCompanyBytes);
    expect((await tus(by, 'POST', '', { 'upload-length': '1' })).status).toBe(413);
    expect((await tus(by, 'DELETE', `/${three}`)).status).toBe(204);
  });

  test('is one of a hundred', async () => {
    const tenant = await service.tenant();
    const by = await tenant.client();
    const { id: companyId } = tenant.company;
    const given = { companyId, userId: tenant.users[0]?.id ?? '', name: 'file', length: 1 };
    await service.database.prisma.fileUpload.createMany({
      data: Array.from({ length: 98 }, () => ({ ...given, id: randomUUID(), partsId: randomUUID() })),
    });
    const begun = await Promise.all([1, 2, 3, 4, 5].map(() => tus(by, 'POST', '', { 'upload-length': '1' })));
    expect(begun.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409]);
  });
});
