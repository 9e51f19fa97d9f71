import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCompany } from '../../src/auth/accounts.ts';
import type { Client, Reply } from '../support/client.ts';
import { collectionsWith } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let rows: Rows;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant('acme');
  rows = await Rows.of(service, tenant);
  client = rows.client;
});
afterAll(() => service.close());

const post = (caller: Client, path: string, body: unknown, key: string = randomUUID(), headers = {}) =>
  caller.post(path, body, { 'idempotency-key': key, ...headers });
const replayed = ({ headers }: Reply) => headers.get('idempotent-replayed');
const count = async (path: string) => (await client.get(path, { limit: 1 })).meta.total;
const kept = () => service.database.prisma.idempotencyKey.count();

test.each(collectionsWith('create'))('POST %s runs once', async (_path, { path, on }) => {
  const address = fill(path, await rows.parents(path));
  const body = await rows.body(on.create?.operation.field ?? '', { full: true });
  const key = randomUUID();
  const first = await post(client, address, body, key);
  const second = await post(client, address, body, key);
  expect(first).toMatchObject({ status: 201, row: body });
  expect(replayed(first)).toBeNull();
  expect([second.status, second.text, replayed(second)]).toEqual([201, first.text, 'true']);
  for (const header of ['content-type', 'etag', 'x-request-id'])
    expect(second.headers.get(header)).toBe(first.headers.get(header));
});

test.each(collectionsWith('create'))('POST %s takes a key that is given twice as one', async (_path, { path, on }) => {
  const address = fill(path, await rows.parents(path));
  const body = JSON.stringify(await rows.body(on.create?.operation.field ?? '', { full: true }));
  const key = randomUUID();
  const send = (...keys: readonly string[]) =>
    sendLines(
      address,
      body,
      keys.map((each) => ['Idempotency-Key', each]),
    );
  const before = await kept();
  expect((await send(key, randomUUID())).status).toBe(400);
  const first = await send(key);
  const second = await send(key, key);
  const third = await send(key, key, key);
  expect([first, second, third].map(({ status, text }) => [status, text])).toEqual(Array(3).fill([201, first.text]));
  expect([second, third].map(({ replayed }) => replayed)).toEqual(['true', 'true']);
  expect(await kept()).toBe(before + 1);
});

test.each([
  ['Idempotency-Key', 'a', 'b'],
  ['Idempotency-Key-Max-Age', '86400', '90000'],
  ['Authorization', 'Bearer x', 'Bearer y'],
  ['Content-Type', 'application/json', 'text/plain'],
  ['Last-Event-ID', 'a', 'b'],
  ['Premises-Company', 'a', 'b'],
  ['Premises-Person', 'a', 'b'],
])('two different headers %s are refused by name', async (name, one, other) => {
  for (const path of ['/vendors', '/graphql']) {
    const reply = await sendLines(path, '{"query":"{ __typename }"}', [
      [name, one],
      [name.toLowerCase(), other],
    ]);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(`"${name}: is given more than once, with different values"`);
  }
});

/** Posts with these header lines, which may have a name twice. */
async function sendLines(path: string, body: string, lines: readonly (readonly [name: string, value: string])[]) {
  const names = lines.map(([name]) => name.toLowerCase());
  const others = [
    ['Authorization', `Bearer ${client.token}`],
    ['Content-Type', 'application/json'],
  ].filter(([name = '']) => !names.includes(name.toLowerCase()));
  const url = new URL(path === '/graphql' ? path : `/api/v1${path}`, service.origin);
  const headers = [['Host', url.host], ['Content-Length', String(Buffer.byteLength(body))], ...others, ...lines];
  const [response] = (await once(request(url, { method: 'POST', headers: headers.flat() }).end(body), 'response')) as [
    IncomingMessage,
  ];
  const replayed = response.headers['idempotent-replayed'];
  return { status: response.statusCode, text: await text(response), replayed };
}

