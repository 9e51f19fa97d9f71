import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DateTime } from 'luxon';
import { Client, type Reply } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;

/** Starts a service with these settings for the tests of a block. */
function serviceWith(env: Record<string, string>) {
  beforeAll(async () => {
    service = await startService(env);
    tenant = await service.tenant();
  });
  afterAll(() => service.close());
}

const left = ({ headers }: Reply) => Number(headers.get('x-ratelimit-remaining'));
const statusesOf = async (replies: Promise<Reply>[]) => (await Promise.all(replies)).map(({ status }) => status);
const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));

function expectRefused(reply: Reply, limit: number) {
  expect(reply).toMatchObject({ status: 429, error: { code: 'RATE_LIMITED', status: 429 } });
  const wait = Number(reply.headers.get('retry-after'));
  // A busy machine may take a while.
  expect(wait).toBeGreaterThan(3500);
  expect(wait).toBeLessThanOrEqual(3601);
  expect(reply.headers.get('x-ratelimit-limit')).toBe(String(limit));
  expect(left(reply)).toBe(0);
  expect(Math.abs(Number(reply.headers.get('x-ratelimit-reset')) - Date.now() / 1000 - wait)).toBeLessThan(100);
}

describe('a token', () => {
  serviceWith({});

  test('gets its limit, the remaining requests, and the end of the hour', async () => {
    const client = await tenant.client(['*'], { rateLimit: 3 });
    const replies = [await client.get('/paints'), await client.post('/paints', {}), await client.get('/nothing')];
    expect(replies.map(left)).toEqual([2, 1, 0]);
    const [reset, ...others] = replies.map(({ headers }) => Number(headers.get('x-ratelimit-reset')));
    expect(others).toEqual([reset, reset]);
    expect(Math.abs((reset ?? 0) - Date.now() / 1000 - 3600)).toBeLessThan(100);
    expectRefused(await client.get('/paints'), 3);
    expect(await client.graphql('{ __typename }')).toMatchObject({
      status: 429,
      errors: [{ extensions: { code: 'RATE_LIMITED', status: 429 } }],
    });
    expectRefused(await client.at('/v1').get('/buildings'), 3);
  });

  test('describes itself to its caller', () => Promise.all([true, false].map(describesItself)));

  async function describesItself(live: boolean) {
    const { company, users } = tenant;
    const client = await tenant.client(['paint:read', 'hr:write'], { live, rateLimit: 10, expires: true });
    await client.get('/paints');
    const reply = await client.get('/token');
    const { id, name, slug } = await service.database.prisma.company.findUniqueOrThrow({
      where: { id: live ? company.id : company.sandbox.id },
    });
    expect(reply).toMatchObject({ status: 200, meta: { request_id: expect.any(String) } });
    expect(reply.row).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      name: 'test',
      live,
      user: { id: users[0]?.id, full_name: 'Ada company-1', email: 'ada@company-1.example' },
      company: { id, name, slug },
      scopes: ['paint:read', 'hr:write'],
      rate_limit: {
        limit: 10,
        remaining: 8,
        resets_at: new Date(Number(reply.headers.get('x-ratelimit-reset')) * 1000).toISOString(),
      },
      expires_at: expect.any(String),
      created_at: expect.any(String),
    });
    // A year later.
    const [from, until] = ['created_at', 'expires_at'].map((name) => DateTime.fromISO(String(reply.row[name])));
    expect(until?.diff(from as DateTime, 'years').years).toBeCloseTo(1, 3);
    expect(left(reply)).toBe(8);
    const { data } = await client.graphql('{ currentApiToken { id live rateLimit { remaining } } }');
    expect(data.currentApiToken).toEqual({ id: reply.row['id'], live, rateLimit: { remaining: 7 } });

    const expiresAt = new Date(Date.now() + 60_000);
    const ofThis = { where: { id: String(reply.row['id']) } };
    await service.database.prisma.apiToken.updateMany({ ...ofThis, data: { expiresAt } });
    expect((await client.get('/token')).row['expires_at']).toBe(expiresAt.toISOString());
    await service.database.prisma.apiToken.updateMany({ ...ofThis, data: { revokedAt: new Date() } });
    await sleep(1000); // A token is revoked within a second.
    expect(await client.get('/token')).toMatchObject({ status: 401, error: { code: 'INVALID_TOKEN' } });
  }

  test('is limited exactly, also with concurrent requests', async () => {
    const client = await tenant.client(['*'], { rateLimit: 20 });
    const statuses = await statusesOf(times(50, (n) => (n % 2 ? client : client.at('/v1')).get('/paints')));
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
  });

  test('is not charged for rejected requests', async () => {
    const client = await tenant.client(['*'], { rateLimit: 2 });
    await statusesOf(times(10, () => client.get('/paints')));
    await service.database.prisma.apiToken.updateMany({ where: { rateLimit: 2 }, data: { rateLimit: 5 } });
    await sleep(1000); // A token's limit takes effect within a second.
    expect(left(await client.get('/paints'))).toBe(2);
  });

  test('has its own limit', async () => {
    const [one, other] = [await tenant.client(['*'], { rateLimit: 1 }), await tenant.client(['*'], { rateLimit: 1 })];
    expect(await statusesOf([one.get('/paints'), other.get('/paints')])).toEqual([200, 200]);
    expect((await one.get('/paints')).status).toBe(429);
  });

  test('is charged once per GraphQL request', async () => {
    const client = await tenant.client(['*'], { rateLimit: 9 });
    const fields = times(5, (n) => `a${n}: paints { nodes { id } }`).join(' ');
    const { headers, data } = await client.graphql(`{ ${fields} }`);
    expect(Object.keys(data)).toHaveLength(5);
    expect(headers.get('x-ratelimit-remaining')).toBe('8');
    expect((await client.graphql('{ nonsense }')).headers.get('x-ratelimit-remaining')).toBe('7');
  });
});

