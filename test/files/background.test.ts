// The deletion of files that nothing holds, and of bytes without a row.
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { StoredFiles } from '../../src/background/stored-files.ts';
import { type Files, originalOf } from '../../src/files/index.ts';
import { uuidAt } from '../../src/formats.ts';
import type { Client } from '../support/client.ts';
import { addFile } from '../support/files.ts';
import { filesOf, type Service, startService, type Tenant } from '../support/service.ts';

let folder: string;
let service: Service;
let acme: Tenant;
let client: Client;
let files: Files;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'premises-test-'));
  const env = { FILES_URL: pathToFileURL(folder).href };
  files = filesOf(env);
  service = await startService(env);
  acme = await service.tenant();
  client = await acme.client();
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const worker = () =>
  new StoredFiles({ ...service, files, log: { warn: (...told: unknown[]) => expect(told).toEqual([]) } });

/** Runs what an instance does once, as another instance than before. */
async function tick(): Promise<void> {
  const background = worker();
  await background.tick();
  await background.close();
}

const send = async (text = 'abc') => String((await addFile(client, text))['id']);
const keyOf = (id: string) => ({ companyId: acme.company.id, id });
const rowOf = (id: string) => service.database.prisma.file.findFirst({ where: { id } });
const hasBytes = async (id: string) => {
  const content = await files.store.read(originalOf(keyOf(id)));
  content?.destroy();
  return content !== undefined;
};
const request = async (...attachment_ids: string[]) =>
  String((await client.post('/service-requests', { title: 'Door', attachment_ids })).row['id']);

/** Makes it some hours ago that a file was held. */
const unheldFor = (id: string, hours: number) =>
  service.database.query({
    text: 'UPDATE files SET unheld_since = now() - make_interval(hours => $2) WHERE id = $1 AND unheld_since IS NOT NULL',
    values: [id, hours],
  });

test('a file that nothing has held for a day is deleted with its bytes; others stay', async () => {
  const [old, young, held, released] = [await send(), await send(), await send(), await send()];
  const [holder, another] = [await request(held), await request(held, released)];
  await client.delete(`/service-requests/${holder}`);
  await client.patch(`/service-requests/${another}`, { attachment_ids: [held] });
  for (const id of [old, held, released]) await unheldFor(id, 25);
  await unheldFor(young, 23);
  await tick();
  const left = await Promise.all(
    [old, young, held, released].map(async (id) => [!!(await rowOf(id)), await hasBytes(id)]),
  );
  expect(left).toEqual([
    [false, false],
    [true, true],
    [true, true],
    [false, false],
  ]);
  expect(await service.database.prisma.fileRemoval.count()).toBe(0);
});

test('bytes without a row are deleted when they are a day old', async () => {
  const [lost, arriving] = [uuidAt(new Date()), uuidAt(new Date())];
  const known = await send();
  for (const id of [lost, arriving])
    await files.store.write(
      originalOf(keyOf(id)),
      (async function* () {
        yield Buffer.from('abc');
      })(),
    );
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  for (const id of [lost, known]) await utimes(join(folder, originalOf(keyOf(id))), yesterday, yesterday);
  await tick();
  expect([await hasBytes(lost), await hasBytes(arriving), await hasBytes(known)]).toEqual([false, true, true]);
});

test('one instance does it at a time, and another goes on when it ends', async () => {
  const [one, other] = [worker(), worker()];
  await one.tick();
  const id = await send();
  await unheldFor(id, 25);
  await other.tick();
  expect(await rowOf(id)).not.toBeNull();
  await one.close();
  await other.tick();
  await other.close();
  expect([await rowOf(id), await hasBytes(id)]).toEqual([null, false]);
});

/** Restores a request that was deleted. @returns its files */
async function restored(id: string): Promise<unknown> {
  const { status, json } = await client.post(`/service-requests/${id}/restore`, undefined);
  expect([status, json]).toEqual([200, expect.anything()]);
  return (await client.get(`/service-requests/${id}`)).row['attachment_ids'];
}

test('a row that is restored within a day has its files again, and later what is left of them', async () => {
  const [both, one] = [await send(), await send()];
  const [id, other] = [await request(both, one), await request(both)];
  await client.delete(`/service-requests/${id}`);
  await unheldFor(one, 23);
  await tick();
  expect(await restored(id)).toEqual([both, one]);
  expect([await rowOf(one), await hasBytes(one)]).toEqual([expect.objectContaining({ unheldSince: null }), true]);
  await client.delete(`/service-requests/${id}`);
  await unheldFor(one, 25);
  await tick();
  expect(await restored(id)).toEqual([both]);
  await client.delete(`/service-requests/${other}`);
  expect(await rowOf(both)).toMatchObject({ unheldSince: null });
});

test('a file that is attached while it is deleted is either held and there, or neither', async () => {
  const { prisma } = service.database;
  for (let round = 0; round < 8; round += 1) {
    const ids = await Promise.all([send(), send(), send()]);
    await Promise.all(ids.map((id) => unheldFor(id, 25)));
    const [replies] = await Promise.all([
      Promise.all(ids.map((id) => client.post('/service-requests', { title: 'Door', attachment_ids: [id] }))),
      tick(),
    ]);
    for (const [index, { status }] of replies.entries()) {
      const id = ids[index] ?? '';
      const there = [
        (await rowOf(id)) !== null,
        await prisma.fileHold.count({ where: { fileId: id } }),
        await hasBytes(id),
      ];
      // It was gone before the request, or while its row was written.
      expect([201, 409, 422]).toContain(status);
      expect(there).toEqual(status === 201 ? [true, 1, true] : [false, 0, false]);
    }
  }
});
