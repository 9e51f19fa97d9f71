// How a service stops, as clients see it. The tests share a data folder, and run in order.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { killAll, ServiceProcess } from './support/process.ts';

const folder = await mkdtemp(join(tmpdir(), 'premises-shutdown-'));
let service: ServiceProcess;
let token: string;

/** More rows of 20 KB than sockets buffer. */
const total = 1000;

async function start(SHUTDOWN_GRACE_SECONDS: number): Promise<void> {
  const env = { DATA_DIR: folder, RATE_LIMIT_TOKEN_PER_HOUR: '100000' };
  const settings = { ...env, SHUTDOWN_GRACE_SECONDS: String(SHUTDOWN_GRACE_SECONDS) };
  service = await (await ServiceProcess.start(settings)).ready({ greeting: token === undefined });
  token ??= service.token;
}

beforeAll(async () => {
  await start(10);
  const description = 'x'.repeat(20_000);
  for (let n = 0; n < total; n += 50) {
    const items = Array.from({ length: 50 }, (_, m) => ({ name: `Lamp ${n + m}`, description }));
    expect((await service.client(token).post('/inventory/batch', { items })).status).toBe(201);
  }
});
afterAll(async () => {
  await killAll();
  await rm(folder, { recursive: true, force: true });
});

/** Begins to read the inventory in CSV. */
async function beginExport(): Promise<IncomingMessage> {
  const headers = { accept: 'text/csv', authorization: `Bearer ${token}` };
  const [response] = await once(get(`${service.origin}/api/v1/inventory`, { headers }), 'response');
  return response as IncomingMessage;
}

/** Connects, and sends the beginning of a request. */
async function send(request: string): Promise<Socket> {
  const socket = connect(Number(new URL(service.origin).port), 'localhost');
  await once(socket, 'connect');
  socket.write(request);
  return socket;
}

/** Sends half of a body, after the service has begun to read it. */
async function sendHalf(path: string): Promise<Socket> {
  const headers = `Host: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100`;
  const socket = await send(`POST ${path} HTTP/1.1\r\n${headers}\r\nExpect: 100-continue\r\n\r\n`);
  const [data] = (await once(socket, 'data')) as [Buffer];
  expect(data.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('{"em');
  return socket;
}

const healthCheck = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

function expectRefusal(response: string): void {
  const [head = '', body = ''] = response.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 503 /);
  expect(head).toMatch(/^retry-after: 1$/im);
  expect(head).toMatch(/^connection: close$/im);
  expect(JSON.parse(body)).toEqual({
    error: { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('stopping'), status: 503 },
    meta: { request_id: /^x-request-id: (.+)$/im.exec(head)?.[1] },
  });
}

test('requests in flight are completed, and later ones are refused', async () => {
  const list = await beginExport();
  const idle = await send(healthCheck);
  await once(idle, 'data');
  const hung = await sendHalf('/auth/sign-in');
  // Without an end of its headers this is no request yet.
  const begun = await send('GET /healthz HTTP/1.1\r\nHost');
  const ended = service.stop();
  await service.prints('stopping');
  await sleep(100);
  await expect(send(healthCheck)).rejects.toThrow('ECONNREFUSED');
  idle.write(healthCheck);
  expectRefusal(await text(idle));
  // Its body had two seconds to arrive.
  expectRefusal(await text(hung));
  const rows = (await text(list)).split(/(?<=\r\n)/);
  expect(rows.length).toBeGreaterThan(total);
  expect(rows.at(-1)).toMatch(/\r\n$/);
  expect(await ended).toBe(0);
  begun.destroy();
});

test('a response that is not read delays the end by at most the grace period', async () => {
  await start(3);
  const list = await beginExport();
  const stoppedAt = Date.now();
  const ended = service.stop();
  expect(await ended).toBe(1);
  expect(Date.now() - stoppedAt).toBeGreaterThan(2900);
  expect(Date.now() - stoppedAt).toBeLessThan(9000);
  expect(service.log).toContainEqual(
    expect.objectContaining({ msg: 'stopped before every request was answered', unanswered: 1 }),
  );
  await expect(text(list)).rejects.toThrow('aborted');
});

test('bodies that never arrive do not delay the end beyond two seconds', async () => {
  await start(60);
  const hung = await Promise.all(Array.from({ length: 20 }, () => sendHalf('/api/v1/notes')));
  const stoppedAt = Date.now();
  const ended = service.stop();
  for (const answer of await Promise.all(hung.map((socket) => text(socket)))) expectRefusal(answer);
  expect(await ended).toBe(0);
  expect(Date.now() - stoppedAt).toBeLessThan(20_000);
});
