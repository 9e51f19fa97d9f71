// Who reads what of the log: another company's token, one short of a scope and a member's, in the feed, its stream,
// snapshots and histories.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { memberClient } from './resources/members.ts';
import { ChangeStream } from './support/change-stream.ts';
import type { Client, Row } from './support/client.ts';
import { Copy } from './support/copy.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
/** An admin's. */
let client: Client;
/** The rows that are written, by name. */
const ids: Record<string, string> = {};
/** What an admin knows of them, and nobody else: words that no other row has. */
const secrets = ['Vendorname', 'Privatenote', 'Deletedpaint'];

beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
  const create = async (name: string, path: string, body: Row) => {
    ids[name] = String((await client.post(path, body)).row['id']);
  };
  await create('vendor', '/vendors', { company_name: 'Vendorname' });
  await create('private', '/notes', { title: 'Privatenote' });
  await create('shared', '/notes', { title: 'Shared', is_shared: true });
  await create('paint', '/paints', { name: 'Sage' });
  await create('deleted', '/paints', { name: 'Deletedpaint' });
  await client.delete(`/paints/${ids['deleted']}`);
  await waitForOlderTransactions(service.database);
});
afterAll(() => service.close());

const idsOf = (rows: readonly Row[]) => new Set(rows.map(({ row_id, id }) => String(row_id ?? id)));

/** Reads the whole feed. */
async function readFeed(reader: Client): Promise<Row[]> {
  const all: Row[] = [];
  for (let after: unknown, more: unknown = true; more; ) {
    const { row } = await reader.get('/changes', after === undefined ? {} : { after });
    all.push(...(row['changes'] as Row[]));
    ({ next: after, has_more: more } = row);
  }
  return all;
}

/** Reads a snapshot. */
async function readSnapshot(reader: Client): Promise<Row[]> {
  const copy = new Copy();
  await copy.readSnapshot(reader);
  return [...copy.tables.keys()].flatMap((resource) => copy.rowsOf(resource));
}

/** The status of each row's history. */
const histories = async (reader: Client) =>
  Object.fromEntries(
    await Promise.all(
      [
        ['vendor', '/vendors'],
        ['private', '/notes'],
        ['shared', '/notes'],
        ['paint', '/paints'],
        ['deleted', '/paints'],
      ].map(async ([name = '', path]) => [name, (await reader.get(`${path}/${ids[name]}/history`)).status]),
    ),
  ) as Record<string, number>;

/** Readers with what they see of the rows: in feed and stream, in snapshots, and the status of histories. */
const readers: readonly {
  readonly who: string;
  readonly reader: () => Promise<Client>;
  readonly sees: readonly string[];
  readonly copied: readonly string[];
  readonly history: Record<string, number>;
  /** The words of the admin that it may read. */
  readonly known?: readonly string[];
}[] = [
  {
    who: "an admin's token",
    reader: async () => client,
    sees: ['vendor', 'private', 'shared', 'paint', 'deleted'],
    copied: ['vendor', 'private', 'shared', 'paint'],
    history: { vendor: 200, private: 200, shared: 200, paint: 200, deleted: 200 },
    known: ['Vendorname', 'Privatenote', 'Deletedpaint'],
  },
  {
    who: "another company's token",
    reader: async () => (await service.tenant()).client(),
    sees: [],
    copied: [],
    history: { vendor: 404, private: 404, shared: 404, paint: 404, deleted: 404 },
  },
  {
    who: 'the token of the sandbox',
    reader: () => tenant.client(['*'], { live: false }),
    sees: [],
    copied: [],
    history: { vendor: 404, private: 404, shared: 404, paint: 404, deleted: 404 },
  },
  {
    who: 'a token of one scope',
    reader: () => tenant.client(['paint:read']),
    sees: ['paint', 'deleted'],
    copied: ['paint'],
    history: { vendor: 403, private: 403, shared: 403, paint: 200, deleted: 200 },
    known: ['Deletedpaint'],
  },
  {
    who: 'a token that may only write',
    reader: () => tenant.client(['paint:write', 'notes:write', 'vendors:write']),
    sees: [],
    copied: [],
    history: { vendor: 403, private: 403, shared: 403, paint: 403, deleted: 403 },
  },
  {
    who: "a member's token",
    reader: () => memberClient(service, tenant, 2),
    sees: ['vendor', 'shared', 'paint', 'deleted'],
    copied: ['vendor', 'shared', 'paint'],
    history: { vendor: 200, private: 404, shared: 200, paint: 200, deleted: 404 },
    known: ['Vendorname'],
  },
];

