import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Reply, Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
/** The caller's id. */
let ada: string;
beforeAll(async () => {
  service = await startService();
  const tenant = await service.tenant();
  client = await tenant.client();
  ada = tenant.users[0]?.id ?? '';
});
afterAll(() => service.close());

const make = async (body: Row = {}) =>
  `/inventory/${String((await client.post('/inventory', { name: 'Bulb', ...body })).row['id'])}`;
const adjust = (item: string, type: string, quantity: number, more: Row = {}) =>
  client.post(`${item}/adjustments`, { type, quantity, ...more });
const stock = async (item: string) => (await client.get(item)).row['quantity'];
/** An item's ledger, oldest entry first. */
const ledger = async (item: string) => (await client.get(`${item}/adjustments`, { limit: 100, order: 'asc' })).rows;
const statuses = (replies: readonly Reply[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

describe('the stock', () => {
  test('is added to, removed from and set, with the stock before and after in each entry', async () => {
    const item = await make({ quantity: 10 });
    const entry = await adjust(item, 'addition', 5, { reason: 'Delivery', reference: 'DN-7' });
    expect(entry).toMatchObject({
      status: 201,
      row: {
        type: 'addition',
        quantity: 5,
        reason: 'Delivery',
        reference: 'DN-7',
        quantity_before: 10,
        quantity_after: 15,
        user_id: ada,
        receiving_record_id: null,
      },
    });
    expect((await adjust(item, 'removal', 12)).row).toMatchObject({ quantity_before: 15, quantity_after: 3 });
    expect((await adjust(item, 'correction', 7)).row).toMatchObject({ quantity_before: 3, quantity_after: 7 });
    expect((await adjust(item, 'removal', 7)).row).toMatchObject({ quantity_before: 7, quantity_after: 0 });
    expect(await stock(item)).toBe(0);
  });

  test('stays between zero and the maximum', async () => {
    const item = await make({ quantity: 3 });
    expect(await adjust(item, 'removal', 4)).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', details: { quantity: 'is more than the 3 in stock' } },
    });
    expect((await adjust(item, 'addition', 2_147_483_645)).status).toBe(409);
    expect((await adjust(item, 'removal', -1)).details).toEqual({ quantity: expect.any(String) });
    expect(await stock(item)).toBe(3);
    expect(await ledger(item)).toEqual([]);
  });

  test('set by a PATCH is a correction in the ledger, unless unchanged', async () => {
    const item = await make({ quantity: 3 });
    expect(await client.patch(item, { quantity: 8, name: 'LED bulb' })).toMatchObject({
      status: 200,
      row: { quantity: 8, name: 'LED bulb' },
    });
    expect((await client.patch(item, { quantity: 8 })).status).toBe(200);
    expect((await client.patch(item, { name: 'Bulb' })).status).toBe(200);
    expect((await client.patch(item, { quantity: -1 })).status).toBe(422);
    expect(await ledger(item)).toMatchObject([
      { type: 'correction', quantity: 8, quantity_before: 3, quantity_after: 8, user_id: ada },
    ]);
  });

  test('of an unknown item cannot be adjusted', async () => {
    expect((await adjust(`/inventory/${randomUUID()}`, 'addition', 1)).status).toBe(404);
  });

  test('is low only below the reorder point', async () => {
    const category = randomUUID();
    for (const [sku, quantity, reorder_point] of [
      ['low', 4, 5],
      ['at', 5, 5],
      ['over', 6, 5],
      ['none', 0, null],
      ['zero', 0, 0],
    ] as const) {
      await make({ sku: `${sku} ${category}`, quantity, reorder_point, category });
    }
    const skus = async (low_stock: unknown) =>
      (await client.get('/inventory', { category, low_stock })).rows.map(({ sku }) => String(sku).split(' ')[0]).sort();
    expect(await skus(true)).toEqual(['low']);
    expect(await skus(false)).toEqual(['at', 'none', 'over', 'zero']);
    for (const either of ['true,false', [false, true]])
      expect(await skus(either)).toEqual(['at', 'low', 'none', 'over', 'zero']);
  });
});

describe('the ledger, concurrently', () => {
  /** Every entry starts at the stock after the previous one, and the last ends at the current stock. */
  async function expectChain(item: string, first: number) {
    const entries = await ledger(item);
    let before = first;
    for (const entry of entries) {
      const { type, quantity, quantity_before, quantity_after } = entry as {
        type: string;
        quantity: number;
        quantity_before: number;
        quantity_after: number;
      };
      expect(quantity_before).toBe(before);
      expect(quantity_after).toBe(
        { addition: before + quantity, removal: before - quantity, correction: quantity }[type],
      );
      before = quantity_after;
    }
    expect(await stock(item)).toBe(before);
    return entries;
  }

  test('allows 25 of 40 removals from a stock of 25', async () => {
    const item = await make({ quantity: 25 });
    const replies = await Promise.all(Array.from({ length: 40 }, () => adjust(item, 'removal', 1)));
    expect(statuses(replies)).toEqual({ 201: 25, 409: 15 });
    expect(await stock(item)).toBe(0);
    expect(await expectChain(item, 25)).toHaveLength(25);
  });

  test('chains adjustments and corrections without gaps', async () => {
    const item = await make({ quantity: 100 });
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, n) => {
        if (n % 4 === 0) return client.patch(item, { quantity: 200 + n });
        return adjust(item, ['addition', 'removal', 'correction'][(n % 4) - 1] ?? '', n % 4 === 3 ? 300 + n : n, {
          reason: 'adjusted',
        });
      }),
    );
    expect(statuses(replies)).toEqual({ 200: 10, 201: 30 });
    const entries = await expectChain(item, 100);
    expect(entries.filter(({ reason }) => reason === 'adjusted')).toHaveLength(30);
    // Setting the current stock corrects nothing.
    expect(entries.length).toBeGreaterThan(30);
    expect(entries.length).toBeLessThanOrEqual(40);
  });
});

