import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { writeRows } from '../../src/resource/index.ts';
import type { Client, Row } from '../support/client.ts';
import { contextOf, resourceOf } from '../support/kit.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

// How rows are written together, by the function that batches call: its statements, hooks and races.
let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

type Role = 'ADMIN' | 'MEMBER';

const context = (role: Role) => contextOf(service, tenant, role);

const create = async (
  type: string,
  inputs: readonly Row[],
  { parentId, role = 'ADMIN' }: { readonly parentId?: string; readonly role?: Role } = {},
) => {
  const writes = inputs.map((input) => ({ action: 'create', input }) as const);
  const rows = await writeRows(resourceOf(type), writes, { parentId, name: 'items', context: context(role) });
  return rows.map(({ id }) => id);
};

const createAsset = async (body: Row = {}) =>
  String((await client.post('/assets', { asset_name: 'Drill', ...body })).row['id']);

test('all rows of a batch are saved by one statement, below their parent', async () => {
  const parentId = await createAsset();
  service.statements.length = 0;
  const ids = await create('AssetWarranty', [{ provider: 'One' }, { provider: 'Two' }, { provider: 'Three' }], {
    parentId,
  });
  expect(service.statements.filter((sql) => sql.includes('INSERT')).length).toBe(1);
  const { rows } = await client.get(`/assets/${parentId}/warranties`, { sort: '+provider' });
  expect(rows.map(({ id, provider }) => [id, provider])).toEqual([
    [ids[0], 'One'],
    [ids[2], 'Three'],
    [ids[1], 'Two'],
  ]);
});

test('rules between columns, of roles and of extra input name the row by its position', async () => {
  const parentId = await createAsset();
  const [start, end] = [new Date('2026-02-01'), new Date('2026-01-01')];
  await expect(
    create('AssetWarranty', [{}, { startDate: start, endDate: end }, { provider: 'x'.repeat(501) }], { parentId }),
  ).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    fieldErrors: {
      'items.1.endDate': 'must be on or after the start date',
      'items.2.provider': expect.stringMatching(/^must be at most \d+ characters$/),
    },
  });
  const documentId = String((await client.post('/hr/documents', { title: 'Handbook' })).row['id']);
  await expect(
    create('HrAcknowledgment', [{ documentId }, { documentId, ipAddress: '::1' }], { role: 'MEMBER' }),
  ).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    fieldErrors: { 'items.1.ipAddress': 'cannot be set by the role member' },
  });
  await expect(create('ServiceRequest', [{ title: 'x', location: { building: 'Nowhere' } }])).rejects.toMatchObject({
    fieldErrors: { 'items.0.location.building': 'is not the code or name of a building in your company' },
  });
});

test('the checks of the transaction name the row by its position, and nothing is created', async () => {
  const [tower, annex] = await Promise.all(
    ['Tower', 'Annex'].map(async (name) => (await client.post('/locations/buildings', { name })).row['id']),
  );
  const parentId = await createAsset({ building_id: tower });
  // The hook gets the locked parent, which the first transfer has moved.
  await expect(
    create('AssetTransfer', [{ toLocation: annex }, { fromLocation: tower, toLocation: tower }], { parentId }),
  ).rejects.toMatchObject({
    code: 'CONFLICT',
    fieldErrors: { 'items.1.fromLocation': "is not the asset's location" },
  });
  await expect(create('AssetTransfer', [{ toLocation: annex }, {}], { parentId })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    fieldErrors: { 'items.1.toUser': 'is required, unless there is a new location' },
  });
  expect((await client.get(`/assets/${parentId}/transfers`)).meta.total).toBe(0);
  expect((await client.get(`/assets/${parentId}`)).row['building_id']).toBe(tower);
});

test('a status that the role may not set, and a parent that does not exist, reject the batch', async () => {
  await expect(
    create('Invoice', [{ invoiceNumber: randomUUID() }, { invoiceNumber: randomUUID(), status: 'PAID' }], {
      role: 'MEMBER',
    }),
  ).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
  for (const type of ['AssetWarranty', 'AssetTransfer'])
    await expect(create(type, [{ toUser: tenant.users[0]?.id }], { parentId: randomUUID() })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
});

const write = (
  type: string,
  writes: Parameters<typeof writeRows>[1],
  options: Partial<Parameters<typeof writeRows>[2]> = {},
) => writeRows(resourceOf(type), writes, { name: 'items', context: context('ADMIN'), ...options });

/** The statements that write rows of a table, of those since the list was cleared. */
const writesOf = (table: string) =>
  service.statements.filter((sql) => new RegExp(`(INSERT INTO|UPDATE|DELETE FROM) "${table}"`).test(sql));

test('rows are created with the rows beside them, a hundred by a statement', async () => {
  service.statements.length = 0;
  const titles = Array.from({ length: 150 }, (_, n) => `Request ${n}`);
  const ids = await create(
    'ServiceRequest',
    titles.map((title) => ({ title })),
  );
  expect(writesOf('service_requests').length).toBe(2);
  expect(writesOf('service_requests').every((sql) => sql.includes('INSERT INTO "activity_entries"'))).toBe(true);
  for (const n of [0, 149]) {
    expect((await client.get(`/service-requests/${ids[n]}`)).row['title']).toBe(titles[n]);
    const { rows } = await client.get(`/service-requests/${ids[n]}/activity`);
    expect(rows.map(({ action }) => action)).toEqual(['created']);
  }
});

test('rows are updated by one statement, each to its own values, and those that stay the same are not', async () => {
  const items = await create('InventoryItem', [{ name: 'One' }, { name: 'Two' }, { name: 'Three' }]);
  const [one, two, three] = items.map(String) as [string, string, string];
  service.statements.length = 0;
  const rows = await write('InventoryItem', [
    { action: 'update', id: three, input: { name: 'Third' } },
    { action: 'update', id: two, input: { name: 'Two' } },
    { action: 'update', id: one, input: { name: 'First' } },
  ]);
  expect(rows.map(({ id, name }) => [id, name])).toEqual([
    [three, 'Third'],
    [two, 'Two'],
    [one, 'First'],
  ]);
  expect(writesOf('inventory_items').length).toBe(1);
  expect((await client.get(`/inventory/${one}/history`)).rows.length).toBe(2);
  expect((await client.get(`/inventory/${two}/history`)).rows.length).toBe(1);
  await expect(
    write('InventoryItem', [
      { action: 'update', id: one, input: { name: 'Lost' } },
      { action: 'update', id: two, input: { quantity: -1 } },
    ]),
  ).rejects.toMatchObject({ fieldErrors: { 'items.1.quantity': expect.any(String) } });
  await expect(
    write('InventoryItem', [
      { action: 'update', id: one, input: { name: 'Lost' } },
      { action: 'update', id: randomUUID(), input: { name: 'Nobody' } },
    ]),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await client.get(`/inventory/${one}`)).row['name']).toBe('First');
});

