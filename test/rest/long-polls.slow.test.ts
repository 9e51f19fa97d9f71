// Requests that wait for changes: what they get, and what they take from others.
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ChangeStream } from '../support/change-stream.ts';
import type { Client, Reply, Row } from '../support/client.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService({ MAX_REQUESTS_IN_FLIGHT: '10', MAX_REQUESTS_WAITING: '24' });
});
afterAll(() => service.close());
// A new caller for each test, as waits are counted by caller and company.
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
});

const waits: AbortController[] = [];
afterEach(() => {
  for (const each of waits.splice(0)) each.abort();
});

/** A position after which nothing has happened. */
async function now(reader = client): Promise<string> {
  await waitForOlderTransactions(service.database);
  let next: unknown;
  for (let more: unknown = true; more; ) {
    const { row } = await reader.get('/changes', next === undefined ? {} : { after: next });
    ({ next, has_more: more } = row);
  }
  return String(next);
}

const poll = (reader: Client, after: string, seconds: number): Promise<Reply> =>
  reader.get('/changes', { after }, { prefer: `wait=${seconds}` });

/** Begins a request that waits, and that the test does not read; again until there is a slot for it. */
function begin(reader: Client, after: string): AbortController {
  const abort = new AbortController();
  waits.push(abort);
  const options = { headers: { authorization: `Bearer ${reader.token}`, prefer: 'wait=55' }, agent: false };
  const send = () => {
    if (abort.signal.aborted) return;
    get(`${reader.origin}/api/v1/changes?after=${after}`, { ...options, signal: abort.signal })
      .on('response', (response) => {
        response.resume();
        if ([429, 503].includes(response.statusCode ?? 0)) setTimeout(send, 50);
      })
      .on('error', () => {});
  };
  send();
  return abort;
}

/** Waits until a condition holds. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await condition())) {
    expect(Date.now()).toBeLessThan(deadline);
    await sleep(20);
  }
}

/** Whether a token may have no further wait. Until then it waits itself, for a second. */
const isFull = async (reader: Client, after: string) => (await poll(reader, after, 1)).status === 429;

test('a wait ends at the next change', async () => {
  const after = await now();
  const polled = poll(client, after, 55);
  await sleep(300);
  const { row } = await client.post('/paints', { name: 'Sage' });
  const { headers, row: page } = await polled;
  expect((page['changes'] as Row[]).map(({ row_id, action }) => [row_id, action])).toEqual([[row['id'], 'create']]);
  expect(headers.get('preference-applied')).toBe('wait=55');
  expect(page['next']).not.toBe(after);
});

test('a wait without changes ends after its time, and more than 55 s count as 55', async () => {
  const after = await now();
  const startedAt = performance.now();
  const { headers, row } = await poll(client, after, 1);
  expect(performance.now() - startedAt).toBeGreaterThan(950);
  expect(row).toMatchObject({ changes: [], has_more: false });
  expect(headers.get('preference-applied')).toBe('wait=1');
  await client.post('/paints', { name: 'Sage' });
  const long = await poll(client, after, 99_999);
  expect(long.headers.get('preference-applied')).toBe('wait=55');
  expect(long.row['changes']).toHaveLength(1);
  expect((await client.get('/changes', { after })).headers.get('preference-applied')).toBe(null);
});

