// Snapshots: all rows that a token may read, and the position from which the feed continues.
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { beginGeneration } from '../src/events/generation.ts';
import { memberClient } from './resources/members.ts';
import type { Client, Row } from './support/client.ts';
import { Copy } from './support/copy.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { Random } from './support/random.ts';
import { collections } from './support/resources.ts';
import { Rows } from './support/rows.ts';
import { type Service, startService, type Tenant } from './support/service.ts';
import { urlOf } from './support/template.ts';

const onPostgresql = process.env.TEST_DATABASE_URL === undefined ? test.skip : test;

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

/** Reads the feed to the end of the log: it waits for older transactions of the whole server. */
async function readAll(copy: Copy, reader = client): Promise<void> {
  await waitForOlderTransactions(service.database);
  await copy.readOn(reader);
}

const names = (copy: Copy, resource: string) => copy.rowsOf(resource).map(({ name, title }) => name ?? title);

test('has the rows of every resource, in the form of the feed', async () => {
  const rows = await Rows.of(service, tenant);
  for (const collection of collections) await rows.make(collection, { full: true });
  const [fromFeed, fromSnapshot] = [new Copy(), new Copy()];
  await readAll(fromFeed);
  const lines = await fromSnapshot.readSnapshot(client);
  expect(fromSnapshot.tables.size).toBeGreaterThan(50);
  let count = 0;
  for (const [resource, copied] of fromFeed.tables) {
    if (copied.size > 0)
      expect([resource, fromSnapshot.rowsOf(resource)]).toEqual([resource, fromFeed.rowsOf(resource)]);
    count += copied.size;
  }
  // With the lines of the position and of the end.
  expect(lines).toBe(count + 2);
});

test('is followed by the feed without gaps, also over many pages', async () => {
  const made: Row[] = [];
  for (let n = 0; n < 110; n++) made.push((await client.post('/notes/categories', { name: `C${n}` })).row);
  const copy = new Copy({ resource: 'note_categories' });
  await copy.readSnapshot(client);
  const copied = new Set(copy.rowsOf('note_categories').map(({ id }) => id));
  expect(made.every(({ id }) => copied.has(id))).toBe(true);
  const [first, second] = made;
  await client.patch(`/notes/categories/${String(first?.['id'])}`, { name: 'Changed' });
  await client.delete(`/notes/categories/${String(second?.['id'])}`);
  await readAll(copy);
  const rows = new Map(copy.rowsOf('note_categories').map((row) => [row['id'], row['name']]));
  expect([rows.get(first?.['id']), rows.has(second?.['id']), rows.size]).toEqual(['Changed', false, copied.size - 1]);
});

test('has what the caller may read', async () => {
  await client.post('/notes', { title: 'Mine' });
  await client.post('/notes', { title: 'Shared', is_shared: true });
  const member = new Copy({ resource: 'notes' });
  await member.readSnapshot(await memberClient(service, tenant, 1));
  expect(names(member, 'notes')).toContain('Shared');
  expect(names(member, 'notes')).not.toContain('Mine');

  const painter = await tenant.client(['paint:read']);
  await client.post('/paints', { name: 'Sage' });
  const paints = new Copy();
  await paints.readSnapshot(painter);
  expect([...paints.tables.keys()].sort()).toEqual(['paint_locations', 'paints']);
  const refused = await painter.get('/snapshot', { resource: 'vendors' });
  expect(refused).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } });
  expect((await client.get('/snapshot', { resource: 'x' })).status).toBe(400);
  expect((await client.get('/snapshot', { after: 'x' })).status).toBe(400);

  const others = new Copy({ resource: 'paints,notes' });
  await others.readSnapshot(await (await service.tenant()).client());
  expect(others.tables.size).toBe(0);
});

