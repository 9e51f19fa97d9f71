// An instance under load, whose server is killed and whose synchronous standby takes over, under the same name or as
// another one in its list; and a dump that is restored.
// It needs PostgreSQL's server programs, as it starts servers of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '../src/database/index.ts';
import { publicOrigin, signInAll } from './support/browser.ts';
import { ChangeStream } from './support/change-stream.ts';
import type { Client, Reply, Row } from './support/client.ts';
import { PostgresServer, programs } from './support/postgresql.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { Wire } from './support/proxy.ts';
import { insertTenant, type Tenant } from './support/tenant.ts';
import { until } from './support/until.ts';
import { dataOf, Receiver } from './support/webhooks.ts';

// It runs once: with the tests of PostgreSQL.
const onServers = (process.env.TEST_DATABASE_URL && programs ? describe : describe.skip).each(['one name', 'a list']);

const name = 'premises';
const env = { DEMO: 'false', PUBLIC_URL: publicOrigin, WEBHOOK_ALLOW_HOSTS: '127.0.0.1' };

/** A position as clients have it, in its parts, with another transaction or place in it. */
function replace(position: string, change: (parts: readonly string[]) => readonly unknown[]): string {
  return Buffer.from(change(Buffer.from(position, 'base64url').toString().split('.')).join('.')).toString('base64url');
}

/** A consumer of the feed, which goes on from its position whatever happens. */
class Consumer {
  readonly rowIds: string[] = [];
  /** Statuses other than 200. */
  readonly refusals: number[] = [];
  position: string | undefined;

  constructor(private readonly client: Client) {}

  /** Reads a page. @returns whether there may be more */
  async read(): Promise<boolean> {
    const query = { resource: 'paints,service_requests', ...(this.position && { after: this.position }) };
    const { status, json } = await this.client.get('/changes', query);
    if (status !== 200) this.refusals.push(status);
    if (status !== 200) return false;
    const { changes, next, has_more } = json['data'] as { changes: Row[]; next: string; has_more: boolean };
    this.rowIds.push(...changes.filter(({ action }) => action === 'create').map(({ row_id }) => String(row_id)));
    this.position = next;
    return has_more;
  }
}