describe('a token with the default limit', () => {
  serviceWith({ RATE_LIMIT_TOKEN_PER_HOUR: '' });

  test('may send 100 requests an hour', async () => {
    const client = await tenant.client();
    expect((await client.get('/paints')).headers.get('x-ratelimit-limit')).toBe('100');
    const statuses = await statusesOf(times(100, () => client.get('/paints')));
    expect(statuses.filter((status) => status === 200)).toHaveLength(99);
    expectRefused(await client.get('/paints'), 100);
  });
});

describe('an address without a valid token', () => {
  serviceWith({ RATE_LIMIT_PUBLIC_PER_HOUR: '6' });

  test('is limited by its address, which cannot be spoofed', async () => {
    const spoof = (n: number) => ({
      'x-forwarded-for': `198.51.100.${n}`,
      forwarded: `for=198.51.100.${n}`,
      'x-real-ip': `198.51.100.${n}`,
    });
    const impostor = new Client(service.origin, `svc_live_${'x'.repeat(38)}`);
    const replies = [
      await service.anonymous.get('/paints', {}, spoof(1)),
      await impostor.get('/paints', {}, spoof(2)),
      await impostor.at('/v1').get('/paints', {}, spoof(3)),
      await service.anonymous.get('/nothing', {}, spoof(4)),
      await service.anonymous.at('').post('/graphql', { query: '{ __typename }' }, spoof(5)),
      await service.anonymous.post('/paints', {}, spoof(6)),
    ];
    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(401));
    expect(replies.map(left)).toEqual([5, 4, 3, 2, 1, 0]);
    for (let n = 7; n < 10; n++) expectRefused(await impostor.get('/paints', {}, spoof(n)), 6);
    expect((await (await tenant.client()).get('/paints')).status).toBe(200);
  });
});

