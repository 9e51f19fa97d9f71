import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from './support/client.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

const token = 'metrics-of-this-service';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService({ METRICS_TOKEN: token });
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

async function request(authorization?: string, method = 'GET') {
  const reply = await fetch(`${service.origin}/metrics`, {
    method,
    headers: authorization === undefined ? {} : { authorization },
  });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

/** The samples by name and labels, such as `premises_build_info{version="0.1.0"}`. */
async function scrape(): Promise<Map<string, number>> {
  const reply = await request(`Bearer ${token}`);
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  const lines = reply.text.split('\n').filter((line) => line !== '' && !/^# (HELP|TYPE) \w+ ./.test(line));
  return new Map(
    lines.map((line) => {
      const [, name = '', value] = /^([a-z_\d]+(?:\{[^{}]*\})?) (-?[\d.e+-]+|Nan|\+Inf)$/.exec(line) ?? [];
      expect([line, name]).not.toEqual([line, '']);
      return [name, Number(value)];
    }),
  );
}

const requests = (method: string, route: string, status: string) =>
  `premises_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`;

test.each([
  undefined,
  '',
  'Bearer',
  'Bearer wrong',
  `Bearer ${token}x`,
  `Bearer ${token.slice(1)}`,
  `Basic ${token}`,
  token,
])('the metrics require their token, not %p', async (authorization) => {
  const reply = await request(authorization);
  expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect(JSON.parse(reply.text)).toMatchObject({ error: { code: 'INVALID_TOKEN' } });
});

test('the name of the scheme may be in any case', async () => {
  expect((await request(`bearer ${token}`)).status).toBe(200);
});

test('an API token is not accepted for metrics, nor METRICS_TOKEN for the API', async () => {
  expect((await request(`Bearer ${client.token}`)).status).toBe(401);
  const reply = await service.anonymous.get('/paints', {}, { authorization: `Bearer ${token}` });
  expect(reply.status).toBe(401);
});

test('other methods are rejected', async () => {
  for (const [method, status] of [
    ['HEAD', 200],
    ['OPTIONS', 204],
    ['POST', 405],
    ['DELETE', 405],
  ] as const)
    expect([method, (await request(`Bearer ${token}`, method)).status]).toEqual([method, status]);
});

test('requests are measured by route, method and class of status', async () => {
  const before = await scrape();
  const { row } = await client.post('/paints', { name: 'White' });
  for (let n = 0; n < 3; n += 1) await client.get(`/paints/${String(row['id'])}`);
  await client.get(`/paints/${randomUUID()}`);
  await client.graphql('{ paints { totalCount } }');
  const after = await scrape();
  const more = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  expect(more(requests('POST', '/api/v1/paints', '2xx'))).toBe(1);
  expect(more(requests('GET', '/api/v1/paints/:id', '2xx'))).toBe(3);
  expect(more(requests('GET', '/api/v1/paints/:id', '4xx'))).toBe(1);
  expect(more(requests('POST', '/graphql', '2xx'))).toBe(1);
  const bucket = 'premises_http_request_duration_seconds_bucket{le="+Inf",method="POST",route="/graphql",status="2xx"}';
  expect(after.get(bucket)).toBe(after.get(requests('POST', '/graphql', '2xx')));
  expect(more('premises_database_statements_total{pool="all"}') || more(statements('requests'))).toBeGreaterThan(5);
});

const statements = (pool: string) => `premises_database_statements_total{pool="${pool}"}`;

test('labels have no values that clients choose', async () => {
  const secret = 'SB1000secret';
  const guest = service.anonymous;
  await guest.get(`/public/expected-packages/${secret}`);
  await guest.get(`/${secret}`, { [secret]: secret });
  await guest.at('').request('PROPFIND', `/${secret}`);
  await guest.at('').request('GET', `/assets/${secret}.js`);
  const before = await scrape();
  for (const other of [`${secret}2`, `${secret}3`]) {
    await guest.get(`/public/expected-packages/${other}`);
    await guest.get(`/${other}`);
    await guest.at('').request('REPORT', `/${other}`);
  }
  const names = [...(await scrape()).keys()];
  expect(names.join()).not.toContain(secret);
  expect(names.join()).not.toMatch(/PROPFIND|REPORT|[\da-f]{8}-[\da-f]{4}/);
  expect(names.filter((name) => !before.has(name) && !name.includes('nodejs_gc'))).toEqual([]);
});

test('refusals by rate limits are counted', async () => {
  const limited = await tenant.client(['*'], { rateLimit: 1 });
  const refusals = async () => (await scrape()).get('premises_rate_limit_refusals_total') ?? 0;
  const before = await refusals();
  for (let n = 0; n < 3; n += 1) await limited.get('/paints');
  expect(await refusals()).toBe(before + 2);
});

test('the process, its build and its database are measured', async () => {
  const samples = await scrape();
  const pools = service.database.kind === 'embedded' ? ['all'] : ['authentication', 'requests', 'background'];
  for (const pool of pools) {
    const of = (name: string) => samples.get(`premises_database_${name}{pool="${pool}"}`);
    const { size } = service.database.pools().find(({ name }) => name === pool) ?? {};
    expect([pool, of('pool_size'), of('waiting'), of('admission_waits_total')]).toEqual([
      pool,
      size,
      expect.any(Number),
      expect.any(Number),
    ]);
    for (const open of [of('connections_in_use'), of('connections_idle')]) {
      expect(open).toBeGreaterThanOrEqual(0);
      expect(open).toBeLessThanOrEqual(size ?? 0);
    }
    expect(of('admission_wait_seconds_total')).toBeGreaterThanOrEqual(0);
    expect(of('admission_refusals_total')).toBe(0);
  }
  expect(samples.get('premises_http_requests_in_flight')).toBeGreaterThanOrEqual(1);
  expect([...samples]).toContainEqual([expect.stringMatching(/^premises_build_info\{version="[\d.]+"\}$/), 1]);
  expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
  expect(samples.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
});
