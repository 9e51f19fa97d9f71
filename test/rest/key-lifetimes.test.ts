// Whose an Idempotency-Key is across sessions, and for how long its response is kept.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deleteExpiredKeys } from '../../src/idempotency.ts';
import { at } from '../resources/days.ts';
import { openSession } from '../support/browser.ts';
import type { Client, Reply, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

const [day, fortnight] = [24 * 3600, 14 * 24 * 3600];
let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant('acme');
  client = await tenant.client();
});
afterAll(() => service.close());

type Poster = Pick<Client, 'at'>;
/** The same write in each API. */
const apis = {
  REST: (by: Poster, headers: Record<string, string>) =>
    by.at('/api/v1').post('/paints', { name: 'Kept' }, { ...headers }),
  GraphQL: (by: Poster, headers: Record<string, string>) =>
    by.at('').post('/graphql', { query: 'mutation { createPaint(input: { name: "Kept" }) { id } }' }, headers),
};
const isReplayed = ({ headers }: Reply) => headers.get('idempotent-replayed') === 'true';
/** GraphQL says it within a response of 200. */
function expectRefusal({ json }: Reply, message: string) {
  const { error, errors } = json as { error?: unknown; errors?: readonly { extensions: Row }[] };
  const [own] = errors?.map(({ extensions, ...others }) => ({ ...extensions, ...others })) ?? [error];
  expect(own).toMatchObject({ code: 'BAD_REQUEST', status: 400, message });
}
const count = () => service.database.prisma.paint.count();
const person = (n: number) => openSession(service, tenant.users[n]?.id ?? '');

describe.each(Object.entries(apis))('in %s', (_name, write) => {
  test.each([
    ['a day without the header', undefined, day],
    ['a day at least', day, day],
    ['14 days at most', fortnight, fortnight],
  ])('a response is kept for %s', async (_what, asked, seconds) => {
    const key = randomUUID();
    const headers = {
      'idempotency-key': key,
      ...(asked !== undefined && { 'idempotency-key-max-age': String(asked) }),
    };
    const start = Date.now();
    const after = (elapsed: number, sent: Record<string, string>) =>
      at(new Date(start + elapsed * 1000).toISOString(), () => write(client, sent));
    const first = await after(0, headers);
    // The first request has said for how long.
    const late = await after(seconds - 1, { 'idempotency-key': key });
    expect([late.text, isReplayed(late)]).toEqual([first.text, true]);
    const next = await after(seconds + 60, headers);
    expect([next.status, isReplayed(next)]).toEqual([first.status, false]);
    expect(isReplayed(await after(seconds + 61, headers))).toBe(true);
  });

  test.each(['', '0', '14', '86399', '1209601', '-86400', '1e6', '90000.5', '14 days', '9'.repeat(30)])(
    'Idempotency-Key-Max-Age: %p is refused',
    async (value) => {
      const before = await count();
      const reply = await write(client, { 'idempotency-key': randomUUID(), 'idempotency-key-max-age': value });
      expectRefusal(reply, 'Idempotency-Key-Max-Age: must be a number of seconds from 86400 to 1209600');
      expect(await count()).toBe(before);
    },
  );

  test('Idempotency-Key-Max-Age is refused without a key', async () => {
    const reply = await write(client, { 'idempotency-key-max-age': String(day) });
    expectRefusal(reply, 'Idempotency-Key-Max-Age: requires an Idempotency-Key');
  });
});

// REST takes no sessions.
describe('a session', () => {
  const write = apis.GraphQL;

  test('a key of a person holds in their next session, not for their tokens or for others', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const before = await count();
    const first = await write(await person(0), headers);
    const next = await write(await person(0), headers);
    expect([next.text, isReplayed(next)]).toEqual([first.text, true]);
    expect(await count()).toBe(before + 1);
    for (const other of [await person(1), await tenant.client(), await tenant.client()])
      expect(isReplayed(await write(other, headers))).toBe(false);
    expect(await count()).toBe(before + 4);
  });

  test('a key of a person holds in one of their companies', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const live = await write(await person(0), headers);
    const elsewhere = await person(0);
    // The next sessions start there too.
    const company = { company_id: tenant.company.sandbox.id };
    expect((await elsewhere.at('').patch('/auth/session', company)).status).toBe(200);
    const sandbox = await write(elsewhere, headers);
    expect([isReplayed(live), isReplayed(sandbox)]).toEqual([false, false]);
    expect(sandbox.text).not.toBe(live.text);
  });
});

