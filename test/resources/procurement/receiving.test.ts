import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../../support/client.ts';
import { type Service, startService, type Tenant } from '../../support/service.ts';
import { at, countStatuses, makers, times } from './making.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
/** Ids of the company's members. */
let ada: string;
let ben: string;
beforeAll(async () => {
  service = await startService();
});
// Each test has its own company, whose order numbers start anew.
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
  [ada = '', ben = ''] = tenant.users.map(({ id }) => id);
});
afterAll(() => service.close());

const { item, order, receive, requisition } = makers(() => client);

describe('a receiving record', () => {
  const stock = async (id: string) => (await client.get(`/inventory/${id}`)).row['quantity'];
  const status = async (row: Row) => (await client.get(at('orders', row))).row['status'];
  const line = (item_id: string, quantity: number) => ({ item_id, quantity });

  test('defaults to pending, the caller and now', async () => {
    const { row } = await receive();
    expect(row).toMatchObject({
      status: 'pending',
      received_by: ada,
      purchase_order_id: null,
      line_items: [],
      notes: null,
    });
    expect(Math.abs(Date.now() - Date.parse(String(row['received_at'])))).toBeLessThan(5000);
    expect((await receive({ received_by: ben, received_at: '2026-03-01T08:00:00Z' })).row).toMatchObject({
      received_by: ben,
      received_at: '2026-03-01T08:00:00.000Z',
    });
    expect(
      Object.keys((await receive({ line_items: [{ item_id: randomUUID(), quantity: 1 }, {}] })).details).sort(),
    ).toEqual(['line_items.0.item_id', 'line_items.1.item_id', 'line_items.1.quantity']);
  });

  test('adds its goods to the stock when completed, with one ledger entry per item', async () => {
    const [bulb, lamp] = [await item({ quantity: 5 }), await item()];
    const { number, id } = await order();
    const { row } = await receive({
      purchase_order_id: id,
      line_items: [line(bulb, 2), line(lamp, 1), line(bulb, 3), line(lamp, 0)],
    });
    expect([await stock(bulb), await stock(lamp)]).toEqual([5, 0]);
    expect((await client.patch(at('receiving', row), { status: 'complete' })).status).toBe(200);
    expect([await stock(bulb), await stock(lamp)]).toEqual([10, 1]);
    expect((await client.get(`/inventory/${bulb}/adjustments`)).rows).toMatchObject([
      {
        type: 'addition',
        quantity: 5,
        quantity_before: 5,
        quantity_after: 10,
        receiving_record_id: row['id'],
        reference: number,
        user_id: ada,
      },
    ]);
    expect((await client.get(`/inventory/${lamp}/adjustments`)).rows).toMatchObject([
      { quantity: 1, receiving_record_id: row['id'] },
    ]);
    expect((await client.patch(at('receiving', row), { status: 'complete', notes: 'Twice' })).status).toBe(200);
    expect(await stock(bulb)).toBe(10);
  });

  test('can be created complete, with its line items', async () => {
    const bulb = await item();
    expect((await receive({ status: 'complete', line_items: [line(bulb, 4)] })).row).toMatchObject({
      status: 'complete',
    });
    const { row } = await receive({ line_items: [line(bulb, 100)] });
    await client.patch(at('receiving', row), { status: 'complete', line_items: [line(bulb, 6)] });
    expect(await stock(bulb)).toBe(10);
    expect((await client.get(`/inventory/${bulb}/adjustments`)).rows[0]).toMatchObject({
      reference: null,
      quantity: 6,
    });
  });

  test('cannot be changed once complete', async () => {
    const bulb = await item();
    const { row } = await receive({ status: 'complete', line_items: [line(bulb, 4)] });
    const path = at('receiving', row);
    expect(await client.patch(path, { line_items: [line(bulb, 5)] })).toMatchObject({
      status: 409,
      details: { line_items: expect.any(String) },
    });
    expect((await client.patch(path, { line_items: [] })).status).toBe(409);
    expect((await client.patch(path, { status: 'pending' })).status).toBe(409);
    expect((await client.patch(path, { purchase_order_id: (await order())['id'] })).details).toEqual({
      purchase_order_id: expect.any(String),
    });
    expect((await client.patch(path, { notes: 'All well', received_by: ben, purchase_order_id: null })).status).toBe(
      200,
    );
    expect((await client.delete(path)).status).toBe(409);
    expect((await client.get(path)).row['line_items']).toEqual([line(bulb, 4)]);
    expect(await stock(bulb)).toBe(4);
  });

  test('advances its order by the received quantities', async () => {
    const [bulb, lamp] = [await item(), await item()];
    const ordered = await order({
      status: 'sent',
      line_items: [
        line(bulb, 2),
        line(bulb, 3),
        line(lamp, 3),
        { description: 'Freight', quantity: 1 },
        { item_id: lamp },
      ],
    });
    const come = (...line_items: Row[]) =>
      receive({ purchase_order_id: ordered['id'], status: 'complete', line_items });
    await receive({ purchase_order_id: ordered['id'], line_items: [line(bulb, 5), line(lamp, 3)] });
    expect(await status(ordered)).toBe('sent');
    await come(line(bulb, 4));
    expect(await status(ordered)).toBe('partially_received');
    await come(line(bulb, 1), line(lamp, 2));
    expect(await status(ordered)).toBe('partially_received');
    await come(line(lamp, 1));
    expect(await status(ordered)).toBe('received');
    expect(await come(line(lamp, 1))).toMatchObject({
      status: 409,
      details: { purchase_order_id: expect.stringContaining('received') },
    });
    expect([await stock(bulb), await stock(lamp)]).toEqual([5, 3]);
  });

  test('without goods does not advance an order of items', async () => {
    const [bulb, lamp] = [await item(), await item()];
    const ordered = await order({ status: 'sent', line_items: [line(bulb, 2), { description: 'Freight' }] });
    const refusal = { status: 422, details: { line_items: 'must have a received quantity, as the order has items' } };
    const complete = { purchase_order_id: ordered['id'], status: 'complete' };
    expect(await receive(complete)).toMatchObject(refusal);
    expect(await receive({ ...complete, line_items: [line(bulb, 0)] })).toMatchObject(refusal);
    expect((await receive({ ...complete, line_items: [{ item_id: bulb }] })).details).toEqual({
      'line_items.0.quantity': expect.any(String),
    });
    const { row } = await receive({ purchase_order_id: ordered['id'] });
    expect(await client.patch(at('receiving', row), { status: 'complete' })).toMatchObject(refusal);
    expect(await status(ordered)).toBe('sent');
    // Goods that do not belong to this order.
    expect((await receive({ ...complete, line_items: [line(lamp, 1)] })).status).toBe(201);
    expect([await status(ordered), await stock(lamp)]).toEqual(['sent', 1]);
    const services = await order({ status: 'sent', line_items: [{ description: 'Cleaning' }] });
    expect((await receive({ purchase_order_id: services['id'], status: 'complete' })).status).toBe(201);
    expect(await status(services)).toBe('received');
  });

  test('advances a draft, but not a canceled order', async () => {
    const bulb = await item();
    const draft = await order({ line_items: [line(bulb, 1)] });
    await receive({ purchase_order_id: draft['id'], status: 'complete', line_items: [line(bulb, 2)] });
    expect(await status(draft)).toBe('received');
    // No transition leads there from a draft at once.
    const history = await client.get(`${at('orders', draft)}/history`);
    expect(history.rows.flatMap(({ after }) => (after as { status?: string }).status ?? [])).toEqual([
      'received',
      'sent',
      'draft',
    ]);
    const cancelled = await order({ status: 'cancelled' });
    const { row } = await receive({ purchase_order_id: cancelled['id'], line_items: [line(bulb, 1)] });
    expect((await client.patch(at('receiving', row), { status: 'complete' })).details).toEqual({
      purchase_order_id: expect.stringContaining('cancelled'),
    });
    expect((await client.get(at('receiving', row))).row['status']).toBe('pending');
    expect((await receive({ purchase_order_id: cancelled['id'], status: 'complete' })).status).toBe(409);
    expect(await status(cancelled)).toBe('cancelled');
    expect(await stock(bulb)).toBe(2);
  });

  test('that exceeds the maximum stock adds nothing', async () => {
    const [bulb, lamp] = [await item({ quantity: 2_147_483_647 }), await item()];
    const ordered = await order();
    const reply = await receive({
      purchase_order_id: ordered['id'],
      status: 'complete',
      line_items: [line(lamp, 1), line(bulb, 1)],
    });
    expect(reply).toMatchObject({ status: 409, details: { line_items: expect.any(String) } });
    expect([await stock(lamp), await status(ordered)]).toEqual([0, 'draft']);
    expect((await client.get('/procurement/receiving')).meta.total).toBe(0);
  });

  test('completed 20 times concurrently is added once', async () => {
    const bulb = await item();
    const ordered = await order({ line_items: [line(bulb, 7)] });
    const { row } = await receive({ purchase_order_id: ordered['id'], line_items: [line(bulb, 7)] });
    expect(countStatuses(await times(20, () => client.patch(at('receiving', row), { status: 'complete' })))).toEqual({
      200: 20,
    });
    expect(await stock(bulb)).toBe(7);
    expect((await client.get(`/inventory/${bulb}/adjustments`)).meta.total).toBe(1);
    expect(await status(ordered)).toBe('received');
  });

  test('of 30 concurrent ones for an order counts up to the ordered quantity', async () => {
    const [bulb, lamp] = [await item(), await item()];
    const ordered = await order({ line_items: [line(bulb, 12), line(lamp, 12)] });
    const replies = await times(30, (n) =>
      receive({
        purchase_order_id: ordered['id'],
        status: 'complete',
        line_items: n % 2 ? [line(bulb, 1), line(lamp, 1)] : [line(lamp, 1), line(bulb, 1)],
      }),
    );
    expect(countStatuses(replies)).toEqual({ 201: 12, 409: 18 });
    expect([await stock(bulb), await stock(lamp), await status(ordered)]).toEqual([12, 12, 'received']);
  });

  test('runs concurrently with adjustments of the same items', async () => {
    const [bulb, lamp] = [await item({ quantity: 50 }), await item({ quantity: 50 })];
    const replies = await times(40, (n) => {
      if (n % 4 === 0) return receive({ status: 'complete', line_items: [line(bulb, 2), line(lamp, 1)] });
      if (n % 4 === 1) return receive({ status: 'complete', line_items: [line(lamp, 2), line(bulb, 1)] });
      return client.post(`/inventory/${n % 4 === 2 ? bulb : lamp}/adjustments`, { type: 'removal', quantity: 3 });
    });
    expect(countStatuses(replies)).toEqual({ 201: 40 });
    // Each: 50 + 10 × 2 + 10 × 1 − 10 × 3.
    expect([await stock(bulb), await stock(lamp)]).toEqual([50, 50]);
  });

  test('is listed by its item', async () => {
    const [bulb, lamp] = [await item(), await item()];
    const wanted = await requisition({ line_items: [{ item_id: bulb }] });
    const ordered = await order({ line_items: [{ item_id: bulb }], requisition_id: wanted['id'] });
    const { row } = await receive({
      purchase_order_id: ordered['id'],
      status: 'complete',
      line_items: [line(bulb, 4)],
    });
    await receive({ line_items: [line(lamp, 1)] });
    for (const [path, { id }] of [
      ['requisitions', wanted],
      ['orders', ordered],
      ['receiving', row],
    ] as const) {
      const found = await client.get(`/procurement/${path}`, { item_id: bulb });
      expect([found.rows.map((one) => one['id']), found.meta.total]).toEqual([[id], 1]);
      expect((await client.get(`/procurement/${path}`, { item_id: 'bulb' })).status).toBe(400);
    }
    expect((await client.delete(`/inventory/${lamp}`)).status).toBe(409);
    const query = `query ($id: ID!) { inventoryItem(id: $id) {
      requisitions { nodes { id } } purchaseOrders { nodes { id } }
      receivingRecords { totalCount nodes { id lineItems { quantity item { id } } purchaseOrder { requisition { id } } } }
      adjustments { nodes { receivingRecord { id } } }
    } }`;
    const { data, errors } = await client.graphql(query, { id: bulb });
    expect(errors).toEqual([]);
    expect(data['inventoryItem']).toEqual({
      requisitions: { nodes: [{ id: wanted['id'] }] },
      purchaseOrders: { nodes: [{ id: ordered['id'] }] },
      receivingRecords: {
        totalCount: 1,
        nodes: [
          {
            id: row['id'],
            lineItems: [{ quantity: 4, item: { id: bulb } }],
            purchaseOrder: { requisition: { id: wanted['id'] } },
          },
        ],
      },
      adjustments: { nodes: [{ receivingRecord: { id: row['id'] } }] },
    });
    const stockkeeper = await tenant.client(['inventory:read']);
    const refused = await stockkeeper.graphql(
      'query ($id: ID!) { inventoryItem(id: $id) { id receivingRecords { nodes { id } } } }',
      { id: bulb },
    );
    expect(refused.data['inventoryItem']).toEqual({ id: bulb, receivingRecords: null });
    expect(refused.errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE' } }]);
  });
});
