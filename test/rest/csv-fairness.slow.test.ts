// What a company's long lists as CSV cost others, and itself.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';
import { slowdown } from '../support/slowdown.ts';

// The embedded database has one connection.
const onServer = process.env.TEST_DATABASE_URL ? test : test.skip;

let service: Service;
let large: Client;
let small: Client;
beforeAll(async () => {
  service = await startService();
  large = await createRequests(200_000);
  small = await createRequests(400);
  await service.database.query({ text: 'ANALYZE' });
});
afterAll(() => service.close());

async function createRequests(count: number): Promise<Client> {
  const tenant = await service.tenant();
  const { query } = service.database;
  await query({
    text: `INSERT INTO buildings (company_id, id, name)
           SELECT $1, gen_random_uuid(), 'building ' || n FROM generate_series(1, 50) AS n`,
    values: [tenant.company.id],
  });
  const users = tenant.users.map(({ id }) => id);
  // In parts, as a statement of authentication, which this is here, may take five seconds.
  for (let from = 0; from < count; from += 10_000)
    await query({
      text: `INSERT INTO service_requests (company_id, id, title, created_by, assigned_to, building_id, created_at)
             SELECT $1, gen_random_uuid(), n, ($2::uuid[])[1], ($2::uuid[])[1 + n % 3], buildings.id, now()
             FROM generate_series($3::int + 1, least($3::int + 10000, $4::int)) AS n
             JOIN buildings ON buildings.company_id = $1 AND buildings.name = 'building ' || (1 + n % 50)`,
      values: [tenant.company.id, users, from, count],
    });
  return tenant.client();
}

/** Downloads all requests. @returns how long it takes (ms) and the number of lines */
async function download(client: Client, sort?: string, signal?: AbortSignal) {
  const started = performance.now();
  const query = new URLSearchParams(sort === undefined ? {} : { sort });
  const headers = { accept: 'text/csv', authorization: `Bearer ${client.token ?? ''}` };
  const response = await fetch(`${service.origin}/api/v1/service-requests?${query}`, {
    headers,
    signal: signal ?? null,
  });
  const text = await response.text();
  return { status: response.status, ms: performance.now() - started, lines: text.split('\r\n').length - 2 };
}

const unindexed = 'assignee.full_name,-building.name';

onServer(
  'a list in an order without an index takes at most three times as long as one in the order of creation',
  async () => {
    const byTime = await download(large);
    const sorted = await download(large, unindexed);
    expect([byTime.lines, sorted.lines]).toEqual([200_000, 200_000]);
    expect(sorted.ms / byTime.ms).toBeLessThan(3);
  },
);

onServer('a dozen of them do not keep another company waiting', async () => {
  const alone = await download(small, unindexed);
  const stop = new AbortController();
  const others = Array.from({ length: 12 }, () => download(large, unindexed, stop.signal).catch(() => undefined));
  await sleep(500);
  const times: number[] = [];
  for (let n = 0; n < 5; n++) {
    const { status, lines, ms } = await download(small, unindexed);
    expect([status, lines]).toEqual([200, 400]);
    times.push(ms);
  }
  stop.abort();
  await Promise.all(others);
  expect(alone.lines).toBe(400);
  expect(Math.max(...times)).toBeLessThan(3000 * slowdown());
});