/** What each reader sees, by `who`. */
const looks = new Map<string, { by: Client; feed: Row[]; stream: ChangeStream; snapshot: Row[] }>();
beforeAll(async () => {
  const clients: Client[] = [];
  for (const { reader } of readers) clients.push(await reader());
  // Creating readers writes changes, which feeds and streams report too.
  await waitForOlderTransactions(service.database);
  const streams = await Promise.all(clients.map((by) => ChangeStream.open(by)));
  for (const [index, { who }] of readers.entries()) {
    const [by, stream] = [clients[index], streams[index]];
    if (!by || !stream) throw new Error(`${who} has no stream`);
    const [feed, snapshot] = [await readFeed(by), await readSnapshot(by)];
    await stream.received(feed.length);
    looks.set(who, { by, feed, stream, snapshot });
  }
  // A stream sends existing changes at once, so any that it should not send have arrived by then.
  await sleep(500);
  for (const stream of streams) stream.close();
});

test.each(readers)('$who sees exactly what it may read', async ({ who, sees, copied, history, known = [] }) => {
  const look = looks.get(who);
  if (!look) throw new Error(`${who} has not looked`);
  const { by, feed, stream, snapshot } = look;
  expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
  const seen = { feed, stream: stream.changes, snapshot };
  for (const [name, id] of Object.entries(ids)) {
    const expected = { feed: sees.includes(name), stream: sees.includes(name), snapshot: copied.includes(name) };
    const found = Object.fromEntries(Object.entries(seen).map(([channel, rows]) => [channel, idsOf(rows).has(id)]));
    expect({ name, ...found }).toEqual({ name, ...expected });
  }
  expect(seen.stream).toEqual(seen.feed);
  const all = JSON.stringify(seen);
  expect(secrets.filter((word) => all.includes(word))).toEqual(known);
  expect(await histories(by)).toEqual(history);
});

test('nobody without a token sees anything', async () => {
  for (const path of ['/changes', '/snapshot', `/paints/${ids['paint']}/history`])
    expect((await service.anonymous.get(path)).status).toBe(401);
});

test('a history has the user, kind of caller and request of each change', async () => {
  const { row, meta } = await (await memberClient(service, tenant, 1)).patch(`/paints/${ids['paint']}`, {
    name: 'Sea',
  });
  expect(row).toMatchObject({ name: 'Sea' });
  await service.database.query({ text: `UPDATE paints SET name = 'Sand' WHERE id = $1`, values: [ids['paint']] });
  const { rows } = await client.get(`/paints/${ids['paint']}/history`);
  expect(rows).toMatchObject([
    { action: 'update', fields: ['name'], before: { name: 'Sea' }, after: { name: 'Sand' }, actor: null },
    {
      before: { name: 'Sage' },
      after: { name: 'Sea' },
      actor: { kind: 'token', user_id: tenant.users[1]?.id, token_id: expect.any(String), request_id: meta.request_id },
    },
    { action: 'create', before: null, actor: { kind: 'token', user_id: tenant.users[0]?.id } },
  ]);
});

test('no column of a secret is logged', async () => {
  const { rows } = await service.database.query({
    text: `SELECT format('%s.%s', relname, attname) AS name, position(attname::bytea || '\\000'::bytea IN tgargs) > 0 AS is_left_out
           FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_attribute ON attrelid = tgrelid
           WHERE tgname = 'log_inserts' AND attnum > 0 AND attname ~ '(secret|password|token|hash|key)'`,
  });
  // Columns with such a name that hold no secret would be listed here.
  expect(rows.filter(({ is_left_out }) => is_left_out !== true)).toEqual([]);
  expect(rows.length).toBeGreaterThan(3);
});
