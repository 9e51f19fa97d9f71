// Files that take long to arrive, and whose instance is killed meanwhile.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Row } from '../support/client.ts';
import { testDatabaseUrl } from '../support/database.ts';
import { contentOf } from '../support/files.ts';
import { killAll, ServiceProcess } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { beginUpload, offsetOf, openPart, sendByClient } from '../support/uploads.ts';

/** On PostgreSQL two instances share one database; the embedded one supports one, which is started again. */
const shared = Boolean(process.env.TEST_DATABASE_URL);

let folder: string;
let env: Record<string, string>;
let clean: () => Promise<unknown>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'premises-uploads-'));
  const { url, drop } = shared ? await testDatabaseUrl() : { url: undefined, drop: async () => {} };
  env = {
    ...(url === undefined ? { DATA_DIR: join(folder, 'data') } : { DATABASE_URL: url }),
    FILES_URL: pathToFileURL(join(folder, 'files')).href,
  };
  clean = drop;
});
afterEach(killAll);
afterAll(async () => {
  await clean();
  await rm(folder, { recursive: true });
});

const megabyte = 1024 * 1024;

test('what had arrived in whole parts stays when the instance is killed, and another one goes on', async () => {
  const first = await (await ServiceProcess.start(env)).ready({ greeting: true });
  const { token } = first;
  const second = shared ? await (await ServiceProcess.start(env)).ready() : undefined;
  const content = randomBytes(60 * megabyte);
  const id = await beginUpload(first.client(), content.length);
  const { part } = openPart(first.client(), id, 0, content.length);
  for (let at = 0; at < 40; at += 1)
    if (!part.write(content.subarray(at * megabyte, (at + 1) * megabyte))) await once(part, 'drain');
  await sleep(5000);
  first.kill('SIGKILL');
  await first.ended;
  const killedAt = Date.now();
  const survivor = second ?? (await (await ServiceProcess.start(env)).ready());
  const by = survivor.client(token);
  const arrived = await offsetOf(by, id);
  if (shared) expect(Date.now() - killedAt).toBeLessThan(12_500);
  // Of 16 MB each.
  expect(arrived).toBe(32 * megabyte);
  const uploadUrl = `${survivor.origin}/api/v1/uploads/${id}`;
  const { begunAt } = await sendByClient(by, content, { uploadUrl });
  expect(begunAt).toEqual([arrived]);
  const sent = Buffer.from(await (await contentOf(by, id)).arrayBuffer());
  expect(createHash('sha256').update(sent).digest('hex')).toBe(createHash('sha256').update(content).digest('hex'));
});

/** Writes a thousand bytes at once, so many a second, until all are written or the service has answered. */
async function trickle(body: ClientRequest, bytes: number, perSecond: number): Promise<{ status: number; data: Row }> {
  let status: number | undefined;
  const answered = new Promise<{ status: number; data: Row }>((resolve, reject) => {
    body.on('error', reject);
    body.on('response', (response) => {
      status = response.statusCode;
      const read = status === 204 ? Promise.resolve({}) : json(response);
      void read.then((data) => resolve({ status: response.statusCode ?? 0, data: data as Row }), reject);
    });
  });
  answered.catch(() => {});
  for (let written = 0; written < bytes && status === undefined; written += 1000) {
    body.write(Buffer.alloc(Math.min(1000, bytes - written), 'a'));
    await sleep(1_000_000 / perSecond);
  }
  body.end();
  return answered;
}

test('a slow file arrives, and one that stalls is cut after 30 s, of which a part keeps what has arrived', async () => {
  const service = await startService();
  const client = await (await service.tenant()).client();
  const bytes = 70_000;
  const post = request(`${service.origin}/api/v1/files`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${client.token}`,
      'content-type': 'application/octet-stream',
      'content-length': bytes,
    },
  });
  const [slow, stalled] = [await beginUpload(client, bytes), await beginUpload(client, bytes)];
  const [whole, part, cut] = await Promise.all([
    trickle(post, bytes, 2000),
    trickle(openPart(client, slow, 0, bytes).part, bytes, 2000),
    trickle(openPart(client, stalled, 0, bytes).part, bytes, 500),
  ]);
  expect(whole).toMatchObject({ status: 201, data: { data: { size: bytes } } });
  expect(part.status).toBe(204);
  expect((await client.get(`/files/${slow}`)).row).toMatchObject({ size: bytes });
  expect(cut).toMatchObject({ status: 408, data: { error: { code: 'REQUEST_TIMEOUT' } } });
  const arrived = await offsetOf(client, stalled);
  expect(arrived).toBeGreaterThanOrEqual(14_000);
  expect(arrived).toBeLessThanOrEqual(16_000);
  await service.close();
});
