import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Reply, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
/** Ids of the company's members. */
let ada: string;
let ben: string;
beforeAll(async () => {
  service = await startService();
});
// Each test has a company of its own, whose order numbers begin anew.
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
  [ada = '', ben = ''] = tenant.users.map(({ id }) => id);
});
afterAll(() => service.close());

const make = async (path: string, body: Row = {}): Promise<Row> => {
  const reply = await client.post(path, body);
  expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
  return reply.row;
};
const idOf = ({ id }: Row) => String(id);
const requisition = (body: Row = {}) => make('/procurement/requisitions', { title: 'Chairs', ...body });
const order = (body: Row = {}) => make('/procurement/orders', body);
const receive = (body: Row = {}) => client.post('/procurement/receiving', body);
const transfer = (body: Row = {}) => client.post('/procurement/transfers', body);
const item = async (body: Row = {}) => idOf(await make('/inventory', { name: 'Bulb', ...body }));
const vendor = async (company_name = 'Acme') => idOf(await make('/vendors', { company_name }));
const building = async (name: string) => idOf(await make('/locations/buildings', { name }));
const at = (path: string, row: Row) => `/procurement/${path}/${idOf(row)}`;
const tally = (replies: readonly Reply[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
const times = <Made>(count: number, make: (n: number) => Promise<Made>) =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

/** Tries every move of a resource: from each status, reached by the words of its way, to every word. */
async function expectMoves(
  path: string,
  body: Row,
  ways: Record<string, readonly string[]>,
  allowed: Record<string, readonly string[]>,
) {
  const begin = async (from: string) => {
    const row = at(path, await make(`/procurement/${path}`, body));
    for (const status of ways[from] ?? []) expect((await client.patch(row, { status })).status).toBe(200);
    return row;
  };
  const words = Object.keys(ways);
  for (const from of words) {
    const row = await begin(from);
    for (const to of words.filter((word) => word !== from && !allowed[from]?.includes(word))) {
      expect([from, to, (await client.patch(row, { status: to })).status]).toEqual([from, to, 409]);
    }
    expect((await client.patch(row, { status: from })).status).toBe(200);
    expect((await client.get(row)).row['status']).toBe(from);
    for (const to of allowed[from] ?? []) {
      expect([from, to, (await client.patch(await begin(from), { status: to })).row['status']]).toEqual([from, to, to]);
    }
  }
}

// Spec §2 and §4; decisions, Resources 10.
describe('a requisition', () => {
  test("is a draft of its caller's, unless said otherwise", async () => {
    expect(await requisition()).toMatchObject({
      status: 'draft',
      requested_by: ada,
      vendor_id: null,
      vendor: null,
      line_items: [],
      total_amount: null,
      description: null,
    });
    expect(await requisition({ requested_by: ben, status: 'pending' })).toMatchObject({
      status: 'pending',
      requested_by: ben,
    });
    expect(
      (await client.post('/procurement/requisitions', { title: 'Chairs', requested_by: randomUUID() })).details,
    ).toEqual({ requested_by: expect.any(String) });
  });

  test('is approved or rejected only when it is pending', async () => {
    await expectMoves(
      'requisitions',
      { title: 'Chairs' },
      { draft: [], pending: ['pending'], approved: ['pending', 'approved'], rejected: ['pending', 'rejected'] },
      {
        draft: ['pending'],
        pending: ['approved', 'rejected', 'draft'],
        rejected: ['draft'],
      },
    );
    const row = at('requisitions', await requisition());
    expect(await client.patch(row, { status: 'approved' })).toMatchObject({
      error: { code: 'CONFLICT', details: { status: expect.any(String) } },
    });
    expect((await client.patch(row, { status: 'bought' })).status).toBe(422);
    expect((await client.post('/procurement/requisitions', { title: 'Chairs', status: 'approved' })).status).toBe(409);
  });

  test('is either approved or rejected when both are asked at once', async () => {
    const row = at('requisitions', await requisition({ status: 'pending' }));
    const words = ['approved', 'rejected'];
    const replies = await times(30, (n) => client.patch(row, { status: words[n % 2] }));
    const winner = (await client.get(row)).row['status'];
    expect(words).toContain(winner);
    // Who asks for what it is already is not refused.
    expect(replies.map(({ status }) => status)).toEqual(replies.map((_, n) => (words[n % 2] === winner ? 200 : 409)));
  });

  test('shows its vendor in short, to who may not read vendors too', async () => {
    const acme = await vendor('Acme');
    const short = { vendor_id: acme, vendor: { id: acme, company_name: 'Acme' } };
    const buyer = await tenant.client(['procurement:read', 'procurement:write']);
    const made = await buyer.post('/procurement/requisitions', { title: 'Chairs', vendor_id: acme });
    expect(made.row).toMatchObject(short);
    expect(made.row).not.toHaveProperty('vendor_summary');
    const row = at('requisitions', made.row);
    expect((await buyer.get(row)).row).toMatchObject(short);
    expect((await buyer.get('/procurement/requisitions', { vendor_id: acme })).rows).toMatchObject([short]);
    const bolts = await vendor('Bolts');
    expect((await buyer.patch(row, { vendor_id: bolts }, { prefer: 'return=representation' })).row).toMatchObject({
      vendor: { id: bolts, company_name: 'Bolts' },
    });
    expect((await buyer.patch(row, { vendor: { id: acme } })).details).toEqual({
      vendor: expect.stringContaining('read-only'),
    });
    expect((await buyer.patch(row, { vendor_id: null }, { prefer: 'return=representation' })).row).toMatchObject({
      vendor_id: null,
      vendor: null,
    });

    await buyer.patch(row, { vendor_id: acme });
    const query =
      'query ($id: ID!) { requisition(id: $id) { vendorSummary { id companyName } vendor { companyName } } }';
    const { data, errors } = await buyer.graphql(query, { id: made.row['id'] });
    expect(data['requisition']).toEqual({ vendorSummary: { id: acme, companyName: 'Acme' }, vendor: null });
    expect(errors).toMatchObject([{ path: ['requisition', 'vendor'], extensions: { code: 'INSUFFICIENT_SCOPE' } }]);
    expect((await client.graphql(query, { id: made.row['id'] })).data['requisition']).toMatchObject({
      vendor: { companyName: 'Acme' },
    });
  });
});

// Decisions, Resources 10: the same of both.
describe.each([
  ['requisitions', { title: 'Chairs' }],
  ['orders', {}],
])('the total of %s', (path, base) => {
  const post = (body: Row) => client.post(`/procurement/${path}`, { ...base, ...body });
  const lines = (...priced: [number, number][]) => priced.map(([quantity, unit_price]) => ({ quantity, unit_price }));

  test('is the sum of the lines, to the last place', async () => {
    const bulb = await item();
    const line_items = [
      { description: 'Chair', quantity: 3, unit_price: 49.95, item_id: null },
      { description: null, quantity: 0.5, unit_price: 0.0003, item_id: bulb },
    ];
    // 149.85 + 0.00015, which is 149.8502 to four places.
    expect((await post({ line_items })).row).toMatchObject({ line_items, total_amount: 149.8502 });
    // In binary, 0.1 × 3 is not 0.3, and 0.1 + 0.2 neither.
    expect((await post({ line_items: lines([3, 0.1]), total_amount: 0.3 })).row).toMatchObject({ total_amount: 0.3 });
    expect((await post({ line_items: lines([1, 0.1], [1, 0.2]), total_amount: 0.3 })).row).toMatchObject({
      total_amount: 0.3,
    });
    expect((await post({ line_items: lines([100, 9_999_999_999.99]) })).row).toMatchObject({
      total_amount: 999_999_999_999,
    });
    expect((await post({ line_items: lines([0, 5]) })).row).toMatchObject({ total_amount: 0 });
  });

  test('may not be another than that', async () => {
    const reply = await post({ line_items: lines([2, 10], [1, 0.5]), total_amount: 20 });
    expect(reply).toMatchObject({ status: 422, details: { total_amount: expect.stringContaining('20.5') } });
    expect((await post({ line_items: lines([2, 10]), total_amount: 19, vendor_id: 'x' })).details).toEqual({
      total_amount: expect.any(String),
      vendor_id: expect.any(String),
    });
    expect((await post({ line_items: lines([1_000_000_000, 1_000_000]) })).details).toEqual({
      total_amount: expect.stringContaining('less than 1000000000000'),
    });
  });

  test('stands as given where lines have no price, or there are none', async () => {
    expect((await post({ total_amount: 12.5 })).row).toMatchObject({ total_amount: 12.5, line_items: [] });
    expect((await post({ total_amount: 12.5, line_items: [] })).row).toMatchObject({ total_amount: 12.5 });
    const some = [{ quantity: 2, unit_price: 3 }, { description: 'Freight' }, { quantity: 4 }, { unit_price: 5 }];
    expect((await post({ total_amount: 12.5, line_items: some })).row).toMatchObject({ total_amount: 12.5 });
    expect((await post({ line_items: some })).row).toMatchObject({ total_amount: 6 });
    expect((await post({ line_items: [{ description: 'Freight' }] })).row).toMatchObject({ total_amount: null });
  });

  test('follows the lines when they change, and is compared with them when they do not', async () => {
    const row = at(path, (await post({ line_items: lines([2, 10]) })).row);
    const total = async () => (await client.get(row)).row['total_amount'];
    expect((await client.patch(row, { total_amount: 21 })).details).toEqual({
      total_amount: expect.stringContaining('20'),
    });
    expect((await client.patch(row, { total_amount: 20 })).status).toBe(200);
    expect(await client.patch(row, { line_items: lines([3, 10], [1, 1]) })).toMatchObject({
      status: 200,
      row: { line_items: [{ quantity: 3 }, { quantity: 1 }] },
    });
    expect(await total()).toBe(31);
    expect((await client.patch(row, { line_items: lines([1, 10]), total_amount: 31 })).status).toBe(422);
    expect((await client.patch(row, { line_items: lines([1, 10]), total_amount: 10 })).row).toMatchObject({
      total_amount: 10,
    });
    expect((await client.patch(row, { total_amount: null })).row).toMatchObject({ total_amount: 10 });
    await client.patch(row, { line_items: [] });
    expect(await total()).toBeNull();
    expect((await client.patch(row, { total_amount: 99 })).row).toMatchObject({ total_amount: 99 });
  });

  test('is of the lines there are, however many change them at once', async () => {
    const row = at(path, (await post({ line_items: lines([1, 1]) })).row);
    const replies = await times(30, (n) =>
      client.patch(row, n % 3 ? { line_items: lines([1, n], [2, n]) } : { total_amount: 3 * n }),
    );
    for (const { status } of replies) expect([200, 422]).toContain(status);
    const { line_items, total_amount } = (await client.get(row)).row as {
      line_items: { quantity: number; unit_price: number }[];
      total_amount: number;
    };
    expect(line_items.length).toBe(2);
    expect(total_amount).toBe(3 * Number(line_items[0]?.unit_price));
  });

  test('leaves the lines in their order, and knows what is wrong with which', async () => {
    const words = ['d', 'a', 'c', 'b'].map((description) => ({
      description,
      quantity: null,
      unit_price: null,
      item_id: null,
    }));
    const row = (await post({ line_items: words })).row;
    expect((await client.get(at(path, row))).row['line_items']).toEqual(words);
    const reply = await post({
      line_items: [{ quantity: -1 }, { unit_price: 'much' }, 7, { item_id: randomUUID() }, { colour: 'red' }],
    });
    expect(Object.keys(reply.details).sort()).toEqual([
      'line_items.0.quantity',
      'line_items.1.unit_price',
      'line_items.2',
      'line_items.3.item_id',
      'line_items.4.colour',
    ]);
  });
});

// Decisions, Resources 11.
describe('a purchase order', () => {
  test('has a number, issued unless given, that no other of the company has', async () => {
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
    client = await (await service.tenant()).client();
    expect(await order()).toMatchObject({ number: 'PO-000001' });
  });

  test('has the next number, of 40 made at once each another', async () => {
    const orders = await times(40, () => order());
    const numbers = orders.map(({ number }) => String(number)).sort();
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, n) => `PO-${String(n + 1).padStart(6, '0')}`));
  });

  test('is not refused for a number that somebody gives by hand at the same moment', async () => {
    const replies = await times(40, (n) =>
      client.post('/procurement/orders', n % 2 ? {} : { number: `PO-${String(n + 1).padStart(6, '0')}` }),
    );
    const issued = replies.filter((_, n) => n % 2);
    expect(tally(issued)).toEqual({ 201: 20 });
    const made = replies.filter(({ status }) => status === 201).map(({ row }) => String(row['number']));
    expect(new Set(made).size).toBe(made.length);
    for (const { status } of replies) expect([201, 409]).toContain(status);
  });

  test('has a number after hundreds that were given by hand', async () => {
    const { id: companyId } = tenant.company;
    const data = Array.from({ length: 230 }, (_, n) => ({ companyId, number: `PO-${String(n + 1).padStart(6, '0')}` }));
    await service.database.prisma.purchaseOrder.createMany({ data });
    expect(await order()).toMatchObject({ number: 'PO-000231' });
  });

  test('whose making fails takes no number', async () => {
    expect((await client.post('/procurement/orders', { vendor_id: randomUUID() })).status).toBe(422);
    expect(await order()).toMatchObject({ number: 'PO-000001' });
  });

  test('goes from draft to received, or is cancelled', async () => {
    await expectMoves(
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

  test('is not expected before it was ordered', async () => {
    expect(
      (await client.post('/procurement/orders', { order_date: '2026-03-02', expected_date: '2026-03-01' })).details,
    ).toEqual({ expected_date: expect.any(String) });
    const row = at('orders', await order({ order_date: '2026-03-02', expected_date: '2026-03-02' }));
    expect((await client.patch(row, { order_date: '2026-03-03' })).status).toBe(422);
  });

  test('is listed below its vendor, for who may read vendors', async () => {
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

  test('is kept while goods or invoices refer to it', async () => {
    const row = await order({ line_items: [{ description: 'Chair' }] });
    const record = (await receive({ purchase_order_id: row['id'] })).row;
    expect((await client.delete(at('orders', row))).status).toBe(409);
    expect((await client.delete(at('receiving', record))).status).toBe(204);
    expect((await client.delete(at('orders', row))).status).toBe(204);
  });
});

describe('a receiving record', () => {
  const stock = async (id: string) => (await client.get(`/inventory/${id}`)).row['quantity'];
  const status = async (row: Row) => (await client.get(at('orders', row))).row['status'];
  const line = (item_id: string, quantity: number) => ({ item_id, quantity });

  test('is pending, by its caller and of now', async () => {
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

  test('adds its goods to the stock when it is complete, each item once, and the ledger says why', async () => {
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

  test('may be complete from the start, with lines of the same body too', async () => {
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

  test('stands once it is complete', async () => {
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

  test('moves its order on, as far as what was ordered has come', async () => {
    const [bulb, lamp] = [await item(), await item()];
    const ordered = await order({
      status: 'sent',
      line_items: [
        line(bulb, 2),
        line(bulb, 3),
        line(lamp, 2.5),
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

  test('takes a draft along, and nothing to what was cancelled', async () => {
    const bulb = await item();
    const draft = await order({ line_items: [line(bulb, 1)] });
    await receive({ purchase_order_id: draft['id'], status: 'complete', line_items: [line(bulb, 2)] });
    expect(await status(draft)).toBe('received');
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

  test('that would be more than a stock can count adds nothing at all', async () => {
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

  test('completed by 20 at once is added once', async () => {
    const bulb = await item();
    const ordered = await order({ line_items: [line(bulb, 7)] });
    const { row } = await receive({ purchase_order_id: ordered['id'], line_items: [line(bulb, 7)] });
    expect(tally(await times(20, () => client.patch(at('receiving', row), { status: 'complete' })))).toEqual({
      200: 20,
    });
    expect(await stock(bulb)).toBe(7);
    expect((await client.get(`/inventory/${bulb}/adjustments`)).meta.total).toBe(1);
    expect(await status(ordered)).toBe('received');
  });

  test('of 30 made at once for one order, as many count as it waits for', async () => {
    const [bulb, lamp] = [await item(), await item()];
    const ordered = await order({ line_items: [line(bulb, 12), line(lamp, 12)] });
    const replies = await times(30, (n) =>
      receive({
        purchase_order_id: ordered['id'],
        status: 'complete',
        line_items: n % 2 ? [line(bulb, 1), line(lamp, 1)] : [line(lamp, 1), line(bulb, 1)],
      }),
    );
    expect(tally(replies)).toEqual({ 201: 12, 409: 18 });
    expect([await stock(bulb), await stock(lamp), await status(ordered)]).toEqual([12, 12, 'received']);
  });

  test('beside adjustments of the same items at once loses none', async () => {
    const [bulb, lamp] = [await item({ quantity: 50 }), await item({ quantity: 50 })];
    const replies = await times(40, (n) => {
      if (n % 4 === 0) return receive({ status: 'complete', line_items: [line(bulb, 2), line(lamp, 1)] });
      if (n % 4 === 1) return receive({ status: 'complete', line_items: [line(lamp, 2), line(bulb, 1)] });
      return client.post(`/inventory/${n % 4 === 2 ? bulb : lamp}/adjustments`, { type: 'removal', quantity: 3 });
    });
    expect(tally(replies)).toEqual({ 201: 40 });
    // Each: 50 + 10 × 2 + 10 × 1 − 10 × 3.
    expect([await stock(bulb), await stock(lamp)]).toEqual([50, 50]);
  });

  test('is found from its item', async () => {
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

describe('an invoice', () => {
  const bill = (body: Row = {}) => client.post('/procurement/invoices', body);

  test('is pending, then approved, then paid, or void before it is', async () => {
    await expectMoves(
      'invoices',
      {},
      { pending: [], approved: ['approved'], paid: ['approved', 'paid'], void: ['void'] },
      {
        pending: ['approved', 'void'],
        approved: ['paid', 'void'],
      },
    );
  });

  test('has a number that no other of its vendor has', async () => {
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
    expect(tally(await times(20, () => bill({ vendor_id: acme, invoice_number: 'R 2' })))).toEqual({ 201: 1, 409: 19 });
  });

  test('is not due before it was issued', async () => {
    expect((await bill({ issued_date: '2026-03-02', due_date: '2026-03-01' })).details).toEqual({
      due_date: expect.any(String),
    });
    expect((await bill({ issued_date: '2026-03-02', due_date: '2026-03-02', amount: 12.3456 })).row).toMatchObject({
      amount: 12.3456,
    });
  });

  test('is listed and recorded below its vendor, under the vendors scope', async () => {
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

describe('an inventory transfer', () => {
  let tower: string;
  let annex: string;
  let depot: string;
  beforeEach(async () => {
    [tower, annex, depot] = [await building('Tower'), await building('Annex'), await building('Depot')];
  });
  const place = async (id: string) => {
    const { location_id, quantity } = (await client.get(`/inventory/${id}`)).row;
    return [location_id, quantity];
  };

  test('needs nothing, and leaves from where its item is', async () => {
    const bulb = await item({ quantity: 5, location_id: tower });
    expect((await transfer()).row).toMatchObject({
      status: 'pending',
      item_id: null,
      quantity: null,
      from_location_id: null,
      to_location_id: null,
      reason: null,
    });
    expect((await transfer({ item_id: bulb })).row).toMatchObject({ from_location_id: tower });
    expect((await client.delete(`/inventory/${bulb}`)).status).toBe(409);
    expect((await transfer({ item_id: bulb, from_location_id: tower })).status).toBe(201);
    expect(await transfer({ item_id: bulb, from_location_id: annex })).toMatchObject({
      status: 409,
      details: { from_location_id: expect.any(String) },
    });
    expect((await transfer({ item_id: bulb, from_location_id: randomUUID() })).status).toBe(422);
    expect((await transfer({ item_id: randomUUID() })).details).toEqual({ item_id: expect.any(String) });
    // An item without a place may come from anywhere.
    expect((await transfer({ item_id: await item(), from_location_id: annex })).row).toMatchObject({
      from_location_id: annex,
    });
  });

  test('leaves from where its item is when that is changed', async () => {
    const [bulb, lamp] = [await item({ location_id: tower }), await item({ location_id: annex })];
    const { row } = await transfer({ item_id: bulb });
    const path = at('transfers', row);
    const whole = { prefer: 'return=representation' };
    expect((await client.patch(path, { item_id: lamp }, whole)).row).toMatchObject({ from_location_id: annex });
    expect((await client.patch(path, { from_location_id: tower })).status).toBe(409);
    expect((await client.patch(path, { from_location_id: null }, whole)).row).toMatchObject({
      from_location_id: annex,
    });
    expect((await client.patch(path, { reason: 'Spare' }, whole)).row).toMatchObject({
      from_location_id: annex,
      reason: 'Spare',
    });
  });

  test('goes from pending to completed, or is cancelled', async () => {
    const bulb = await item({ quantity: 1000 });
    await expectMoves(
      'transfers',
      { item_id: bulb, quantity: 1, to_location_id: annex },
      {
        pending: [],
        'in-transit': ['in-transit'],
        completed: ['completed'],
        cancelled: ['cancelled'],
      },
      { pending: ['in-transit', 'completed', 'cancelled'], 'in-transit': ['completed', 'cancelled'] },
    );
  });

  test('moves its item when it takes all of it, and is a record when it takes less', async () => {
    const bulb = await item({ quantity: 5, location_id: tower });
    expect((await transfer({ item_id: bulb, quantity: 4, to_location_id: annex, status: 'completed' })).status).toBe(
      201,
    );
    expect(await place(bulb)).toEqual([tower, 5]);
    const { row } = await transfer({ item_id: bulb, quantity: 5, to_location_id: annex, status: 'in-transit' });
    expect(await place(bulb)).toEqual([tower, 5]);
    expect((await client.patch(at('transfers', row), { status: 'completed' })).status).toBe(200);
    expect(await place(bulb)).toEqual([annex, 5]);
    expect((await client.get(`/inventory/${bulb}/adjustments`)).rows).toEqual([]);
    expect((await client.patch(at('transfers', row), { quantity: 1, to_location_id: depot })).details).toEqual({
      quantity: expect.any(String),
      to_location_id: expect.any(String),
    });
    expect(
      (await client.patch(at('transfers', row), { reason: 'Moved', status: 'completed', quantity: 5 })).status,
    ).toBe(200);
  });

  test('cannot be completed without item, quantity and place, nor with more than there is', async () => {
    const bulb = await item({ quantity: 5, location_id: tower });
    expect(Object.keys((await transfer({ status: 'completed' })).details).sort()).toEqual([
      'item_id',
      'quantity',
      'to_location_id',
    ]);
    const { row } = await transfer({ item_id: bulb, quantity: 0, to_location_id: annex });
    const path = at('transfers', row);
    expect((await client.patch(path, { status: 'completed' })).details).toEqual({ quantity: expect.any(String) });
    expect(await client.patch(path, { status: 'completed', quantity: 6 })).toMatchObject({
      status: 409,
      details: { quantity: expect.stringContaining('5') },
    });
    expect((await client.get(path)).row).toMatchObject({ status: 'pending', quantity: 0 });
    expect((await client.patch(path, { status: 'completed', quantity: 5 })).status).toBe(200);
    expect(await place(bulb)).toEqual([annex, 5]);
  });

  test('of an item that has gone meanwhile cannot be completed', async () => {
    const bulb = await item({ quantity: 5, location_id: tower });
    const { row } = await transfer({ item_id: bulb, quantity: 5, to_location_id: annex });
    await client.patch(`/inventory/${bulb}`, { location_id: depot });
    expect((await client.patch(at('transfers', row), { status: 'completed' })).details).toEqual({
      from_location_id: expect.any(String),
    });
    expect((await client.patch(at('transfers', row), { reason: 'Gone' })).status).toBe(200);
    expect(await place(bulb)).toEqual([depot, 5]);
  });

  test('of 30 that take the whole stock from one place at once, one does', async () => {
    const bulb = await item({ quantity: 5, location_id: tower });
    const replies = await times(30, () =>
      transfer({ item_id: bulb, quantity: 5, from_location_id: tower, to_location_id: annex, status: 'completed' }),
    );
    expect(tally(replies)).toEqual({ 201: 1, 409: 29 });
    expect(await place(bulb)).toEqual([annex, 5]);
  });

  test('beside removals at once never takes more than there is', async () => {
    const bulb = await item({ quantity: 20, location_id: tower });
    const replies = await times(40, (n) =>
      n % 2
        ? client.post(`/inventory/${bulb}/adjustments`, { type: 'removal', quantity: 1 })
        : transfer({ item_id: bulb, quantity: 10, to_location_id: annex, status: 'completed' }),
    );
    expect(tally(replies.filter((_, n) => n % 2))).toEqual({ 201: 20 });
    const refused = replies.filter((reply, n) => n % 2 === 0 && reply.status !== 201);
    for (const { status, details } of refused)
      expect([status, details]).toEqual([409, { quantity: expect.stringMatching(/than the \d in stock/) }]);
    // It moved if a transfer found exactly ten; both places are right.
    const [at, left] = await place(bulb);
    expect([tower, annex]).toContain(at);
    expect(left).toBe(0);
  });
});
