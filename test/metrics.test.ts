import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { failureCounts } from '../src/failure-counts.ts';
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
  const pools =
    service.database.kind === 'embedded' ? ['all'] : ['authentication', 'requests', 'streams', 'background'];
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

test('what waits is measured', async () => {
  const { database } = service;
  const userId = tenant.users[0]?.id;
  const text = `INSERT INTO webhooks (company_id, id, user_id, name, url, secret, position, failing_since)
    VALUES ($1, gen_random_uuid(), $2, 'CRM', 'https://crm.example', 's', '', now()) RETURNING id`;
  const { rows } = await database.query({ text, values: [tenant.company.id, userId] });
  const message = `INSERT INTO webhook_deliveries (company_id, id, webhook_id, event, status, created_at)
    SELECT $1, gen_random_uuid(), $2, 'test', status, now() - interval '100 s'
    FROM unnest(ARRAY['pending', 'pending', 'succeeded']) AS status`;
  await database.query({ text: message, values: [tenant.company.id, rows[0]?.['id']] });
  const samples = await scrape();
  expect(samples.get('premises_messages_pending{queue="webhooks"}')).toBe(2);
  expect(samples.get('premises_messages_oldest_pending_seconds{queue="webhooks"}')).toBeGreaterThanOrEqual(100);
  expect(samples.get('premises_messages_pending{queue="mail"}')).toBe(0);
  expect(samples.get('premises_messages_oldest_pending_seconds{queue="mail"}')).toBe(0);
  expect(samples.get('premises_webhooks_failing')).toBe(1);
  expect(samples.get('premises_changes_held_back_seconds')).toBeGreaterThanOrEqual(0);
});

test('jobs are measured by their kind, until none of it waits', async () => {
  const { prisma } = service.database;
  const companyId = tenant.company.id;
  const createdAt = new Date(Date.now() - 100_000);
  const add = (kind: string, others = {}) =>
    prisma.job.create({ data: { companyId, kind, payload: {}, createdAt, ...others } });
  for (const kind of ['imports', 'imports', 'exports']) await add(kind);
  await add('imports', { state: 'succeeded', createdAt: new Date(0) });
  const samples = await scrape();
  const of = (name: string, kind: string) => samples.get(`premises_jobs_${name}{kind="${kind}"}`);
  expect([of('pending', 'imports'), of('pending', 'exports')]).toEqual([2, 1]);
  expect(of('oldest_pending_seconds', 'imports')).toBeGreaterThanOrEqual(100);
  expect(of('oldest_pending_seconds', 'imports')).toBeLessThan(700);
  expect(samples.get('premises_messages_pending{queue="jobs"}')).toBe(3);
  await prisma.job.deleteMany();
  expect([...(await scrape()).keys()].filter((name) => name.startsWith('premises_jobs_'))).toEqual([]);
});

test('requests that wait for changes are counted while they do', async () => {
  const waiting = async () => (await scrape()).get('premises_http_requests_waiting');
  expect(await waiting()).toBe(0);
  const { next } = (await client.get('/changes')).row;
  const leaving = new AbortController();
  const request = fetch(`${service.origin}/api/v1/changes?after=${String(next)}`, {
    headers: { authorization: `Bearer ${client.token}`, prefer: 'wait=30' },
    signal: leaving.signal,
  }).catch(() => {});
  const until = async (count: number) => {
    for (let n = 0; n < 100 && (await waiting()) !== count; n += 1) await sleep(50);
    return waiting();
  };
  expect(await until(1)).toBe(1);
  leaving.abort();
  await request;
  expect(await until(0)).toBe(0);
});