test('one of twenty concurrent requests runs, and the others get its response or 409', async () => {
  const key = randomUUID();
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => post(client, '/vendors', { company_name: 'Twenty' }, key)),
  );
  for (const reply of replies.filter(({ status }) => status !== 201)) {
    expect(reply).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
    expect(reply.headers.get('retry-after')).toBe('1');
  }
  const made = replies.filter(({ status }) => status === 201);
  expect(made.filter((reply) => !replayed(reply))).toHaveLength(1);
  expect(new Set(made.map(({ text }) => text)).size).toBe(1);
  expect(await count('/vendors?company_name=Twenty')).toBe(1);
  expect((await post(client, '/vendors', { company_name: 'Twenty' }, key)).text).toBe(made[0]?.text);
});

describe('a stored response', () => {
  test('can be an error of the request, also if it would succeed by now', async () => {
    const item = { name: 'Bolt', sku: randomUUID() };
    const building = randomUUID();
    const taken = (await client.post('/inventory', item)).row['id'];
    const cases = [
      ['/inventory', item, 409],
      [`/inventory/${taken}/adjustments`, { type: 'removal', quantity: 5 }, 409],
      [`/inventory/${building}/adjustments`, { type: 'addition', quantity: 5 }, 404],
      ['/inventory/batch', { items: [{ name: 'New' }, item] }, 409],
    ] as const;
    const before = await kept();
    const answers = new Map<string, Reply>();
    for (const [path, body, status] of cases) {
      const key = randomUUID();
      const reply = await post(client, path, body, key);
      expect(reply).toMatchObject({ status, error: { status } });
      answers.set(key, reply);
    }
    expect(await kept()).toBe(before + cases.length);
    await client.delete(`/inventory/${taken}`);
    for (const [n, [key, first]] of [...answers].entries()) {
      const [path, body] = cases[n] ?? cases[0];
      const again = await post(client, path, body, key);
      expect([again.status, again.text, replayed(again)]).toEqual([first.status, first.text, 'true']);
    }
    expect((await client.get('/inventory', { name: 'New,Nut' })).rows).toEqual([]);
  });

  test('is never an error that may not recur: missing scope or token, unreadable or invalid body', async () => {
    const before = await kept();
    const key = randomUUID();
    const body = { company_name: 'Later' };
    const reader = await tenant.client(['vendors:read']);
    expect((await post(reader, '/vendors', body, key)).status).toBe(403);
    expect((await post(service.anonymous, '/vendors', body, key)).status).toBe(401);
    expect((await post(client, '/vendors', '{', key)).status).toBe(400);
    expect((await post(client, '/vendors?limit=3', body, key)).status).toBe(400);
    expect((await post(client, '/vendors', { ...body, company_nme: 'Later' }, key)).status).toBe(422);
    expect((await post(client, '/vendors', '{}', key, { 'content-type': 'text/plain' })).status).toBe(415);
    expect(await kept()).toBe(before);
    expect((await post(client, '/vendors', body, key)).status).toBe(201);
  });

  test('is kept for a day', async () => {
    const body = { company_name: 'Daily' };
    const key = randomUUID();
    const first = (await post(client, '/vendors', body, key)).row['id'];
    const age = (hours: number) =>
      service.database.prisma.idempotencyKey.updateMany({
        data: {
          createdAt: new Date(Date.now() - hours * 3600_000),
          expiresAt: new Date(Date.now() + (24 - hours) * 3600_000),
        },
      });
    await age(23.9);
    expect((await post(client, '/vendors', body, key)).row['id']).toBe(first);
    await age(24.1);
    const next = await post(client, '/vendors', body, key);
    expect([next.status, replayed(next)]).toEqual([201, null]);
    expect(next.row['id']).not.toBe(first);
    expect((await post(client, '/vendors', body, key)).row['id']).toBe(next.row['id']);
  });

  test('cannot be read without the key', async () => {
    const { answer } = await service.database.prisma.idempotencyKey.findFirstOrThrow({
      orderBy: { createdAt: 'desc' },
    });
    expect(Buffer.from(answer).toString('latin1')).not.toContain('Daily');
  });
});