test('pages of other origins may send both headers', async () => {
  const { headers } = await client.request('OPTIONS', '/paints', {
    headers: {
      origin: 'https://example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'idempotency-key,idempotency-key-max-age',
    },
  });
  expect(headers.get('access-control-allow-headers')).toBe('idempotency-key,idempotency-key-max-age');
});

describe('beside an older instance, which knows one day alone', () => {
  const body = { name: 'Beside' };
  const post = (headers: Record<string, string>) => client.at('/api/v1').post('/paints', body, headers);

  test.each([
    ['14 days', String(fortnight), 14],
    ['a day', undefined, 1],
  ])('what is to be kept for %s is neither deleted nor unknown there', async (_what, asked, days) => {
    const { prisma } = service.database;
    await prisma.idempotencyKey.deleteMany();
    await post({ 'idempotency-key': randomUUID(), ...(asked && { 'idempotency-key-max-age': asked }) });
    // Its condition, for replaying and for deleting alike.
    const isOld = async (seconds: number) => {
      const { rows } = await service.database.query({
        text: `SELECT created_at <= $1::timestamptz - interval '24 hours' AS old FROM idempotency_keys`,
        values: [new Date(Date.now() + seconds * 1000)],
      });
      return rows.map(({ old }) => old);
    };
    expect([await isOld(0), await isOld(days * day - 60)]).toEqual([[false], [false]]);
    expect(await isOld(days * day + 60)).toEqual([true]);
  });

  test('a response by which it has replaced an expired one is kept for a day', async () => {
    const { prisma } = service.database;
    await prisma.idempotencyKey.deleteMany();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await post(headers);
    // It leaves the time at which the earlier one has expired.
    await prisma.idempotencyKey.updateMany({ data: { expiresAt: new Date(Date.now() - 300_000) } });
    expect(await deleteExpiredKeys(prisma, 10)).toBe(0);
    const again = await post(headers);
    expect([again.text, isReplayed(again)]).toEqual([first.text, true]);
    await prisma.idempotencyKey.updateMany({ data: { createdAt: new Date(Date.now() - (day + 60) * 1000) } });
    expect(isReplayed(await post(headers))).toBe(false);
  });
});

test('expired responses are deleted, some at a time and the oldest first, and no others', async () => {
  const { prisma, query } = service.database;
  await prisma.idempotencyKey.deleteMany();
  const ages = [-30 * day, -10, -5, 3600, 13 * day];
  for (const seconds of ages)
    await prisma.idempotencyKey.create({
      data: {
        id: new TextEncoder().encode(randomUUID()),
        request: new Uint8Array(),
        status: 201,
        answer: new Uint8Array(),
        // Older than a day, which does not matter.
        createdAt: new Date(Date.now() - 40 * day * 1000),
        expiresAt: new Date(Date.now() + seconds * 1000),
      },
    });
  const left = async () => {
    const rows = await prisma.idempotencyKey.findMany({ orderBy: { expiresAt: 'asc' } });
    return rows.map(({ expiresAt }) => Math.round((expiresAt.getTime() - Date.now()) / day / 1000));
  };
  expect(await deleteExpiredKeys(prisma, 2)).toBe(2);
  expect(await left()).toHaveLength(3);
  expect(await deleteExpiredKeys(prisma, 2)).toBe(1);
  expect(await deleteExpiredKeys(prisma, 2)).toBe(0);
  expect(await left()).toEqual([0, 13]);
  const { rows } = await query({
    text: `SELECT indexdef FROM pg_indexes WHERE tablename = 'idempotency_keys'`,
  });
  expect(rows.map(({ indexdef }) => indexdef)).toContainEqual(expect.stringMatching(/\(expires_at\)$/));
});
