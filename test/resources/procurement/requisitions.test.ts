import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../../support/client.ts';
import { type Service, startService, type Tenant } from '../../support/service.ts';
import { at, makers, times } from './making.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
/** Ids of the company's members. */
let ada: string;
let ben: string;
beforeAll(async () => {
  service = await startService();
});
// Each test has its own company, so that lists contain only its rows.
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
  [ada = '', ben = ''] = tenant.users.map(({ id }) => id);
});
afterAll(() => service.close());

const { expectTransitions, item, requisition, vendor } = makers(() => client);

describe('a requisition', () => {
  test('defaults to a draft of the caller', async () => {
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

  test('is approved or rejected only while pending', async () => {
    await expectTransitions(
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

  test('is either approved or rejected by concurrent requests', async () => {
    const row = at('requisitions', await requisition({ status: 'pending' }));
    const words = ['approved', 'rejected'];
    const replies = await times(30, (n) => client.patch(row, { status: words[n % 2] }));
    const winner = (await client.get(row)).row['status'];
    expect(words).toContain(winner);
    // Setting the current status again is not rejected.
    expect(replies.map(({ status }) => status)).toEqual(replies.map((_, n) => (words[n % 2] === winner ? 200 : 409)));
  });

  test('shows its vendor in short, also without the vendors scope', async () => {
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

// Stock is counted in whole ones, so that two and a half could never be received.
describe.each([
  ['requisitions', 'Requisition'],
  ['orders', 'PurchaseOrder'],
])('the quantity of %s', (path, type) => {
  const whole = expect.stringContaining('whole number');
  const lines = async (...quantities: (number | null)[]) => {
    const itemId = await item();
    return quantities.map((quantity) => ({ quantity, item_id: itemId }));
  };

  test('is whole for an inventory item', async () => {
    const base = { title: 'Lamps', line_items: await lines(1, 2.5, 3, 0.0001) };
    if (path === 'orders') Reflect.deleteProperty(base, 'title');
    const reply = await client.post(`/procurement/${path}`, base);
    expect([reply.status, reply.details]).toEqual([
      422,
      { 'line_items.1.quantity': whole, 'line_items.3.quantity': whole },
    ]);
    // Of goods that are not in stock, any quantity can be ordered.
    const free = [{ description: 'Cable, m', quantity: 2.5 }, ...(await lines(2, null))];
    const made = await client.post(`/procurement/${path}`, { ...base, line_items: free });
    expect(made.status).toBe(201);
    const changed = await client.patch(at(path, made.row), { line_items: await lines(2.5) });
    expect([changed.status, changed.details]).toEqual([422, { 'line_items.0.quantity': whole }]);
    expect((await client.patch(at(path, made.row), { line_items: await lines(2.0) })).status).toBe(200);
  });

  test('is whole for an inventory item in GraphQL', async () => {
    const input = { lineItems: [{ quantity: 2.5, itemId: await item() }] };
    const title = type === 'Requisition' ? { title: 'Lamps' } : {};
    const create = `mutation ($input: Create${type}Input!) { create${type}(input: $input) { id } }`;
    const refused = { code: 'VALIDATION_ERROR', details: { 'lineItems.0.quantity': whole } };
    const made = await client.graphql(create, { input: { ...title, ...input } });
    expect(made.errors).toMatchObject([{ extensions: refused }]);
    const { row } = await client.post(`/procurement/${path}`, title);
    const update = `mutation ($id: ID!, $input: Update${type}Input!) { update${type}(id: $id, input: $input) { id } }`;
    const changed = await client.graphql(update, { id: row['id'], input });
    expect(changed.errors).toMatchObject([{ extensions: refused }]);
  });

  test('stays as it is in rows from before this rule', async () => {
    const base = path === 'orders' ? {} : { title: 'Lamps' };
    const { row } = await client.post(`/procurement/${path}`, { ...base, line_items: await lines(2) });
    const table = path === 'orders' ? 'purchase_order_lines' : 'requisition_lines';
    await service.database.query({ text: `UPDATE ${table} SET quantity = 2.5`, values: [] });
    const status = path === 'orders' ? 'sent' : 'pending';
    expect((await client.patch(at(path, row), { status })).status).toBe(200);
  });
});

describe.each([
  ['requisitions', { title: 'Chairs' }],
  ['orders', {}],
])('the total of %s', (path, base) => {
  const post = (body: Row) => client.post(`/procurement/${path}`, { ...base, ...body });
  const lines = (...priced: [number, number][]) => priced.map(([quantity, unit_price]) => ({ quantity, unit_price }));

  test('is the exact sum of the lines', async () => {
    const bulb = await item();
    const line_items = [
      { description: 'Chair', quantity: 3, unit_price: 49.95, item_id: bulb },
      { description: null, quantity: 0.5, unit_price: 0.0003, item_id: null },
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
    expect((await post({ line_items: lines([5, 0]) })).row).toMatchObject({ total_amount: 0 });
  });

  test('cannot differ from the sum', async () => {
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

  test('is as given if lines have no price, or without lines', async () => {
    expect((await post({ total_amount: 12.5 })).row).toMatchObject({ total_amount: 12.5, line_items: [] });
    expect((await post({ total_amount: 12.5, line_items: [] })).row).toMatchObject({ total_amount: 12.5 });
    const some = [{ quantity: 2, unit_price: 3 }, { description: 'Freight' }, { quantity: 4 }, { unit_price: 5 }];
    expect((await post({ total_amount: 12.5, line_items: some })).row).toMatchObject({ total_amount: 12.5 });
    expect((await post({ line_items: some })).row).toMatchObject({ total_amount: 6 });
    expect((await post({ line_items: [{ description: 'Freight' }] })).row).toMatchObject({ total_amount: null });
  });

  test('follows changed lines, and must match unchanged ones', async () => {
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

  test('is the sum of the lines also with concurrent changes', async () => {
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

  test('keeps the order of lines, and reports errors by line', async () => {
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