onServers('another server, by %s', (way) => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let wire: Wire;
  let service: ServiceProcess;
  let receiver: Receiver;
  let tenant: Tenant;
  let client: Client;
  beforeAll(async () => {
    [primary, receiver] = await Promise.all([PostgresServer.start(), Receiver.start()]);
    await primary.sql(`CREATE DATABASE ${name}`);
    wire = new Wire('127.0.0.1', primary.port);
    await wire.mend();
    standby = await primary.startStandby();
    const list = `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`;
    service = await ServiceProcess.start({
      ...env,
      DATABASE_URL: `postgresql://premises@${way === 'a list' ? list : `127.0.0.1:${wire.port}`}/${name}`,
    });
    await service.ready();
    const database = await openDatabase({ databaseUrl: primary.url(name), dataDir: '' });
    tenant = await insertTenant(service.origin, database, 'acme');
    client = await tenant.client(['*'], { rateLimit: 1_000_000 });
    await subscribe(database);
    await database.close();
  });
  afterAll(async () => {
    await killAll();
    await wire.cut();
    await receiver.close();
    await Promise.all([primary.remove(), standby.remove()]);
  });

  async function subscribe(database: Database): Promise<void> {
    const { admin } = await signInAll({ origin: service.origin, database }, tenant);
    const { errors } = await admin.graphql(
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }',
      { input: { name: 'CRM', url: receiver.url, resources: ['PAINTS', 'SERVICE_REQUESTS'], actions: ['CREATE'] } },
    );
    expect(errors).toEqual([]);
  }

  /** The ids of the messages about each row: doubles of a message have its id. */
  function messagesOf(): Map<string, Set<unknown>> {
    const ids = new Map<string, Set<unknown>>();
    for (const { headers, message } of receiver.received) {
      const rowId = String(dataOf(message)['row_id']);
      ids.set(rowId, (ids.get(rowId) ?? new Set()).add(headers['webhook-id']));
    }
    return ids;
  }

  const feed = (after: string, from = client): Promise<Reply> => from.get('/changes', { after });
  const rowIdsOf = ({ row }: Reply) => (row['changes'] as Row[]).map(({ row_id }) => String(row_id));

  test('a standby that takes over loses nothing acknowledged, for the feed, webhooks and notifications', async () => {
    const assigned_to = tenant.users[1]?.id;
    const [paints, requests]: [string[], string[]] = [[], []];
    const refused: number[] = [];
    let isOver = false;
    const write = async (n: number) => {
      const isPaint = n % 2 === 0;
      const body = isPaint ? { name: `Paint ${n}` } : { title: `Request ${n}`, assigned_to };
      const { status, json } = await client.post(isPaint ? '/paints' : '/service-requests', body);
      if (status === 201) (isPaint ? paints : requests).push(String((json['data'] as Row)['id']));
      else {
        refused.push(status);
        await sleep(100);
      }
    };
    const writers = Array.from({ length: 4 }, async (_, worker) => {
      for (let n = worker; !isOver; n += 1) await write(n);
    });
    const consumer = new Consumer(client);
    const stream = await ChangeStream.open(client, { resource: 'paints,service_requests' });
    const consuming = (async () => {
      while (!isOver) if (!(await consumer.read())) await sleep(20);
    })();

    const count = () => paints.length + requests.length;
    await until('writes', () => count() >= 300);
    const early = consumer.position ?? '';
    await primary.kill();
    const acknowledged = count();
    await wire.lead(standby.port);
    const ready = async () => (await client.at('').get('/readyz')).status;
    expect(await ready()).toBe(503);
    expect((await client.post('/paints', { name: 'On a standby' })).status).toBe(503);
    await standby.sql('SELECT pg_promote()');
    await until('readiness', async () => (await ready()) === 200);
    await until('writes', () => count() >= acknowledged + 300);
    isOver = true;
    await Promise.all([...writers, consuming]);
    const written = [...paints, ...requests].toSorted();
    expect(new Set(refused)).toEqual(new Set([503]));

    // Each acknowledged write is a change, once.
    const logged = async () =>
      (
        await standby.sql(
          `SELECT row_id FROM changes WHERE action = 'create' AND table_name IN ('paints', 'service_requests') ORDER BY xid, seq`,
          name,
        )
      ).map(({ row_id }) => String(row_id));
    const all = await logged();
    expect(new Set(all).size).toBe(all.length);
    expect(written.filter((id) => !all.includes(id))).toEqual([]);
    await until('the feed', async () => !(await consumer.read()) && consumer.rowIds.length >= all.length);
    expect(consumer.rowIds).toEqual(all);
    expect(consumer.refusals.filter((status) => status !== 503)).toEqual([]);
    // A stream goes on as well.
    await stream.received(all.length);
    expect(stream.changes.map(({ row_id }) => row_id)).toEqual(all);
    stream.close();

    // What the killed server's instance was sending is sent again once its time is over.
    await standby.sql(`UPDATE webhook_deliveries SET leased_until = now() WHERE leased_until IS NOT NULL`, name);
    await until('webhooks', () => messagesOf().size >= all.length);
    expect([...messagesOf()].map(([id, ids]) => `${id} ${ids.size}`).toSorted()).toEqual(
      all.map((id) => `${id} 1`).toSorted(),
    );

    const requestsOf = `SELECT id FROM service_requests ORDER BY id`;
    const notified = `SELECT row_id AS id FROM notifications WHERE user_id = '${assigned_to}' ORDER BY row_id`;
    const expected = await standby.sql(requestsOf, name);
    await until('notifications', async () => (await standby.sql(notified, name)).length >= expected.length);
    expect(await standby.sql(notified, name)).toEqual(expected);

    // Once another generation has begun, what it did not inherit is gone.
    const logs = await standby.sql(
      'SELECT inherited_xid::text, inherited_seq::text FROM change_logs ORDER BY generation',
      name,
    );
    expect(logs).toHaveLength(2);
    const { inherited_xid: xid, inherited_seq: seq } = logs[1] as Record<string, string>;
    const at = (label: string, xid: unknown, seq: unknown) => feed(replace(label, ([first]) => [first, xid, seq]));
    const last = await at(early, xid, seq);
    expect([last.status, (await feed(early)).status]).toEqual([200, 200]);
    expect((await at(early, xid, BigInt(seq ?? 0) + 1n)).status).toBe(410);
    expect((await at(early, BigInt(xid ?? 0) + 1n, 0)).status).toBe(410);
  });

  test('a dump that is restored continues positions of before, and refuses those of after', async () => {
    const paint = async (by: Client, name: string) => String((await by.post('/paints', { name })).row['id']);
    const kept = await paint(client, 'Kept');
    const consumer = new Consumer(client);
    await until('the feed', async () => !(await consumer.read()) && consumer.rowIds.includes(kept));
    const before = consumer.position ?? '';
    await standby.copy(name, 'restored');
    const lost = await paint(client, 'Lost');
    await until('the feed', async () => !(await consumer.read()) && consumer.rowIds.includes(lost));
    const after = consumer.position ?? '';

    const restored = await ServiceProcess.start({ ...env, DATABASE_URL: standby.url('restored') });
    const other = (await restored.ready()).client(client.token);
    expect(restored.log.map(({ msg }) => msg)).toContainEqual(expect.stringContaining('another generation'));
    expect([(await feed(before, other)).status, (await feed(after, other)).status]).toEqual([200, 410]);
    const created = [await paint(other, 'One'), await paint(other, 'Two'), await paint(other, 'Three')];
    await until('the feed', async () => rowIdsOf(await feed(before, other)).length >= created.length);
    expect(rowIdsOf(await feed(before, other))).toEqual(created);
    expect((await feed(after, other)).status).toBe(410);
    // The other database goes on with its own, and does not know those of the copy.
    const { next } = (await feed(before, other)).row;
    expect([(await feed(after)).status, (await feed(String(next))).status]).toEqual([200, 410]);
  });
});