describe('a batch', () => {
  const batch = (items: readonly unknown[]) => client.post('/inventory/batch', { items });
  const count = async (search: string) => (await client.get('/inventory', { search })).meta.total;

  test('creates its items in order', async () => {
    const tag = randomUUID();
    const items = ['c', 'a', null, 'b'].map((sku, n) => ({
      name: `${tag} ${n}`,
      sku: sku && `${sku} ${tag}`,
      quantity: n,
    }));
    const reply = await batch(items);
    expect(reply.status).toBe(201);
    expect(reply.rows).toMatchObject(items);
    expect((await batch([{ name: tag, sku: null, quantity: null, status: null }])).rows).toMatchObject([
      { sku: null, quantity: 0, status: 'active' },
    ]);
  });

  test('names every error by its position', async () => {
    const tag = randomUUID();
    const reply = await batch([
      { name: tag },
      { sku: 'x' },
      { name: '', quantity: 1.5 },
      { name: tag, sku: 7 },
      { name: tag, colour: 'red' },
      7,
    ]);
    expect(reply.status).toBe(422);
    expect(Object.keys(reply.details).sort()).toEqual([
      'items.1.name',
      'items.2.name',
      'items.2.quantity',
      'items.3.sku',
      'items.4.colour',
      'items.5',
    ]);
    expect((await batch([{ name: tag }, { name: tag, location_id: randomUUID() }])).details).toEqual({
      'items.1.location_id': expect.any(String),
    });
    expect((await batch([{ name: tag, location_id: randomUUID() }, { name: '' }])).details).toEqual({
      'items.0.location_id': expect.any(String),
      'items.1.name': expect.any(String),
    });
    expect((await batch([])).details).toEqual({ items: expect.any(String) });
    expect((await batch(Array.from({ length: 501 }, () => ({ name: tag })))).details).toEqual({
      items: expect.any(String),
    });
    expect(await count(tag)).toBe(0);
  });

  test('accepts 500 items', async () => {
    const tag = randomUUID();
    const reply = await batch(Array.from({ length: 500 }, (_, n) => ({ name: tag, sku: `${tag} ${n}`, quantity: n })));
    expect(reply.rows.map(({ quantity }) => quantity)).toEqual(Array.from({ length: 500 }, (_, n) => n));
    expect(await count(tag)).toBe(500);
  });

  test('whose SKUs are all taken names the first 50', async () => {
    const tag = randomUUID();
    const items = Array.from({ length: 60 }, (_, n) => ({ name: tag, sku: `${tag} ${n}` }));
    expect((await batch(items)).status).toBe(201);
    const { status, details } = await batch(items);
    expect([status, Object.keys(details)]).toEqual([409, Array.from({ length: 50 }, (_, n) => `items.${n}.sku`)]);
  });

  test('with a duplicate SKU creates nothing', async () => {
    const tag = randomUUID();
    await make({ sku: `taken ${tag}` });
    const items = ['a', 'b', 'c', 'taken', 'a'].map((sku) => ({ name: tag, sku: `${sku} ${tag}` }));
    const reply = await batch(items);
    expect(reply).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
    expect(reply.details).toEqual({ 'items.3.sku': 'is taken', 'items.4.sku': 'is the same as in items.0' });
    expect(await count(tag)).toBe(1);
  });

  test('is created completely or not at all, also concurrently with a shared SKU', async () => {
    const tag = randomUUID();
    // Ten batches of ten, each sharing a SKU with its neighbors, in different orders.
    const skus = (n: number) => Array.from({ length: 10 }, (_, place) => `${tag} ${n * 9 + place}`);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) => {
        const items = skus(n).map((sku) => ({ name: `${tag} of batch ${n}`, sku }));
        return batch(n % 2 ? items.reverse() : items);
      }),
    );
    for (const [n, { status }] of replies.entries()) {
      expect([201, 409]).toContain(status);
      expect(await count(`${tag} of batch ${n}`)).toBe(status === 201 ? 10 : 0);
      // A batch is rejected only because of a created neighbor.
      if (status === 409) expect([replies[n - 1]?.status, replies[n + 1]?.status]).toContain(201);
      else expect([replies[n - 1]?.status, replies[n + 1]?.status]).not.toContain(201);
    }
  });

  test('succeeds once of two concurrent ones with the same SKUs', async () => {
    const tag = randomUUID();
    const items = Array.from({ length: 50 }, (_, n) => ({ name: tag, sku: `${tag} ${n}` }));
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, n) => batch(n % 2 ? [...items].reverse() : items)),
    );
    expect(statuses(replies)).toEqual({ 201: 1, 409: 11 });
    expect(await count(tag)).toBe(50);
  });
});

test('a SKU is unique in its company', async () => {
  const sku = randomUUID();
  await make({ sku });
  expect(await client.post('/inventory', { name: 'Other', sku: ` ${sku} ` })).toMatchObject({
    status: 409,
    details: { sku: 'is taken' },
  });
  expect(await client.patch(await make(), { sku })).toMatchObject({ status: 409, details: { sku: 'is taken' } });
  const other = await (await service.tenant()).client();
  expect((await other.post('/inventory', { name: 'Bulb', sku })).status).toBe(201);
});

test('an item is deleted with its ledger', async () => {
  const item = await make({ quantity: 1 });
  await adjust(item, 'addition', 1);
  expect((await client.delete(item)).status).toBe(204);
  expect((await client.get(`${item}/adjustments`)).status).toBe(404);
});