describe('a request that does not count', () => {
  serviceWith({ RATE_LIMIT_PUBLIC_PER_HOUR: '7' });

  test.each([
    ['OPTIONS', '/api/v1/paints', 204],
    ['OPTIONS', '/v1/paints/x', 204],
    ['OPTIONS', '/api/v1/nothing', 404],
    ['OPTIONS', '/api/v1/public/expected-packages', 204],
    ['OPTIONS', '/graphql', 204],
    ['GET', '/api/v1/openapi.json', 200],
    ['HEAD', '/v1/openapi.json?', 200],
    ['DELETE', '/api/v1/openapi.json', 405],
    ['GET', '/graphql', 200],
  ])('gets its rate limit: %s %s', async (method, path, status) => {
    const client = await tenant.client(['*'], { rateLimit: 5 });
    const ask = async (token?: string) => {
      const headers = { accept: 'text/html', ...(token && { authorization: `Bearer ${token}` }) };
      const reply = await fetch(service.origin + path, { method, headers });
      await reply.arrayBuffer(); // An unread body would delay the end of the service.
      return [reply.status, ...['limit', 'remaining'].map((name) => Number(reply.headers.get(`x-ratelimit-${name}`)))];
    };
    const isPublic = path.includes('public');
    for (let time = 0; time < 8; time++) {
      expect(await ask(client.token)).toEqual(isPublic ? [status, 7, 7] : [status, 5, 5]);
      expect(await ask()).toEqual([status, 7, 7]);
      expect(await ask('svc_live_nonsense')).toEqual([status, 7, 7]);
    }
    expect(left(await client.get('/paints'))).toBe(4);
    if (!isPublic) expect(await ask(client.token)).toEqual([status, 5, 4]);
  });

  test('is answered when the limit is used up', async () => {
    const client = await tenant.client(['*'], { rateLimit: 1 });
    await client.get('/paints');
    const reply = await client.request('OPTIONS', '/paints');
    expect([reply.status, left(reply), reply.headers.get('retry-after')]).toEqual([204, 0, null]);
  });
});

describe('with a limit for a whole company', () => {
  serviceWith({ RATE_LIMIT_COMPANY_PER_HOUR: '5' });

  test('its tokens together may send that many requests, and those of others are not affected', async () => {
    const clients = [await tenant.client(), await tenant.client()];
    const sent = times(8, (n) => clients[n % 2]?.get('/paints') as Promise<Reply>);
    expect((await statusesOf(sent)).sort()).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    const refused = await clients[0]?.get('/paints');
    expect(refused?.error).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringContaining('company') });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    // What is refused for the company does not count for the token.
    const again = await clients[0]?.get('/paints');
    expect(again?.headers.get('x-ratelimit-remaining')).toBe(refused?.headers.get('x-ratelimit-remaining'));
    expect((await (await (await service.tenant()).client()).get('/paints')).status).toBe(200);
  });
});

describe('with a limit of rows', () => {
  serviceWith({ ROW_LIMIT_COMPANY_PER_HOUR: '5' });

  test('a company writes that many by requests with many', async () => {
    const clients = [await tenant.client(), await tenant.client()] as const;
    const write = (client: Client, rows: number, query: Record<string, unknown> = {}) => {
      const operations = Array.from({ length: rows }, (_, n) => ({ create: { company_name: `Vendor ${n}` } }));
      return client.request('POST', '/vendors/batch', { body: { operations }, query });
    };
    const limits = ({ headers }: Reply) => [headers.get('x-rowlimit-limit'), headers.get('x-rowlimit-remaining')];
    const first = await write(clients[0], 3);
    expect([first.status, ...limits(first)]).toEqual([200, '5', '2']);
    const refused = await write(clients[1], 3);
    expect([refused.status, ...limits(refused)]).toEqual([429, '5', '2']);
    expect(refused.error).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringContaining('2 more rows') });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // What is refused counts nothing, and a dry run counts.
    const dry = await write(clients[1], 2, { dry_run: 'true' });
    expect([dry.status, ...limits(dry)]).toEqual([200, '5', '0']);
    const many = { query: { company_name: 'Vendor 0', expected_count: 1 } };
    expect((await clients[0].request('DELETE', '/vendors', many)).status).toBe(429);
    expect((await clients[0].post('/inventory/batch', { items: [{ name: 'A', sku: 'A' }] })).status).toBe(429);
    // Rows written one by one are limited by requests.
    expect((await clients[0].post('/vendors', { company_name: 'One' })).status).toBe(201);
    expect((await clients[0].get('/vendors')).meta.total).toBe(4);
    const others = await (await service.tenant()).client();
    expect((await write(others, 5)).status).toBe(200);
  });
});

