import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { keysOf, readKey, writeRows } from '../../src/resource/index.ts';
import { api } from '../../src/schema/index.ts';
import type { Client, Row } from '../support/client.ts';
import { contextOf, resourceOf } from '../support/kit.ts';
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

/** Upserts a row by one of its resource's keys. */
async function upsert(type: string, key: string, input: Row, parentId?: string): Promise<Row | undefined> {
  const { data: by, errors } = readKey(resourceOf(type), key, input, parentId);
  expect(errors).toEqual({});
  const options = { parentId, context: contextOf(service, tenant) };
  const [row] = await writeRows(resourceOf(type), [{ action: 'upsert', by, input }], options);
  return row;
}

test('the keys of a resource are its id and the unique columns that clients give', () => {
  expect(keysOf(resourceOf('InventoryItem'))).toMatchObject({ id: ['id'], sku: ['sku'] });
  expect(keysOf(resourceOf('Building'))).toMatchObject({ id: ['id'], code: ['code'] });
  expect(keysOf(resourceOf('Asset'))).toMatchObject({ id: ['id'], serialNumber: ['serialNumber'] });
  expect(keysOf(resourceOf('PurchaseOrder'))).toMatchObject({ id: ['id'], number: ['number'] });
  expect(keysOf(resourceOf('Invoice'))).toMatchObject({ id: ['id'], invoiceNumber: ['vendorId', 'invoiceNumber'] });
  expect(keysOf(resourceOf('LeaseDocument'))).toMatchObject({ id: ['id'], version: ['leaseId', 'version'] });
});

test('every resource with external ids that clients create and update has a key of them', () => {
  const expected = api.resources.filter(
    ({ columns, actions }) =>
      columns.includes('externalId') && actions.includes('create') && actions.includes('update'),
  );
  expect(expected.length).toBeGreaterThan(35);
  for (const resource of expected) expect(keysOf(resource)['externalId']).toEqual(['externalSource', 'externalId']);
});

test('a row is upserted by what another system calls it', async () => {
  const external = { externalSource: 'erp', externalId: randomUUID() };
  const created = await upsert('Vendor', 'externalId', { companyName: 'First', ...external });
  const updated = await upsert('Vendor', 'externalId', { companyName: 'Second', ...external });
  expect(updated).toMatchObject({ id: created?.['id'], companyName: 'Second', ...external });
  const other = await upsert('Vendor', 'externalId', { companyName: 'Third', ...external, externalSource: 'crm' });
  expect(other?.['id']).not.toBe(created?.['id']);
});

test('of several new rows, each whose external id is not its own is named', async () => {
  const known = { externalSource: 'erp', externalId: randomUUID() };
  const fresh = { ...known, externalId: randomUUID() };
  await upsert('Vendor', 'externalId', { companyName: 'Known', ...known });
  const writes = [known, fresh, fresh, {}].map((external) => ({
    action: 'create' as const,
    input: { companyName: 'New', ...external },
  }));
  const taken = 'is taken';
  const same = 'is the same as in items.1';
  await expect(
    writeRows(resourceOf('Vendor'), writes, { name: 'items', context: contextOf(service, tenant) }),
  ).rejects.toMatchObject({
    code: 'CONFLICT',
    fieldErrors: {
      'items.0.externalSource': taken,
      'items.0.externalId': taken,
      'items.2.externalSource': same,
      'items.2.externalId': same,
    },
  });
});

test('what clients cannot create or update has no keys', () => {
  for (const type of ['User', 'Company', 'TimeClockSettings', 'StockAdjustment', 'ExpectedPackage'])
    expect([type, keysOf(resourceOf(type))]).toEqual([type, {}]);
});

test('values of a key are normalized as those of rows are', async () => {
  const sku = randomUUID();
  const created = await upsert('InventoryItem', 'sku', { sku, name: 'First' });
  const updated = await upsert('InventoryItem', 'sku', { sku: ` ${sku} `, name: 'Second' });
  expect([updated?.['id'], updated?.['name'], updated?.['sku']]).toEqual([created?.['id'], 'Second', sku]);
});

test('a new row gets the id that it is upserted by', async () => {
  const id = randomUUID();
  const created = await upsert('Building', 'id', { id, name: 'North' });
  const updated = await upsert('Building', 'id', { id, name: 'South' });
  expect([created?.['id'], updated?.['id'], updated?.['name']]).toEqual([id, id, 'South']);
});

test('a key of a sub-resource is unique below its parent', async () => {
  const lease = async (name: string) => String((await client.post('/leases', { name })).row['id']);
  const [one, two] = [await lease('One'), await lease('Two')];
  const version = (parentId: string, notes: string) =>
    upsert('LeaseDocument', 'version', { version: '1', notes }, parentId);
  const [first, other, changed] = [await version(one, 'a'), await version(two, 'b'), await version(one, 'c')];
  expect(changed).toMatchObject({ id: first?.['id'], notes: 'c', leaseId: one });
  expect(other).toMatchObject({ notes: 'b', leaseId: two });
  expect(other?.['id']).not.toBe(first?.['id']);
});

test('each column of a key is required', () => {
  const read = (input: Row) => readKey(resourceOf('Invoice'), 'invoiceNumber', input).errors;
  expect(read({})).toEqual({ vendorId: 'is required', invoiceNumber: 'is required' });
  expect(read({ vendorId: 'x', invoiceNumber: null })).toEqual({
    vendorId: expect.any(String),
    invoiceNumber: 'is required',
  });
});
