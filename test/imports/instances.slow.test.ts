// Imports of a service of two instances: each of them has what the other one does.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/database/index.ts';
import { Client, type Row } from '../support/client.ts';
import { testDatabaseUrl } from '../support/database.ts';
import { killAll, ServiceProcess } from '../support/process.ts';
import { insertTenant } from '../support/tenant.ts';
import { until } from '../support/until.ts';

// The embedded database supports one instance.
const onPostgres = process.env.TEST_DATABASE_URL ? describe : describe.skip;

onPostgres('two instances', () => {
  let drop: () => Promise<unknown>;
  let clients: [Client, Client];
  beforeAll(async () => {
    const created = await testDatabaseUrl();
    ({ drop } = created);
    const env = { DEMO: 'false', DATABASE_URL: created.url, RATE_LIMIT_TOKEN_PER_HOUR: '1000000' };
    const first = await (await ServiceProcess.start(env)).ready();
    const second = await (await ServiceProcess.start(env)).ready();
    const database = await openDatabase({ databaseUrl: created.url, dataDir: '' });
    const tenant = await insertTenant(first.origin, database, 'acme');
    const { token } = await tenant.client(['*'], { rateLimit: 1_000_000 });
    await database.close();
    clients = [new Client(first.origin, token), new Client(second.origin, token)];
  });
  afterAll(async () => {
    await killAll();
    await drop();
  });

  const read = async (by: Client, id: string) => (await by.get(`/imports/${id}`)).row;
  const count = async (by: Client) =>
    Number(
      (await by.graphql<{ vendors: { totalCount: number } }>('{ vendors(first: 1) { totalCount } }')).data.vendors
        .totalCount,
    );

  /** Has a file of many rows checked, each step by the other instance. */
  async function checked(rows: number): Promise<string> {
    const [one, other] = clients;
    const id = String((await one.post('/imports', { resource: 'vendors' })).row['id']);
    const lines = Array.from({ length: rows }, (_, n) => `Vendor ${n}`);
    const { status } = await other.request('PUT', `/imports/${id}/file`, {
      body: `company_name\n${lines.join('\n')}\n`,
      headers: { 'content-type': 'text/csv' },
    });
    expect(status).toBe(204);
    await until('the check', async () => (await read(one, id))['status'] !== 'checking');
    expect(await read(one, id)).toMatchObject({ status: 'checked', created: rows, refused: 0 });
    return id;
  }

  test.each([0, 1])('one cancels what either of them writes, and both tell how far it is (%i)', async (at) => {
    const [one, other] = [clients[at], clients[1 - at]] as [Client, Client];
    const id = await checked(20_000);
    expect((await one.patch(`/imports/${id}`, { status: 'importing' })).status).toBe(200);
    let reached = 0;
    await until('some pages', async () => {
      for (const client of [one, other]) {
        const { status, done } = (await read(client, id)) as Row & { done: number };
        expect(status).toBe('importing');
        expect(done).toBeGreaterThanOrEqual(reached);
        reached = done;
      }
      return reached >= 1000;
    });
    expect(await count(other)).toBeGreaterThanOrEqual(1000);
    const reply = await other.patch(`/imports/${id}`, { status: 'cancelled' });
    expect([reply.status, reply.row['status']]).toEqual([200, 'cancelling']);
    await until('the end', async () => (await read(one, id))['status'] === 'cancelled');
    const ended = (await read(one, id)) as Row & { done: number; taken_back: number };
    expect(ended.done).toBeLessThan(20_000);
    expect(ended).toMatchObject({ created: ended.done, taken_back: ended.done, kept_count: 0 });
    expect([await count(one), await count(other)]).toEqual([0, 0]);
  });

  test('what both are asked at once is done once', async () => {
    const id = await checked(3000);
    const begun = await Promise.all(clients.map((each) => each.patch(`/imports/${id}`, { status: 'importing' })));
    expect(begun.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    await until('the end', async () => (await read(clients[1], id))['status'] !== 'importing');
    expect(await read(clients[0], id)).toMatchObject({ status: 'imported', created: 3000 });
    expect(await count(clients[0])).toBe(3000);
    const cancelled = await Promise.all(clients.map((each) => each.patch(`/imports/${id}`, { status: 'cancelled' })));
    expect(cancelled.map(({ status }) => status)).toEqual([200, 200]);
    await until('the end', async () => (await read(clients[1], id))['status'] === 'cancelled');
    expect(await read(clients[0], id)).toMatchObject({ taken_back: 3000, kept_count: 0 });
    expect(await count(clients[1])).toBe(0);
  });
});