describe('the age of the oldest is that of all, and 10,000 are counted,', () => {
  test('of messages', async () => {
    const { database } = service;
    const insert = `INSERT INTO webhook_deliveries (company_id, id, webhook_id, event, created_at)
      SELECT company_id, gen_random_uuid(), id, 'test', now() - make_interval(secs => $1)
      FROM webhooks, generate_series(1, $2::int) WHERE company_id = $3`;
    await database.query({ text: insert, values: [200, 10_000, tenant.company.id] });
    await database.query({ text: insert, values: [5000, 1, tenant.company.id] });
    const mail = `INSERT INTO notifications
      (company_id, id, user_id, kind, table_name, row_id, xid, seq, mail_status, mail_group, created_at)
      SELECT $1, gen_random_uuid(), $2, 'assigned', 'service_requests', gen_random_uuid(), 0, 0, 'pending', '',
             now() - make_interval(secs => CASE WHEN n > 10000 THEN 6000 ELSE 100 END)
      FROM generate_series(1, 10001) AS n`;
    await database.query({ text: mail, values: [tenant.company.id, tenant.users[0]?.id] });
    const samples = await scrape();
    for (const [queue, seconds] of [
      ['webhooks', 5000],
      ['mail', 6000],
    ] as const) {
      const of = (name: string) => samples.get(`premises_messages_${name}{queue="${queue}"}`);
      expect([queue, of('pending')]).toEqual([queue, 10_000]);
      expect(of('oldest_pending_seconds')).toBeGreaterThanOrEqual(seconds);
      expect(of('oldest_pending_seconds')).toBeLessThan(seconds + 600);
    }
    await database.query({ text: `DELETE FROM notifications WHERE mail_status = 'pending'` });
    await database.query({ text: `DELETE FROM webhook_deliveries WHERE event = 'test'` });
  });

  test('of changes', async () => {
    const [first, second] = [await service.tenant(), await service.tenant()];
    const insert = `INSERT INTO changes (company_id, at, table_name, row_id, action, fields)
      SELECT $1, now() - make_interval(secs => $2), 'paints', gen_random_uuid(), 'delete', '{}'
      FROM generate_series(1, $3::int)`;
    const add = (of: Tenant, seconds: number, count: number) =>
      service.database.query({ text: insert, values: [of.company.id, seconds, count] });
    await service.database.query({
      text: 'DELETE FROM changes WHERE company_id = ANY($1)',
      values: [[first.company.id, second.company.id]],
    });
    await add(first, 100, 10_000);
    await add(second, 7000, 1);
    const samples = await scrape();
    expect(samples.get('premises_changes_unread{reader="notifications"}')).toBe(10_000);
    expect(samples.get('premises_changes_oldest_unread_seconds{reader="notifications"}')).toBeGreaterThanOrEqual(7000);
    await service.database.query({
      text: 'DELETE FROM changes WHERE company_id = ANY($1)',
      values: [[first.company.id, second.company.id]],
    });
  });
});

test('what was not read of the log is measured, and what failed', async () => {
  const unread = async (reader: string) => {
    const samples = await scrape();
    const of = (name: string) => samples.get(`premises_changes_${name}{reader="${reader}"}`) ?? Number.NaN;
    return { count: of('unread'), seconds: of('oldest_unread_seconds') };
  };
  const other = await service.tenant();
  const [webhooks, notifications] = [await unread('webhooks'), await unread('notifications')];
  const { query } = service.database;
  const insert = `INSERT INTO paints (company_id, id, name) SELECT $1, gen_random_uuid(), n FROM generate_series(1, 3) AS n`;
  await query({ text: insert, values: [other.company.id] });
  // Nobody reads it for webhooks: the company has none.
  expect((await unread('webhooks')).count).toBe(webhooks.count);
  expect((await unread('notifications')).count).toBe(notifications.count + 3);
  expect(notifications.seconds).toBeGreaterThanOrEqual(0);
  // Up to the last change but one.
  const position = `translate(encode(convert_to(concat_ws('.', '00000000', xid, seq), 'UTF8'), 'base64'), E'+/=\\n', '-_')`;
  const text = `INSERT INTO notification_positions (company_id, position) SELECT company_id, ${position} FROM changes
    WHERE company_id = $1 ORDER BY xid DESC, seq DESC OFFSET 1 LIMIT 1`;
  await query({ text, values: [other.company.id] });
  const count = 'SELECT count(*)::int AS count FROM changes WHERE company_id = $1';
  const all = Number((await query({ text: count, values: [other.company.id] })).rows[0]?.['count']);
  expect((await unread('notifications')).count).toBe(notifications.count + 3 - (all - 1));

  const earlier = await scrape();
  for (const queue of ['webhooks', 'mail', 'notifications'] as const) {
    failureCounts[queue] += 1;
    const name = `premises_failures_total{queue="${queue}"}`;
    expect((await scrape()).get(name)).toBe((earlier.get(name) ?? Number.NaN) + 1);
  }
});