test('is read part by part in GraphQL', async () => {
  const query = `query ($after: String) {
    snapshot(resource: [PAINTS, VENDORS], first: 1, after: $after) { position next rows { resource action after } }
  }`;
  await client.post('/paints', { name: 'Sage' });
  const returned: Row[] = [];
  let after: unknown = null;
  do {
    const { data, errors } = await client.graphql<{ snapshot: { next: string | null; rows: Row[] } }>(query, { after });
    expect(errors).toEqual([]);
    returned.push(...data.snapshot.rows);
    after = data.snapshot.next;
  } while (after !== null);
  const copy = new Copy({ resource: 'paints,vendors' });
  await copy.readSnapshot(client);
  expect(returned.filter(({ resource }) => resource === 'PAINTS')).toHaveLength(copy.rowsOf('paints').length);
  expect(returned).toHaveLength(copy.rowsOf('paints').length + copy.rowsOf('vendors').length);
  const wrong = await client.graphql(query, { after: Buffer.from('x').toString('base64url') });
  expect(wrong.errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
});

test('is refused after a forged position, as the feed is', async () => {
  const { position } = (await client.graphql<{ snapshot: Row }>('{ snapshot { position } }')).data.snapshot;
  const place = (...parts: unknown[]) => Buffer.from(parts.join(' '), 'latin1').toString('base64url');
  const decoded = Buffer.from(String(position), 'base64url').toString();
  const id = randomUUID();
  const forged = [
    place(position, 'rows', 'pai\0nts', id),
    place(position, 'rows', 'paints', `${id.slice(1)}\0`),
    place(position, 'rows', 'paints; SELECT 1', id),
    place(place(`${decoded}\0`), 'rows', 'paints', id),
    place(position, 'unsettled', place(`${decoded}\0`)),
    place(position, 'rows', 'paints', id, 'more'),
  ];
  // Places that differ from a true one in some characters, and text of any length.
  const random = new Random(7);
  for (let n = 0; n < 30; n++) {
    const characters = [
      ...Buffer.from(
        n % 2 ? `${String(position)} rows paints ${id}` : `${String(position)} unsettled ${String(position)}`,
      ),
    ];
    for (let times = 0; times <= n % 3; times++) characters[random.integer(characters.length)] = random.integer(256);
    forged.push(Buffer.from(characters).toString('base64url'));
    forged.push(Buffer.from(Array.from({ length: n }, () => random.integer(256))).toString('base64url'));
    const changed = [...Buffer.from(decoded)];
    changed[random.integer(changed.length)] = random.pick([0, 46, 48, 57, 255]);
    forged.push(Buffer.from(changed).toString('base64url'));
  }
  const codes = new Set<unknown>();
  for (const after of forged) {
    for (const field of ['snapshot(after: $after) { next }', 'changes(after: $after) { next }']) {
      const { errors } = await client.graphql(`query ($after: String) { ${field} }`, { after });
      codes.add(errors[0]?.extensions.code);
    }
    for (const path of ['/snapshot', '/changes']) codes.add((await client.get(path, { after })).status);
  }
  for (const each of ['BAD_REQUEST', 'GONE', undefined, 200, 400, 410]) codes.delete(each);
  expect([...codes]).toEqual([]);
  for (const after of forged.slice(0, 6)) {
    const { errors } = await client.graphql('query ($after: String) { snapshot(after: $after) { next } }', { after });
    expect([errors[0]?.extensions.code, errors[0]?.message]).toEqual(['BAD_REQUEST', expect.stringContaining('after')]);
  }
});

onPostgresql(
  'is not undone by changes that the feed tells later, of transactions that ended in another order',
  async () => {
    const { row: kept } = await client.post('/paints', { name: 'Kept' });
    const { row: gone } = await client.post('/paints', { name: 'Gone' });
    const { rows } = await service.database.query({ text: 'SELECT current_database() AS name' });
    const connectionString = urlOf(String(rows[0]?.['name']));
    const [older, blocking, newer] = await Promise.all(
      ['older', 'blocking', 'newer'].map(async () => {
        const each = new pg.Client({ connectionString });
        await each.connect();
        return each;
      }),
    );
    if (!older || !blocking || !newer) throw new Error('not connected');
    for (const each of [older, blocking, newer]) await each.query('BEGIN; SELECT pg_current_xact_id()');
    await newer.query('UPDATE paints SET name = $1 WHERE id = ANY($2)', ['Newer', [kept['id'], gone['id']]]);
    await newer.query('COMMIT');
    await older.query('UPDATE paints SET name = $1 WHERE id = $2', ['Older', kept['id']]);
    await older.query('DELETE FROM paints WHERE id = $1', [gone['id']]);
    await older.query('COMMIT');

    // The newer transaction follows the fence, which the blocking one holds; the older one precedes it.
    const copy = new Copy({ resource: 'paints' });
    await copy.readSnapshot(client);
    await blocking.query('COMMIT');
    await readAll(copy);
    expect(copy.returned.length).toBeGreaterThanOrEqual(2);
    expect(copy.rowsOf('paints').find(({ id }) => id === kept['id'])).toMatchObject({ name: 'Older' });
    expect(copy.rowsOf('paints').map(({ id }) => id)).not.toContain(gone['id']);
    await Promise.all([older, blocking, newer].map((each) => each.end()));
  },
);

onPostgresql('is read by one caller twice at once, not more often', async () => {
  const { rows } = await service.database.query({ text: 'SELECT current_database() AS name' });
  const blocking = new pg.Client({ connectionString: urlOf(String(rows[0]?.['name'])) });
  await blocking.connect();
  await blocking.query('BEGIN; LOCK TABLE paints');
  const [one, other] = [await tenant.client(['paint:read']), await tenant.client(['paint:read'])];
  // The first two wait for the table.
  const first = [1, 2].map(() => one.get('/snapshot', { resource: 'paints' }));
  await sleep(300);
  const refused = await one.get('/snapshot', { resource: 'paints' });
  expect(refused).toMatchObject({ status: 429, error: { code: 'RATE_LIMITED' } });
  expect(refused.headers.get('retry-after')).toBe('1');
  const others = other.get('/snapshot', { resource: 'paints' });
  await blocking.query('COMMIT');
  await blocking.end();
  expect((await Promise.all([...first, others])).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await one.get('/snapshot', { resource: 'paints' })).status).toBe(200);
});

test('a folder that was restored at file level, in its place or elsewhere, begins another generation', async () => {
  const [folder, backup] = [await mkdtemp(join(tmpdir(), 'folder-')), await mkdtemp(join(tmpdir(), 'backup-'))];
  const start = (dataDir: string) => beginGeneration(service.database, dataDir);
  // A log whose folder had no identity continues, also after each later start.
  expect([await start(folder), await start(folder)]).toEqual([false, false]);
  const copy = new Copy({ resource: 'paints' });
  await copy.readSnapshot(client);
  const { position = '' } = copy;
  const [label, xid, seq] = Buffer.from(position, 'base64url').toString().split('.');
  // That of a change which the backup does not have.
  const later = Buffer.from([label, xid, Number(seq) + 1].join('.')).toString('base64url');
  const statuses = () =>
    Promise.all([position, later].map(async (after) => (await client.get('/changes', { after })).status));
  await cp(folder, backup, { recursive: true, preserveTimestamps: true });
  expect(await statuses()).toEqual([200, 200]);
  await cp(backup, folder, { recursive: true, preserveTimestamps: true });
  expect([await start(folder), await start(folder)]).toEqual([true, false]);
  expect(await statuses()).toEqual([200, 410]);
  expect([await start(backup), await start(backup)]).toEqual([true, false]);
  await Promise.all([folder, backup].map((each) => rm(each, { recursive: true })));
});
