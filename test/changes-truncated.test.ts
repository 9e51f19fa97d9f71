// A log from which changes were deleted: it says so, and leads to the snapshot, which has all rows.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deleteOldChanges } from '../src/events/retention.ts';
import { ChangeStream } from './support/change-stream.ts';
import type { Client } from './support/client.ts';
import { Copy } from './support/copy.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
/** The position at which the log began. */
let beginning: string;

beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
  beginning = String((await client.get('/changes')).row['next']);
  for (const name of ['Amber', 'Beige', 'Cyan']) await client.post('/paints', { name });
});
afterAll(() => service.close());

const feed = async (query: Record<string, unknown> = {}, headers: Record<string, string> = {}) => {
  await waitForOlderTransactions(service.database);
  return client.get('/changes', query, headers);
};

const query = 'query ($after: String) { changes(after: $after) { isTruncated next changes { resource } } }';
const graphql = (after?: string) => client.at('').post('/graphql', { query, variables: { after } });

test('a log that has everything is not truncated', async () => {
  const { meta, row } = await feed();
  expect(meta).toMatchObject({ is_truncated: false });
  expect(row).not.toHaveProperty('is_truncated');
  expect((await graphql()).json).toMatchObject({ data: { changes: { isTruncated: false } } });
});

test('a log without its beginning says so, in both APIs and in streams, also while it is empty', async () => {
  await waitForOlderTransactions(service.database);
  await deleteOldChanges(service.database.prisma, tenant.company.id, 0);

  const empty = await feed({}, { prefer: 'wait=50' });
  expect(empty).toMatchObject({ meta: { is_truncated: true }, row: { changes: [] } });
  const stream = await (await ChangeStream.open(client)).begun();
  expect(stream.text).toContain('data: {"changes":[],"meta":{"is_truncated":true}}');
  stream.close();

  await client.post('/paints', { name: 'Dust' });
  const page = await feed();
  expect(page.meta).toMatchObject({ is_truncated: true });
  expect(page.row['changes']).toHaveLength(1);
  expect((await feed({ after: page.row['next'] })).meta).toMatchObject({ is_truncated: false });
  expect((await graphql()).json).toMatchObject({ data: { changes: { isTruncated: true, changes: [{}] } } });
  expect((await graphql(String(page.row['next']))).json).toMatchObject({ data: { changes: { isTruncated: false } } });
});

test('a position before its beginning is 410 and names the snapshot, from which a copy is whole', async () => {
  const message =
    'after: The changes after this position have been deleted; begin again with a snapshot and continue from its position.';
  for (const headers of [{ accept: 'application/json' }, { accept: 'text/event-stream' }])
    expect(await feed({ after: beginning }, headers)).toMatchObject({ status: 410, error: { code: 'GONE', message } });
  const gone = { message, extensions: { code: 'GONE', status: 410 } };
  expect((await graphql(beginning)).json).toMatchObject({ errors: [gone] });
  const subscription = { query: 'subscription ($after: String) { paints(after: $after) { row { name } } }' };
  const events = await client
    .at('')
    .post('/graphql', { ...subscription, variables: { after: beginning } }, { accept: 'text/event-stream' });
  expect(events.text).toContain(JSON.stringify(message).slice(1, -1));

  const copy = new Copy({ resource: 'paints' });
  await copy.readSnapshot(client);
  await copy.readOn(client);
  expect(copy.rowsOf('paints').map(({ name }) => name)).toEqual(['Amber', 'Beige', 'Cyan', 'Dust']);
});

test('a page has up to 1,000 changes', async () => {
  const { next } = (await feed()).row;
  for (const batch of ['A', 'B', 'C'])
    await client.post('/inventory/batch', {
      items: Array.from({ length: batch === 'C' ? 1 : 500 }, (_, n) => ({ name: `${batch}${n}`, quantity: 1 })),
    });
  const page = await feed({ after: next, resource: 'inventory_items', limit: 1000 });
  expect(page.row).toMatchObject({ has_more: true });
  expect(page.row['changes']).toHaveLength(1000);
  const rest = await feed({ after: page.row['next'], resource: 'inventory_items' });
  expect(rest.row['changes']).toHaveLength(1);
  expect((await feed({ after: next, resource: 'inventory_items' })).row['changes']).toHaveLength(100);
  for (const limit of [0, 1001])
    expect(await feed({ limit })).toMatchObject({
      status: 400,
      error: { message: 'limit: must be between 1 and 1000' },
    });
  const many = (first: number) =>
    client.at('').post('/graphql', {
      query: `{ changes(first: ${first}, after: ${JSON.stringify(next)}) { changes { id: rowId } } }`,
    });
  const { data } = (await many(1000)).json as { data: { changes: { changes: unknown[] } } };
  expect(data.changes.changes).toHaveLength(1000);
  expect((await many(1001)).json).toMatchObject({ errors: [{ message: 'first: must be between 1 and 1000' }] });
  // Lists keep their maximum.
  expect((await client.get('/paints', { limit: 101 })).status).toBe(400);
});
