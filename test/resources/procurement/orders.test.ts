import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../../support/client.ts';
import { type Service, startService, type Tenant } from '../../support/service.ts';
import { at, countStatuses, makers, times } from './making.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
// Each test has its own company, whose order numbers start anew.
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

const { expectTransitions, item, order, receive, vendor } = makers(() => client);

describe('a purchase order', () => {
  test('has a number that is unique in the company, issued by default', async () => {
    expect(await order()).toMatchObject({
      number: 'PO-000001',
      status: 'draft',
      line_items: [],
      vendor_id: null,
      requisition_id: null,
    });
    expect(await order({ number: 'B 7' })).toMatchObject({ number: 'B 7' });
    const byHand = await order({ number: 'PO-000003' });
    expect(await order()).toMatchObject({ number: 'PO-000002' });
    expect(await order()).toMatchObject({ number: 'PO-000004' });
    expect(await client.post('/procurement/orders', { number: ' B 7 ' })).toMatchObject({
      status: 409,
      details: { number: 'is taken' },
    });
    expect(await client.patch(at('orders', byHand), { number: 'PO-000004' })).toMatchObject({
      status: 409,
      details: { number: 'is taken' },
    });
    expect((await client.patch(at('orders', byHand), { number: 'PO-000005' })).status).toBe(200);
    expect(await order()).toMatchObject({ number: 'PO-000006' });
    expect((await client.post('/procurement/orders', { number: '' })).details).toEqual({ number: expect.any(String) });
    expect(await order({ number: null })).toMatchObject({ number: 'PO-000007' });
    expect((await client.patch(at('orders', byHand), { number: null })).details).toEqual({
      number: expect.any(String),
    });
    const other = await (await service.tenant()).client();
    expect((await other.post('/procurement/orders', {})).row).toMatchObject({ number: 'PO-000001' });
  });

  test('gets the next number, also for 40 concurrent creates', async () => {
    const orders = await times(40, () => order());
    const numbers = orders.map(({ number }) => String(number)).sort();
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, n) => `PO-${String(n + 1).padStart(6, '0')}`));
  });

  test('does not fail when its number is given by hand concurrently', async () => {
    const replies = await times(40, (n) =>
      client.post('/procurement/orders', n % 2 ? {} : { number: `PO-${String(n + 1).padStart(6, '0')}` }),
    );
    const issued = replies.filter((_, n) => n % 2);
    expect(countStatuses(issued)).toEqual({ 201: 20 });
    const made = replies.filter(({ status }) => status === 201).map(({ row }) => String(row['number']));
    expect(new Set(made).size).toBe(made.length);
    for (const { status } of replies) expect([201, 409]).toContain(status);
  });

  test('gets a number after hundreds that were given by hand', async () => {
    const { id: companyId } = tenant.company;
    const data = Array.from({ length: 230 }, (_, n) => ({ companyId, number: `PO-${String(n + 1).padStart(6, '0')}` }));
    await service.database.prisma.purchaseOrder.createMany({ data });
    expect(await order()).toMatchObject({ number: 'PO-000231' });
  });

  test('that fails uses no number', async () => {
    expect((await client.post('/procurement/orders', { vendor_id: randomUUID() })).status).toBe(422);
    expect(await order()).toMatchObject({ number: 'PO-000001' });
  });

  test('goes from draft to received, or is canceled', async () => {
    await expectTransitions(
      'orders',
      {},
      {
        draft: [],
        sent: ['sent'],
        partially_received: ['sent', 'partially_received'],
        received: ['sent', 'received'],
        cancelled: ['cancelled'],
      },
      {
        draft: ['sent', 'cancelled'],
        sent: ['partially_received', 'received', 'cancelled'],
        partially_received: ['received'],
      },
    );
  });

  test('of items is received only with the ordered goods', async () => {
    const bulb = await item();
    const row = await order({ status: 'sent', line_items: [{ item_id: bulb, quantity: 3 }] });
    const path = at('orders', row);
    const come = (quantity: number) =>
      receive({ purchase_order_id: row['id'], status: 'complete', line_items: [{ item_id: bulb, quantity }] });
    for (const status of ['partially_received', 'received'])
      expect(await client.patch(path, { status })).toMatchObject({
        status: 422,
        details: { status: expect.stringContaining('received') },
      });
    await come(2);
    expect((await client.patch(path, { status: 'partially_received' })).status).toBe(200);
    expect((await client.patch(path, { status: 'received' })).status).toBe(422);
    // The rest will not come.
    const closed = await client.patch(path, { status: 'received', line_items: [{ item_id: bulb, quantity: 2 }] });
    expect(closed).toMatchObject({ status: 200, row: { status: 'received' } });
  });

  test('of items without a quantity is received only with some of each', async () => {
    const [bulb, lamp] = [await item(), await item()];
    const row = await order({ status: 'sent', line_items: [{ item_id: bulb }, { item_id: lamp }] });
    const path = at('orders', row);
    const come = (item_id: string) =>
      receive({ purchase_order_id: row['id'], status: 'complete', line_items: [{ item_id, quantity: 1 }] });
    for (const status of ['partially_received', 'received'])
      expect(await client.patch(path, { status })).toMatchObject({
        status: 422,
        details: { status: expect.any(String) },
      });
    await come(bulb);
    expect((await client.get(path)).row['status']).toBe('partially_received');
    expect((await client.patch(path, { status: 'received' })).status).toBe(422);
    await come(lamp);
    expect((await client.get(path)).row['status']).toBe('received');
  });

  test('follows what was received when its lines change', async () => {
    const bulb = await item();
    const bulbs = (quantity: number) => [{ item_id: bulb, quantity }];
    const come = (row: Row, quantity: number) =>
      receive({ purchase_order_id: row['id'], status: 'complete', line_items: bulbs(quantity) });

    // Nothing was received of the items that replace a service.
    const service = at('orders', await order({ status: 'sent', line_items: [{ description: 'Cleaning' }] }));
    expect((await client.patch(service, { status: 'received' })).status).toBe(200);
    expect((await client.patch(service, { status: 'received', line_items: bulbs(9) })).details).toEqual({
      status: expect.stringContaining('received'),
    });
    expect((await client.patch(service, { line_items: bulbs(9) })).row).toMatchObject({ status: 'sent' });

    const more = await order({ status: 'sent', line_items: bulbs(1) });
    await come(more, 1);
    expect((await client.get(at('orders', more))).row['status']).toBe('received');
    const { row } = await client.patch(at('orders', more), { line_items: bulbs(9) });
    expect(row).toMatchObject({ status: 'partially_received' });
    // The rest can be received.
    expect((await come(more, 8)).status).toBe(201);
    expect((await client.get(at('orders', more))).row['status']).toBe('received');

    const less = await order({ status: 'sent', line_items: bulbs(5) });
    await come(less, 2);
    expect((await client.patch(at('orders', less), { notes: 'Late' })).row).not.toHaveProperty('status');
    expect((await client.patch(at('orders', less), { line_items: bulbs(2) })).row).toMatchObject({
      status: 'received',
    });

    const cancelled = at('orders', await order({ status: 'cancelled' }));
    expect((await client.patch(cancelled, { line_items: bulbs(1) })).row).not.toHaveProperty('status');
    const draft = at('orders', await order());
    expect((await client.patch(draft, { line_items: bulbs(1) })).row).not.toHaveProperty('status');
    expect((await client.get(draft)).row['status']).toBe('draft');
  });

  test('must not be expected before it was ordered', async () => {
    expect(
      (await client.post('/procurement/orders', { order_date: '2026-03-02', expected_date: '2026-03-01' })).details,
    ).toEqual({ expected_date: expect.any(String) });
    const row = at('orders', await order({ order_date: '2026-03-02', expected_date: '2026-03-02' }));
    expect((await client.patch(row, { order_date: '2026-03-03' })).status).toBe(422);
  });

  test('is listed below its vendor, under the vendors scope', async () => {
    const [acme, bolts] = [await vendor(), await vendor()];
    const mine = await order({ vendor_id: acme, notes: 'Chairs' });
    await order({ vendor_id: bolts });
    const reader = await tenant.client(['vendors:read']);
    const path = `/vendors/${acme}/purchase-orders`;
    expect((await reader.get(path)).rows).toEqual([mine]);
    expect((await reader.get(path, { status: 'sent' })).rows).toEqual([]);
    expect((await reader.get(`/vendors/${randomUUID()}/purchase-orders`)).status).toBe(404);
    expect((await client.post(path, {})).status).toBe(405);
    expect((await (await tenant.client(['procurement:read'])).get(path)).status).toBe(403);
  });

  test('cannot be deleted while goods or invoices refer to it', async () => {
    const row = await order({ line_items: [{ description: 'Chair' }] });
    const record = (await receive({ purchase_order_id: row['id'] })).row;
    expect((await client.delete(at('orders', row))).status).toBe(409);
    expect((await client.delete(at('receiving', record))).status).toBe(204);
    expect((await client.delete(at('orders', row))).status).toBe(204);
  });
});

