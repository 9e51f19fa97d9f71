// Deletions of many rows, of which some are referred to.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await (await service.tenant()).client();
});
afterAll(() => service.close());

const createVendor = async (company_name: string) =>
  String((await client.post('/vendors', { company_name })).row['id']);
/** A vendor that an order refers to. */
async function createOrderedFrom(name: string): Promise<string> {
  const vendor_id = await createVendor(name);
  const line_items = [{ description: 'Paper', quantity: 1, unit_price: 2 }];
  expect((await client.post('/procurement/orders', { vendor_id, line_items })).status).toBe(201);
  return vendor_id;
}
const batch = (operations: readonly Row[], query: Row = {}, headers: Record<string, string> = {}) =>
  client.request('POST', '/vendors/batch', { body: { operations }, query, headers });
const remove = (id: string) => ({ delete: true, id });
const exists = async (id: string) => (await client.get(`/vendors/${id}`)).status === 200;
const referred = 'Other records still refer to this vendor.';

test.each([{}, { dry_run: 'true' }])('a strict batch names the rows that others refer to, with %j', async (query) => {
  const [free, other] = [await createVendor('Free'), await createVendor('Other')];
  const [one, two] = [await createOrderedFrom('One'), await createOrderedFrom('Two')];
  const reply = await batch([free, one, other, two].map(remove), query);
  expect(reply.error).toMatchObject({
    code: 'CONFLICT',
    message: 'Other records still refer to some of these vendors.',
    details: { 'operations.1': referred, 'operations.3': referred },
  });
  for (const id of [free, one, other, two]) expect(await exists(id)).toBe(true);
});

test('they are named beside other writes, and with an Idempotency-Key', async () => {
  const [changed, ordered] = [await createVendor('Changed'), await createOrderedFrom('Ordered')];
  const operations = [
    { create: { company_name: 'Not kept' } },
    { update: { company_name: 'Not kept' }, id: changed },
    remove(ordered),
  ];
  for (const headers of [undefined, { 'idempotency-key': 'deletions' }]) {
    const reply = await batch(operations, {}, headers);
    expect([reply.status, reply.details]).toEqual([409, { 'operations.2': referred }]);
  }
  expect((await client.get('/vendors', { company_name: 'Not kept' })).meta.total).toBe(0);
});

test('a row whose only reference is deleted before it is not named', async () => {
  const vendor_id = await createVendor('Emptied');
  const line_items = [{ description: 'Paper', quantity: 1, unit_price: 2 }];
  const { row } = await client.post('/procurement/orders', { vendor_id, line_items });
  const ordered = await createOrderedFrom('Kept');
  const before = await batch([remove(vendor_id), remove(ordered)]);
  expect(Object.keys(before.details)).toEqual(['operations.0', 'operations.1']);
  await client.delete(`/procurement/orders/${String(row['id'])}`);
  const after = await batch([remove(vendor_id), remove(ordered)]);
  expect(Object.keys(after.details)).toEqual(['operations.1']);
});

test('a deletion by filter names them by their ids, and GraphQL does the same', async () => {
  const [free, ordered] = [await createVendor('Filtered'), await createOrderedFrom('Filtered')];
  const query = { company_name: 'Filtered', expected_count: 2 };
  const reply = await client.request('DELETE', '/vendors', { query });
  expect([reply.status, reply.details]).toEqual([409, { [ordered]: referred }]);
  const { errors } = await client.graphql(
    'mutation { deleteManyVendors(filter: { companyName: { eq: "Filtered" } }, expectedCount: 2) { ids } }',
  );
  expect(errors[0]?.extensions).toMatchObject({ code: 'CONFLICT', details: { [ordered]: referred } });
  const listed = await client.graphql('mutation ($input: WriteVendorsInput!) { writeVendors(input: $input) { id } }', {
    input: { operations: [free, ordered].map(remove) },
  });
  expect(listed.errors[0]?.extensions).toMatchObject({ code: 'CONFLICT', details: { 'operations.1': referred } });
  expect([await exists(free), await exists(ordered)]).toEqual([true, true]);
});

test('of very many 50 are named', async () => {
  const names = Array.from({ length: 70 }, (_, n) => ({ create: { company_name: `Many ${n}` } }));
  const ids = (await batch(names)).rows.map(({ id }) => String(id));
  const line_items = [{ description: 'Paper', quantity: 1, unit_price: 2 }];
  const orders = ids.slice(5).map((vendor_id) => ({ create: { vendor_id, line_items } }));
  const made = await client.request('POST', '/procurement/orders/batch', { body: { operations: orders } });
  expect(made.status).toBe(200);
  const reply = await batch(ids.map(remove));
  const places = Object.keys(reply.details).map((place) => Number(place.replace('operations.', '')));
  expect(places).toEqual(Array.from({ length: 50 }, (_, n) => n + 5));
});