describe('a key', () => {
  test('is rejected for another body or URL', async () => {
    const key = randomUUID();
    const first = await post(client, '/vendors', { company_name: 'One', address: 'Here' }, key);
    const other = {
      status: 422,
      error: {
        code: 'VALIDATION_ERROR',
        message: expect.stringContaining('Idempotency-Key'),
        details: { 'Idempotency-Key': expect.any(String) },
      },
    };
    expect(await post(client, '/vendors', { company_name: 'Two', address: 'Here' }, key)).toMatchObject(other);
    expect(await post(client, '/vendors', {}, key)).toMatchObject(other);
    expect(await post(client, '/paints', { company_name: 'One', address: 'Here' }, key)).toMatchObject(other);
    expect((await post(client.at('/v1'), '/vendors/', '{ "address": "Here",  "company_name": "One" }', key)).text).toBe(
      first.text,
    );
  });

  test('belongs to one caller in one company', async () => {
    const key = randomUUID();
    const body = { company_name: 'Mine' };
    const elsewhere = await service.tenant();
    const callers = [
      client,
      await tenant.client(),
      await tenant.client(['*'], { live: false }),
      await elsewhere.client(),
    ];
    const replies = await Promise.all(callers.map((caller) => post(caller, '/vendors', body, key)));
    expect(replies.map((reply) => [reply.status, replayed(reply)])).toEqual(callers.map(() => [201, null]));
    expect(new Set(replies.map(({ row }) => row['id'])).size).toBe(4);
  });

  test('consists of 1 to 255 printable ASCII characters', async () => {
    for (const key of ['k'.repeat(255), '~ !"#', '0'])
      expect((await post(client, '/vendors', { company_name: 'Form' }, key)).status).toBe(201);
    for (const key of ['', 'k'.repeat(256), 'é', 'a\tb']) {
      const reply = await post(client, '/vendors', { company_name: 'Form' }, key);
      expect(reply).toMatchObject({
        status: 400,
        error: { code: 'BAD_REQUEST', message: expect.stringContaining('Idempotency-Key') },
      });
    }
  });
});

test('side effects happen once: stock, transfers, completed deliveries', async () => {
  const item = (await client.post('/inventory', { name: 'Stock', quantity: 10 })).row;
  const key = randomUUID();
  const body = { type: 'removal', quantity: 4 };
  const path = `/inventory/${item['id']}/adjustments`;
  const replies = await Promise.all(Array.from({ length: 6 }, () => post(client, path, body, key)));
  expect(replies.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
  expect((await client.get(`/inventory/${item['id']}`)).row['quantity']).toBe(6);
  // Different keys are different requests: they wait for each other's locks, and none is lost.
  await Promise.all(Array.from({ length: 6 }, () => post(client, path, { type: 'removal', quantity: 1 })));
  expect((await client.get(`/inventory/${item['id']}`)).row['quantity']).toBe(0);
});

test('a guest registers a package once', async () => {
  await createCompany(service.database.prisma, { slug: 'host', name: 'Host' });
  const key = randomUUID();
  const body = { company_slug: 'host', guest_name: 'Gus', guest_email: 'gus@example.com' };
  const [first, second] = [
    await post(service.anonymous, '/public/expected-packages', body, key),
    await post(service.anonymous, '/public/expected-packages', body, key),
  ];
  expect(first.status).toBe(201);
  expect(second.row['tracking_token']).toBe(first.row['tracking_token']);
  expect(replayed(second)).toBe('true');
});

test('other methods and GraphQL ignore it', async () => {
  const before = await kept();
  const headers = { 'idempotency-key': 'k' };
  const { row } = await client.post('/vendors', { company_name: 'Plain' });
  expect(replayed(await client.patch(`/vendors/${row['id']}`, { address: 'A' }, headers))).toBeNull();
  expect((await client.patch(`/vendors/${row['id']}`, { address: 'B' }, headers)).row['address']).toBe('B');
  expect((await client.at('').post('/graphql', { query: '{ vendors { totalCount } }' }, headers)).status).toBe(200);
  expect(await kept()).toBe(before);
});