describe('behind a trusted proxy', () => {
  serviceWith({ RATE_LIMIT_PUBLIC_PER_HOUR: '1', TRUST_PROXY: '1' });

  test('the forwarded address is limited', async () => {
    const from = (addresses: string) => service.anonymous.get('/paints', {}, { 'x-forwarded-for': addresses });
    expect((await from('198.51.100.1')).status).toBe(401);
    expect((await from('198.51.100.2')).status).toBe(401);
    expectRefused(await from('198.51.100.1'), 1);
    expectRefused(await from('203.0.113.9, 198.51.100.1'), 1);
    // One customer has all the addresses of a /64 network.
    expect((await from('2001:db8:1:2::1')).status).toBe(401);
    expectRefused(await from('2001:db8:1:2:ffff::9'), 1);
    expect((await from('2001:db8:1:3::1')).status).toBe(401);
    // Some proxies add the port, which differs for each connection.
    expect((await from('198.51.100.7:50001')).status).toBe(401);
    expectRefused(await from('198.51.100.7:50002'), 1);
    expectRefused(await from('198.51.100.7'), 1);
    expectRefused(await from('203.0.113.9:4000, 198.51.100.7:50003'), 1);
    expect((await from('[2001:db8:1:4::1]:50001')).status).toBe(401);
    expectRefused(await from('[2001:db8:1:4::2]:50002'), 1);
    expectRefused(await from('[2001:db8:1:4::2]'), 1);
    expectRefused(await from('2001:db8:1:4::3'), 1);
  });
});

// Guests have no account, so they are limited per IP address.
describe('a guest', () => {
  serviceWith({ RATE_LIMIT_PUBLIC_PER_HOUR: '20', RATE_LIMIT_LOOKUP_PER_HOUR: '40', TRUST_PROXY: '1' });
  const path = '/public/expected-packages';
  const status = `${path}/status`;

  test('may look up packages more often from one address than register them, each by its own count', async () => {
    const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });
    const first = await service.anonymous.request('GET', `${path}/x`, from('192.0.2.1'));
    expect(['limit', 'remaining'].map((name) => first.headers.get(`x-ratelimit-${name}`))).toEqual(['40', '39']);
    expect(Number(first.headers.get('x-ratelimit-reset')) * 1000).toBeGreaterThan(Date.now());

    const ways = [
      ['GET', `${path}/x`, 404],
      ['POST', path, 201],
      ['GET', `${status}?company_slug=${tenant.company.slug}&email=a@b.test`, 200],
      ['GET', status, 400],
      ['POST', path, 422],
    ] as const;
    const replies = await Promise.all(
      Array.from({ length: 80 }, (_, n) => {
        const [method, at, expected] = ways[n % ways.length] ?? ways[0];
        const { slug: company_slug } = tenant.company;
        const body = expected === 201 ? { company_slug, guest_name: 'Mira', guest_email: 'mira@halden.test' } : {};
        return service.anonymous.request(method, at, { ...from('192.0.2.1'), ...(method === 'POST' && { body }) });
      }),
    );
    const refused = replies.filter(({ status }) => status === 429);
    // 48 are lookups, and 32 register.
    const count = (kind: 'GET' | 'POST') =>
      replies.filter(({ status }, n) => status === 429 && ways[n % ways.length]?.[0] === kind).length;
    expect([count('GET'), count('POST')]).toEqual([48 - 39, 32 - 20]);
    for (const reply of refused) {
      expect(reply.error.code).toBe('RATE_LIMITED');
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(reply.headers.get('x-ratelimit-remaining')).toBe('0');
    }
    expect((await service.anonymous.request('GET', `${path}/x`, from('192.0.2.2'))).status).toBe(404);
  });

  test('is limited by address, even with a token', async () => {
    const token = (await tenant.client()).token;
    const reply = await service.anonymous.request('GET', `${path}/x`, {
      headers: { 'x-forwarded-for': '192.0.2.3', authorization: `Bearer ${token}` },
    });
    expect(reply.status).toBe(404);
    expect(reply.headers.get('x-ratelimit-limit')).toBe('40');
  });
});
