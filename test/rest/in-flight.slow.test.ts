// A service with slots for ten requests at once: five of one client, four of them on one connection.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService({
    MAX_REQUESTS_IN_FLIGHT: '10',
    MAX_REQUESTS_PER_CONNECTION: '4',
    TRUST_PROXY: '1',
  });
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

async function openSocket(): Promise<Socket> {
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** The header that names a client behind the proxy. */
const from = (ip: string) => ({ 'x-forwarded-for': ip });

const isServed = async (ip: string) => (await client.get('/paints', {}, from(ip))).status === 200;

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await condition())) expect(Date.now()).toBeLessThan(deadline);
}

test.each<[string, number, () => string]>([
  ['with a token', 200, () => `Authorization: Bearer ${client.token}\r\n`],
  ['without a token', 401, () => ''],
])('10,000 pipelined requests %s are refused early, and those of others are answered', async (_, answered, header) => {
  const count = 10_000;
  const one = `GET /api/v1/paints HTTP/1.1\r\nHost: x\r\n${header()}\r\n`;
  const last = `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  service.statements.length = 0;
  const socket = await openSocket();
  socket.write(one.repeat(count) + last);
  let isOver = false;
  const answers = text(socket).finally(() => (isOver = true));
  const others: number[] = [];
  while (!isOver) others.push((await client.get('/companies', {}, from('192.0.2.7'))).status);
  const responses = (await answers).split(/(?=HTTP\/1\.1 \d{3} )/);
  const statuses = responses.map((response) => Number(response.slice(9, 12)));
  expect(statuses).toHaveLength(count + 1);
  expect(statuses.at(-1)).toBe(200);
  const counts = [answered, 503].map((status) => statuses.slice(0, -1).filter((each) => each === status).length);
  expect(counts[0]).toBeGreaterThanOrEqual(4);
  expect(counts[1]).toBe(count - (counts[0] ?? 0));
  expect(counts[1]).toBeGreaterThan(count / 2);
  expect(new Set(others)).toEqual(new Set([200]));
  // No request that was refused cost a statement.
  expect(service.statements.length).toBeLessThan(8 * ((counts[0] ?? 0) + others.length));

  const refused = responses.find((response) => response.startsWith('HTTP/1.1 503 ')) ?? '';
  const [head = '', body = ''] = refused.split('\r\n\r\n');
  const id = /^x-request-id: (.+)$/m.exec(head)?.[1];
  expect(head).toMatch(/^retry-after: 1$/m);
  expect(head).toMatch(/^access-control-allow-origin: \*$/m);
  expect(JSON.parse(body)).toEqual({
    error: { code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('connection'), status: 503 },
    meta: { request_id: id },
  });
});

test('bodies that never arrive use at most half of the limit, and health checks are answered', async () => {
  const sockets = await Promise.all(Array.from({ length: 8 }, openSocket));
  let refusals = 0;
  for (const socket of sockets) {
    socket.once('data', () => (refusals += 1));
    socket.write(`POST /auth/sign-in HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\n`);
    socket.write('Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"em');
  }
  // Nothing else is asked meanwhile, as that would take a slot itself.
  await until(async () => {
    await sleep(10);
    return refusals === 3;
  });
  const refused = await client.get('/paints', {}, from('192.0.2.1'));
  expect(refused).toMatchObject({ status: 503, error: { code: 'SERVICE_UNAVAILABLE' } });
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.meta.request_id).toBe(refused.headers.get('x-request-id'));
  const query = await client.at('').post('/graphql', { query: '{ __typename }' }, from('192.0.2.1'));
  expect(query.status).toBe(503);
  expect(query.json['errors']).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE', status: 503 } }]);
  for (const path of ['/healthz', '/readyz'])
    expect((await client.at('').get(path, {}, from('192.0.2.1'))).status).toBe(200);
  expect(await isServed('192.0.2.2')).toBe(true);
  for (const socket of sockets) socket.destroy();
  await until(() => isServed('192.0.2.1'));
});

test('a closed connection no longer counts once its work has ended', async () => {
  const one = `GET /api/v1/paints HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.token}\r\n\r\n`;
  for (let n = 0; n < 20; n++) {
    const socket = await openSocket();
    socket.write(one.repeat(4));
    await once(socket, 'data');
    socket.destroy();
  }
  const atOnce = async () => (await Promise.all(Array.from({ length: 5 }, () => isServed('127.0.0.1')))).every(Boolean);
  await until(atOnce);
});

test('requests whose client disconnects before their body is read no longer count', async () => {
  const { token } = await tenant.client();
  const head = `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nX-Forwarded-For: 192.0.2.9\r\n`;
  const one = `${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
  const { prisma, transaction } = service.database;
  await transaction(async () => {
    // Their token is not looked up before they leave.
    await prisma.$executeRaw`LOCK TABLE api_tokens`;
    for (let n = 0; n < 5; n++) {
      const socket = await openSocket();
      await new Promise((resolve) => socket.write(one, resolve));
      await sleep(20);
      socket.destroy();
    }
    await sleep(100);
  });
  await until(() => isServed('192.0.2.9'));
});

test('a list in CSV is in flight until it was read', async () => {
  const { prisma } = service.database;
  const data = { companyId: tenant.company.id, createdBy: tenant.users[0]?.id ?? '', description: 'x'.repeat(20_000) };
  await prisma.serviceRequest.createMany({ data: Array.from({ length: 600 }, (_, n) => ({ ...data, title: `${n}` })) });
  const headers = { accept: 'text/csv', authorization: `Bearer ${client.token}`, ...from('192.0.2.3') };
  const exports = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const [response] = await once(get(`${service.origin}/api/v1/service-requests`, { headers }), 'response');
      return response as IncomingMessage;
    }),
  );
  expect(exports.map(({ statusCode }) => statusCode)).toEqual(Array(5).fill(200));
  expect(await isServed('192.0.2.3')).toBe(false);
  for (const response of exports) expect((await text(response)).length).toBeGreaterThan(600 * 20_000);
  await until(() => isServed('192.0.2.3'));
});