describe('an invoice', () => {
  const bill = (body: Row = {}) => client.post('/procurement/invoices', body);

  test('goes from pending to approved to paid, or is voided before', async () => {
    await expectTransitions(
      'invoices',
      {},
      { pending: [], approved: ['approved'], paid: ['approved', 'paid'], void: ['void'] },
      {
        pending: ['approved', 'void'],
        approved: ['paid', 'void'],
      },
    );
  });

  test('has a number that is unique for its vendor', async () => {
    const [acme, bolts] = [await vendor(), await vendor()];
    expect((await bill({ vendor_id: acme, invoice_number: 'R 1' })).status).toBe(201);
    expect(await bill({ vendor_id: acme, invoice_number: 'R 1' })).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT' },
    });
    expect((await bill({ vendor_id: acme, invoice_number: 'R 1' })).details).toEqual({ invoice_number: 'is taken' });
    expect((await client.post(`/vendors/${acme}/invoices`, { invoice_number: 'R 1' })).details).toEqual({
      invoice_number: 'is taken',
    });
    for (const body of [
      { vendor_id: bolts, invoice_number: 'R 1' },
      { vendor_id: acme },
      { vendor_id: acme },
      { invoice_number: 'R 1' },
    ]) {
      expect((await bill(body)).status).toBe(201);
    }
    expect(countStatuses(await times(20, () => bill({ vendor_id: acme, invoice_number: 'R 2' })))).toEqual({
      201: 1,
      409: 19,
    });
  });

  test('must not be due before it was issued', async () => {
    expect((await bill({ issued_date: '2026-03-02', due_date: '2026-03-01' })).details).toEqual({
      due_date: expect.any(String),
    });
    expect((await bill({ issued_date: '2026-03-02', due_date: '2026-03-02', amount: 12.3456 })).row).toMatchObject({
      amount: 12.3456,
    });
  });

  test('is listed and created below its vendor, under the vendors scope', async () => {
    const [acme, bolts] = [await vendor(), await vendor()];
    const clerk = await tenant.client(['vendors:read', 'vendors:write']);
    const path = `/vendors/${acme}/invoices`;
    const made = await clerk.post(path, { invoice_number: 'R 1', amount: 20 });
    expect(made).toMatchObject({
      status: 201,
      row: { vendor_id: acme, invoice_number: 'R 1', amount: 20, status: 'pending' },
    });
    await bill({ vendor_id: bolts });
    expect((await clerk.get(path)).rows).toEqual([made.row]);
    expect((await clerk.post(path, { vendor_id: bolts })).details).toEqual({
      vendor_id: expect.stringContaining('read-only'),
    });
    expect((await clerk.post(`/vendors/${randomUUID()}/invoices`, {})).status).toBe(404);
    expect((await clerk.get(`/vendors/${randomUUID()}/invoices`)).status).toBe(404);
    const buyer = await tenant.client(['procurement:read', 'procurement:write']);
    expect([(await buyer.get(path)).status, (await buyer.post(path, {})).status]).toEqual([403, 403]);
    expect((await client.delete(`/vendors/${acme}`)).status).toBe(409);
  });
});