test('a wait ends after its time although memory is collected meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const polled = poll(client, await now(), 2);
  for (const pause of [300, 300, 300]) {
    await sleep(pause);
    collect();
  }
  const startedAt = performance.now();
  expect((await polled).row).toMatchObject({ changes: [] });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

test('a wait is not ended by changes that its caller may not read', async () => {
  const reader = await tenant.client(['paint:read']);
  const after = await now(reader);
  const polled = poll(reader, after, 2);
  await client.post('/vendors', { company_name: 'Ace' });
  expect((await polled).row).toMatchObject({ changes: [] });
});

test('a token can have five waits at once, and those of disconnected clients do not count', async () => {
  const after = await now();
  const begun = Array.from({ length: 5 }, () => begin(client, after));
  await until(() => isFull(client, after));
  const refused = await poll(client, after, 1);
  expect(refused).toMatchObject({ status: 429, error: { code: 'RATE_LIMITED' } });
  expect(refused.headers.get('retry-after')).toBe('1');
  expect((await client.get('/changes', { after })).status).toBe(200);
  for (const each of begun) each.abort();
  await until(async () => (await poll(client, after, 1)).status === 200);
});

test('waits do not count as requests in flight, use no connection, and share their statements', async () => {
  // More than may be in flight; a company may have half of what others leave.
  const readers = [client, await tenant.client(), await tenant.client()];
  const after = await now();
  for (const reader of readers.slice(0, 2)) for (let n = 0; n < 5; n++) begin(reader, after);
  await until(() => isFull(client, after));
  await sleep(200);
  service.statements.length = 0;
  await sleep(1600);
  const asked = service.statements.filter((sql) => sql.includes('changes'));
  expect(asked.length).toBeGreaterThanOrEqual(1);
  expect(asked.length).toBeLessThanOrEqual(4);
  expect(service.database.pools().every(({ inUse }) => inUse === 0)).toBe(true);
  const answers = await Promise.all(Array.from({ length: 4 }, () => client.get('/paints')));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  // Two more slots of the half.
  begin(readers[2] as Client, after);
  begin(readers[2] as Client, after);
  await until(async () => (await poll(readers[2] as Client, after, 1)).status === 503);
});

test('a wait ends when its token is revoked', async () => {
  const reader = await tenant.client();
  const after = await now(reader);
  const polled = poll(reader, after, 55);
  await sleep(300);
  await service.database.prisma.apiToken.updateMany({
    where: { companyId: tenant.company.id },
    data: { revokedAt: new Date() },
  });
  expect(await polled).toMatchObject({ status: 401, error: { code: 'INVALID_TOKEN' } });
});

/** Reads a stream until it has sent so many changes, or to its end. */
async function listen(
  reader: Client,
  count: number,
  headers: Record<string, string>,
  query: Record<string, string>,
): Promise<ChangeStream> {
  const stream = await (await ChangeStream.open(reader, query, headers)).received(count);
  stream.close();
  return stream;
}

test('a stream sends changes, and continues after the last one when a client reconnects', async () => {
  const after = await now();
  const heard = listen(client, 2, {}, { after });
  await sleep(300);
  const { row } = await client.post('/paints', { name: 'Sage' });
  await sleep(700);
  await client.patch(`/paints/${String(row['id'])}`, { name: 'Sea' });
  const { status, headers, changes, events } = await heard;
  expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
  expect(changes).toMatchObject([
    { row_id: row['id'], action: 'create' },
    { row_id: row['id'], action: 'update' },
  ]);
  await client.delete(`/paints/${String(row['id'])}`);
  const again = await listen(client, 1, { 'last-event-id': events.at(-1)?.id ?? '' }, { after });
  expect(again.changes).toMatchObject([{ row_id: row['id'], action: 'delete' }]);
});

test('the log is read once for all streams of a company, and each is sent what its token may read', async () => {
  const after = await now();
  const [paints, vendors] = [await tenant.client(['paint:read']), await tenant.client(['vendors:read'])];
  const heard = [client, client, client, paints, paints, vendors, vendors].map((reader) =>
    listen(reader, reader === client ? 2 : 1, {}, { after }),
  );
  // From the beginning of the log: it catches up by itself. Where the database, which other tests use too, is too busy
  // for it, it ends and connects again, as clients do.
  const catchUp = () => listen(vendors, 1, { 'last-event-id': '' }, { limit: '1', resource: 'vendors' });
  const slow = catchUp().then((first) => (first.changes.length > 0 ? first : catchUp()));
  await sleep(1500);
  service.statements.length = 0;
  await client.post('/paints', { name: 'Sage' });
  await waitForOlderTransactions(service.database);
  await client.post('/vendors', { company_name: 'Ace' });
  const seen = (await Promise.all(heard)).map(({ changes }) => changes.map(({ resource }) => resource));
  expect(seen).toEqual([...Array(3).fill(['paints', 'vendors']), ['paints'], ['paints'], ['vendors'], ['vendors']]);
  expect((await slow).changes).toMatchObject([{ resource: 'vendors' }]);
  // Once for each of the two changes, if they are read apart; and what came between.
  const reads = service.statements.filter((sql) => sql.includes('scanned AS MATERIALIZED'));
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.length).toBeLessThanOrEqual(4);
});

test('a stream goes through a long log at the pace of its client, in parts of its limit', async () => {
  for (let n = 0; n < 25; n++) await client.post('/paints', { name: `Paint ${n}` });
  await now();
  const { changes, events } = await listen(client, 25, {}, { limit: '4', resource: 'paints' });
  expect(changes.map(({ after }) => (after as Row)['name'])).toEqual(
    Array.from({ length: 25 }, (_, n) => `Paint ${n}`),
  );
  expect(Math.max(...events.map((event) => event.changes.length))).toBeLessThanOrEqual(4);
});

test('a stream ends when its token is revoked', async () => {
  const reader = await tenant.client();
  const heard = listen(reader, 1, {}, { after: await now(reader) });
  await sleep(300);
  const data = { revokedAt: new Date() };
  await service.database.prisma.apiToken.updateMany({ where: { companyId: tenant.company.id }, data });
  expect(await heard).toMatchObject({ status: 200, changes: [], isWhole: true });
});

test('a service that stops ends its waits', async () => {
  const other = await startService();
  const reader = await (await other.tenant()).client();
  const polled = poll(reader, await now(reader), 55);
  await sleep(300);
  const startedAt = performance.now();
  await other.close();
  expect(performance.now() - startedAt).toBeLessThan(5000);
  expect(await polled).toMatchObject({ status: 200, row: { changes: [] } });
});
