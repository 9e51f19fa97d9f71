// Stock that falls below its reorder point is reported once each time, by whatever makes it so.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Client, Row } from './support/client.ts';
import { waitForOlderTransactions } from './support/older-transactions.ts';
import { type Service, startService, type Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

const make = async (body: Row = {}) => {
  const { row } = await client.post('/inventory', { name: 'Lamp', quantity: 9, reorder_point: 5, ...body });
  return String(row['id']);
};
const patch = (id: string, body: Row) => client.patch(`/inventory/${id}`, body);
const adjust = (id: string, type: string, quantity: number) =>
  client.post(`/inventory/${id}/adjustments`, { type, quantity });

/** What the feed has: the actions on items, and the stock that each shows. */
async function reported(): Promise<unknown[]> {
  await waitForOlderTransactions(service.database);
  const { row } = await client.get('/changes', { resource: 'inventory_items' });
  return (row['changes'] as Row[]).map(({ action, after }) => [action, (after as Row | null)?.['quantity']]);
}
const reports = async () => (await reported()).filter((change) => (change as unknown[])[0] === 'low_stock').length;

test('each time it becomes true, also when it ceases to be at once', async () => {
  const id = await make();
  await adjust(id, 'removal', 5);
  await adjust(id, 'removal', 1);
  await adjust(id, 'addition', 2);
  await adjust(id, 'removal', 2);
  await adjust(id, 'correction', 50);
  await patch(id, { quantity: 1 });
  await patch(id, { name: 'Bulb' });
  expect(await reported()).toEqual([
    ['create', 9],
    ['update', 4],
    ['low_stock', 4],
    ['update', 3],
    ['update', 5],
    ['update', 3],
    ['low_stock', 3],
    ['update', 50],
    ['update', 1],
    ['low_stock', 1],
    ['update', 1],
  ]);
});

test('by a new item, by a batch, and by another reorder point', async () => {
  await make({ quantity: 4 });
  expect(await reports()).toBe(1);
  const items = [1, 2, 3, 9, 9].map((quantity, n) => ({ name: `Item ${n}`, quantity, reorder_point: 5 }));
  expect((await client.post('/inventory/batch', { items })).status).toBe(201);
  expect(await reports()).toBe(4);
  const id = await make({ reorder_point: null });
  await patch(id, { reorder_point: 9 });
  expect(await reports()).toBe(4);
  await patch(id, { reorder_point: 10 });
  await patch(id, { reorder_point: 11 });
  expect(await reports()).toBe(5);
  await patch(id, { reorder_point: null });
  await patch(id, { reorder_point: 11 });
  expect(await reports()).toBe(6);
});

test('in the name of the clock, with the row', async () => {
  const id = await make({ quantity: 1 });
  await waitForOlderTransactions(service.database);
  const { row } = await client.get('/changes', { resource: 'inventory_items' });
  const actor = { kind: 'clock', user_id: null, token_id: null, request_id: null };
  expect((row['changes'] as Row[])[1]).toMatchObject({
    row_id: id,
    action: 'low_stock',
    fields: [],
    before: null,
    after: { id, quantity: 1 },
    actor,
  });
});

test('once by adjustments at the same time', async () => {
  const id = await make({ quantity: 20, reorder_point: 15 });
  const replies = await Promise.all(Array.from({ length: 10 }, () => adjust(id, 'removal', 2)));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
  expect(await reports()).toBe(1);
});

test('by SQL, and not by a write that is rolled back', async () => {
  const id = await make();
  const { database } = service;
  await expect(
    database.prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`UPDATE inventory_items SET quantity = 0 WHERE id = ${id}::uuid`;
      throw new Error('undone');
    }),
  ).rejects.toThrow('undone');
  expect(await reports()).toBe(0);
  await database.query({ text: 'UPDATE inventory_items SET quantity = 0 WHERE id = $1', values: [id] });
  expect(await reports()).toBe(1);
  await client.delete(`/inventory/${id}`);
  expect(await reports()).toBe(1);
});
