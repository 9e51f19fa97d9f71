import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { type Service, startService } from '../../support/service.ts';
import { at, countStatuses, makers, times } from './making.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
// Each test has its own company, so that lists contain only its rows.
beforeEach(async () => {
  client = await (await service.tenant()).client();
});
afterAll(() => service.close());

const { building, expectTransitions, item, transfer } = makers(() => client);

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

  test("requires no field, and starts at its item's location", async () => {
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
    // A transfer of an item without a location may start anywhere.
    expect((await transfer({ item_id: await item(), from_location_id: annex })).row).toMatchObject({
      from_location_id: annex,
    });
  });

  test('starts at the location of its new item', async () => {
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

  test('goes from pending to completed, or is canceled', async () => {
    const bulb = await item({ quantity: 1000 });
    await expectTransitions(
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

  test('moves its item only with the whole stock', async () => {
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

  test('cannot be completed without item, quantity and destination, or with more than the stock', async () => {
    const bulb = await item({ quantity: 5, location_id: tower });
    expect(Object.keys((await transfer({ status: 'completed' })).details).sort()).toEqual([
      'item_id',
      'quantity',
      'to_location_id',
    ]);
    const { row } = await transfer({ item_id: bulb, to_location_id: annex });
    const path = at('transfers', row);
    expect((await client.patch(path, { status: 'completed' })).details).toEqual({ quantity: expect.any(String) });
    expect(await client.patch(path, { status: 'completed', quantity: 6 })).toMatchObject({
      status: 409,
      details: { quantity: expect.stringContaining('5') },
    });
    expect((await client.get(path)).row).toMatchObject({ status: 'pending', quantity: null });
    expect((await client.patch(path, { status: 'completed', quantity: 5 })).status).toBe(200);
    expect(await place(bulb)).toEqual([annex, 5]);
  });

  test('of an item that was moved meanwhile cannot be completed', async () => {
    const bulb = await item({ quantity: 5, location_id: tower });
    const { row } = await transfer({ item_id: bulb, quantity: 5, to_location_id: annex });
    await client.patch(`/inventory/${bulb}`, { location_id: depot });
    expect((await client.patch(at('transfers', row), { status: 'completed' })).details).toEqual({
      from_location_id: expect.any(String),
    });
    expect((await client.patch(at('transfers', row), { reason: 'Gone' })).status).toBe(200);
    expect(await place(bulb)).toEqual([depot, 5]);
  });

  test('succeeds once of 30 concurrent ones of the whole stock', async () => {
    const bulb = await item({ quantity: 5, location_id: tower });
    const replies = await times(30, () =>
      transfer({ item_id: bulb, quantity: 5, from_location_id: tower, to_location_id: annex, status: 'completed' }),
    );
    expect(countStatuses(replies)).toEqual({ 201: 1, 409: 29 });
    expect(await place(bulb)).toEqual([annex, 5]);
  });

  test('never takes more than the stock, also with concurrent removals', async () => {
    const bulb = await item({ quantity: 20, location_id: tower });
    const replies = await times(40, (n) =>
      n % 2
        ? client.post(`/inventory/${bulb}/adjustments`, { type: 'removal', quantity: 1 })
        : transfer({ item_id: bulb, quantity: 10, to_location_id: annex, status: 'completed' }),
    );
    expect(countStatuses(replies.filter((_, n) => n % 2))).toEqual({ 201: 20 });
    const refused = replies.filter((reply, n) => n % 2 === 0 && reply.status !== 201);
    for (const { status, details } of refused)
      expect([status, details]).toEqual([409, { quantity: expect.stringMatching(/than the \d in stock/) }]);
    // It moved if a transfer took exactly ten; both locations are valid.
    const [at, left] = await place(bulb);
    expect([tower, annex]).toContain(at);
    expect(left).toBe(0);
  });
});
