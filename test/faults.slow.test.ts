// What a fault of one part of the service, or of its database, does to everything else.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Client, Reply } from './support/client.ts';
import { collectionsWith } from './support/resources.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

const onPostgresql = process.env.TEST_DATABASE_URL ? describe : describe.skip;

const topLists = collectionsWith('list').filter(([path]) => !path.includes(':'));

/** What a request was answered, and how long (ms) that took. */
async function timed(request: Promise<Reply>): Promise<{ reply: Reply; ms: number }> {
  const started = Date.now();
  const reply = await request;
  return { reply, ms: Date.now() - started };
}

onPostgresql('locks that somebody else holds', () => {
  let service: Service;
  let tenant: Tenant;
  let client: Client;
  let other: pg.Client;
  beforeAll(async () => {
    service = await startService();
    tenant = await service.tenant();
    client = await tenant.client();
    const [database] = (await service.database.query({ text: 'SELECT current_database() AS name' })).rows;
    const url = new URL(process.env.TEST_DATABASE_URL ?? '');
    url.pathname = String(database?.['name']);
    other = new pg.Client({ connectionString: url.href });
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await service.close();
  });

  /** Runs work while another connection holds what `sql` locks. */
  async function whileLocked<T>(sql: string, work: () => Promise<T>): Promise<T> {
    await other.query(`BEGIN; ${sql}`);
    return work().finally(() => other.query('ROLLBACK'));
  }

  test('on ten rows hold up nothing else, and those who want them for two seconds', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) ids.push(String((await client.post('/paints', { name: `Paint ${n}` })).row['id']));
    await whileLocked('SELECT 1 FROM paints FOR UPDATE', async () => {
      const writes = ids.map((id) => timed(client.patch(`/paints/${id}`, { brand: 'Acme' })));
      const others = await Promise.all([
        timed(client.at('').get('/readyz')),
        timed(service.anonymous.get('/paints')),
        ...topLists.map(([path]) => timed(client.get(path))),
      ]);
      expect(others.map(({ reply }) => reply.status)).toEqual([200, 401, ...topLists.map(() => 200)]);
      expect(Math.max(...others.slice(0, 2).map(({ ms }) => ms))).toBeLessThan(2000);
      const refused = await Promise.all(writes);
      for (const { reply } of refused) {
        expect(reply.status).toBe(503);
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      // The first of them waited for the lock alone, and the last one for a connection before that.
      expect(Math.min(...refused.map(({ ms }) => ms))).toBeLessThan(4000);
      expect(Math.max(...refused.map(({ ms }) => ms))).toBeLessThan(10_000);
    });
    expect((await timed(client.patch(`/paints/${ids[0]}`, { brand: 'Acme' }))).reply.status).toBe(200);
  });

  test.each([
    ['paints', { name: 'x' }],
    ['service_requests', { title: 'x' }],
    ['leases', { name: 'x', lease_type: 'property', lessor: 'x', lessee: 'x' }],
  ])('on the table %s hold up nothing else', async (table, body) => {
    const locked = `/${table.replace('_', '-')}`;
    // Another day for the company: what the day changes waits for the same table.
    const newcomer = await (await service.tenant()).client();
    await whileLocked(`LOCK TABLE ${table}`, async () => {
      const stop = Date.now() + 8000;
      const hammer = async (send: () => Promise<Reply>) => {
        const replies: Reply[] = [];
        while (Date.now() < stop) replies.push(await send());
        return replies;
      };
      const wanted = Array.from({ length: 20 }, (_, n) =>
        hammer(() => {
          if (n % 4 === 0) return client.at('').post('/graphql', { query: `{ ${root(table)} { nodes { id } } }` });
          if (n % 4 === 1) return client.post(locked, body, { 'Idempotency-Key': `${table} ${n} ${Date.now()}` });
          return client.get(locked);
        }),
      );
      const rest = topLists.filter(([path]) => path !== locked);
      const others = [client, newcomer].map(async (caller) => {
        const replies: Reply[] = [];
        while (Date.now() < stop)
          replies.push(
            ...(await Promise.all(rest.map(([path]) => caller.get(path)))),
            await caller.at('').get('/readyz'),
          );
        return replies;
      });
      const statuses = (await Promise.all(others)).flat().map(({ status }) => status);
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
      expect(statuses.length).toBeGreaterThan(2 * rest.length);
      const refused = (await Promise.all(wanted)).flat();
      expect(refused.map(({ text }) => text).filter((text) => !text.includes('SERVICE_UNAVAILABLE'))).toEqual([]);
    });
  });
});

/** The root field that lists a table. */
const root = (table: string) => table.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