test('a stock set by hand is in the ledger, also of several items, and a row can be written twice', async () => {
  const [id] = (await create('InventoryItem', [{ name: 'Counted', quantity: 1 }])).map(String) as [string];
  const [other] = (await create('InventoryItem', [{ name: 'Other', quantity: 1 }])).map(String) as [string];
  await write('InventoryItem', [
    { action: 'update', id, input: { quantity: 5 } },
    { action: 'update', id: other, input: { quantity: 7 } },
    { action: 'update', id, input: { quantity: 3 } },
  ]);
  const { rows } = await client.get(`/inventory/${id}/adjustments`, { sort: '+created_at' });
  expect(rows.map((row) => [row['type'], row['quantity_before'], row['quantity_after']])).toEqual([
    ['correction', 1, 5],
    ['correction', 5, 3],
  ]);
  expect((await client.get(`/inventory/${other}/adjustments`)).meta.total).toBe(1);
});

test('rows are deleted by one statement, or none where another row refers to one of them', async () => {
  const [one, two] = (await create('Building', [{ name: 'North' }, { name: 'South' }])).map(String) as [string, string];
  const asset = await createAsset({ building_id: two });
  const deletions = [one, two].map((id) => ({ action: 'delete', id }) as const);
  await expect(write('Building', deletions)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect((await client.get(`/locations/buildings/${one}`)).status).toBe(200);
  await client.patch(`/assets/${asset}`, { building_id: null });
  service.statements.length = 0;
  const rows = await write('Building', deletions, { selection: { select: { name: true } } });
  expect(rows.map(({ name }) => name)).toEqual(['North', 'South']);
  expect(writesOf('buildings').length).toBe(1);
  for (const id of [one, two]) expect((await client.get(`/locations/buildings/${id}`)).status).toBe(404);
});

test('an upsert updates the row with its key or creates it, also when two arrive at once', async () => {
  const sku = randomUUID();
  const upsert = (name: string) => write('InventoryItem', [{ action: 'upsert', by: { sku }, input: { name } }]);
  const [[created], [updated]] = [await upsert('First'), await upsert('Second')];
  expect([updated?.['id'], updated?.['name'], updated?.['sku']]).toEqual([created?.['id'], 'Second', sku]);
  const other = randomUUID();
  const both = await Promise.all(
    ['Left', 'Right'].map((name) =>
      write('InventoryItem', [{ action: 'upsert', by: { sku: other }, input: { name } }]),
    ),
  );
  expect(new Set(both.map(([row]) => row?.['id'])).size).toBe(1);
  expect((await client.get('/inventory', { sku: other })).meta.total).toBe(1);
});

test('a dry run answers as the write would, and nothing of it stays', async () => {
  const position = async () => (await client.get('/changes', { limit: '1' })).meta;
  const first = (await client.post('/procurement/orders', {})).row['number'];
  const before = await position();
  const [tried] = await write('PurchaseOrder', [{ action: 'create', input: { notes: 'Tried' } }], { dryRun: true });
  expect(tried?.['notes']).toBe('Tried');
  expect((await client.get(`/procurement/orders/${String(tried?.['id'])}`)).status).toBe(404);
  expect(await position()).toEqual({ ...before, request_id: expect.any(String) });
  const next = (await client.post('/procurement/orders', {})).row['number'];
  expect([tried?.['number'], Number(String(next).slice(3))]).toEqual([next, Number(String(first).slice(3)) + 1]);
  await expect(
    write('PurchaseOrder', [{ action: 'create', input: { number: 'x'.repeat(1000) } }], { dryRun: true }),
  ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

test('what a hook of a row reads includes the rows before it', async () => {
  const numbers = ((await client.post('/procurement/orders', {})).row['number'] as string).slice(3);
  const next = `PO-${String(Number(numbers) + 1).padStart(6, '0')}`;
  const [, second] = await write('PurchaseOrder', [
    { action: 'create', input: { number: next } },
    { action: 'create', input: {} },
  ]);
  expect(second?.['number']).toBe(`PO-${String(Number(numbers) + 2).padStart(6, '0')}`);
});
