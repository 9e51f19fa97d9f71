// The batch of inventory items, which takes new ones or a list of writes.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openapi } from '../../src/rest/openapi/document.ts';
import { api } from '../../src/schema/index.ts';
import { memberClient } from '../resources/members.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

/** Not by the client, which sends nothing that the OpenAPI document refuses. */
async function send(body: Row, query = '', headers: Record<string, string> = {}) {
  const reply = await fetch(new URL(`/api/v1/inventory/batch${query}`, service.origin), {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${String(client.token)}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, json: (await reply.json()) as { data: Row[]; error: { details: Row } } };
}
const batch = (operations: readonly Row[], more: object = {}, by = client) =>
  by.request('POST', '/inventory/batch', { body: { operations }, ...more });
const quantities = async (by = client) =>
  Object.fromEntries((await by.get('/inventory', { limit: 100 })).rows.map(({ sku, quantity }) => [sku, quantity]));

test('items are created and answered as they are; a list of writes has what became of each', async () => {
  const created = await client.post('/inventory/batch', {
    items: [
      { name: 'Lamp', sku: 'L', quantity: 4 },
      { name: 'Desk', sku: 'D', quantity: 1 },
    ],
  });
  expect(created.status).toBe(201);
  expect(created.rows).toMatchObject([
    { name: 'Lamp', sku: 'L', quantity: 4 },
    { name: 'Desk', sku: 'D', quantity: 1 },
  ]);
  const [lamp, desk] = created.rows;
  const written = await batch([
    { create: { name: 'Chair', sku: 'C', quantity: 2 } },
    { update: { quantity: 5 }, id: lamp?.['id'] },
    { upsert: { name: 'Lamp', sku: 'L', quantity: 6 }, by: 'sku' },
    { delete: true, id: desk?.['id'] },
  ]);
  expect(written.status).toBe(200);
  expect(written.rows.map(({ action, error }) => [action, error])).toEqual([
    ['created', null],
    ['updated', null],
    ['updated', null],
    ['deleted', null],
  ]);
  expect(written.rows[1]).toMatchObject({ id: lamp?.['id'], row: { sku: 'L' } });
  expect(await quantities()).toMatchObject({ L: 6, C: 2 });
  expect(await quantities()).not.toHaveProperty('D');
});

test('a body has either one, and the options of a list of writes are not those of items', async () => {
  const items = [{ name: 'Both', sku: 'B', quantity: 1 }];
  const operations = items.map((create) => ({ create }));
  const both = await send({ items, operations });
  expect([both.status, both.json.error.details]).toEqual([422, { operations: 'is not a field here' }]);
  for (const body of [{}, { writes: operations }]) {
    const neither = await send(body);
    expect([neither.status, neither.json.error.details]).toMatchObject([422, { items: 'is required' }]);
  }
  expect((await send({ items }, '?dry_run=true')).status).toBe(400);
  const wrong = [{ name: 'Good', sku: 'G' }, { name: '' }];
  const strict = await send({ items: wrong }, '', { prefer: 'handling=lenient' });
  expect([strict.status, Object.keys(strict.json.error.details)]).toEqual([422, ['items.1.name']]);
  const more = await send({ operations, kind: 'x' });
  expect([more.status, Object.keys(more.json.error.details)]).toEqual([422, ['kind']]);
  expect(await quantities()).not.toHaveProperty('G');
  expect(await quantities()).not.toHaveProperty('B');
});

test('dry runs, lenient handling, rows below and idempotency keys hold for a list of writes', async () => {
  const before = await quantities();
  const tried = await batch([{ create: { name: 'Tried', sku: 'T' } }], { query: { dry_run: true } });
  expect(tried.rows).toMatchObject([{ action: 'created', row: { sku: 'T' } }]);
  expect(await quantities()).toEqual(before);
  const adjusted = (sku: string, quantity: number) => ({
    create: { name: sku, sku, quantity: 10, adjustments: [{ type: 'addition', quantity, reason: 'Counted' }] },
  });
  const operations = [adjusted('A1', 5), adjusted('A2', -1)];
  const strict = await send({ operations });
  expect([strict.status, Object.keys(strict.json.error.details)]).toEqual([
    422,
    ['operations.1.create.adjustments.0.quantity'],
  ]);
  const headers = { prefer: 'handling=lenient', 'idempotency-key': randomUUID() };
  const lenient = [await send({ operations }, '', headers), await send({ operations }, '', headers)];
  for (const { status, json } of lenient) {
    expect(status).toBe(200);
    expect(json.data.map(({ action }) => action)).toEqual(['created', 'refused']);
    expect(Object.keys((json.data[1]?.['error'] as { details: Row }).details)).toEqual([
      'create.adjustments.0.quantity',
    ]);
  }
  expect(lenient[0]?.json.data[0]?.['id']).toBe(lenient[1]?.json.data[0]?.['id']);
  expect(await quantities()).toEqual({ ...before, A1: 15 });
});

test('who may not read rows sees none, and who may not write is refused', async () => {
  const writer = await tenant.client(['inventory:write']);
  const { status, rows } = await batch([{ create: { name: 'Unseen', sku: 'U' } }], {}, writer);
  expect(status).toBe(200);
  expect(rows).toMatchObject([{ action: 'created', row: null, etag: null }]);
  const reader = await tenant.client(['inventory:read']);
  expect((await batch([{ create: { name: 'No', sku: 'N' } }], {}, reader)).status).toBe(403);
  // A member as in the routes of one item.
  const member = await memberClient(service, tenant, 2);
  const one = await member.post('/inventory', { name: 'One', sku: 'M1' });
  const many = await batch([{ create: { name: 'Many', sku: 'M2' } }], {}, member);
  expect(many.status === 200).toBe(one.status === 201);
});

test('the OpenAPI document has both bodies and both responses', () => {
  const { post } = openapi(api, 'http://localhost:4000', ['/api/v1']).paths['/inventory/batch'] ?? {};
  const { content } = post?.requestBody as { content: Record<string, { schema: object; examples: object }> };
  expect(content['application/json']).toMatchObject({
    schema: {
      oneOf: [
        { $ref: '#/components/schemas/CreateInventoryItemsInput' },
        { $ref: '#/components/schemas/WriteInventoryItemsInput' },
      ],
    },
    examples: {
      createInventoryItems: { value: { items: expect.any(Array) } },
      writeInventoryItems: { value: { operations: expect.any(Array) } },
    },
  });
  expect(Object.keys(post?.responses ?? {})).toEqual(expect.arrayContaining(['200', '201', '412']));
});
