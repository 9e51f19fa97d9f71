import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { api } from '../../src/schema/index.ts';
import type { Client } from '../support/client.ts';
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

const pair = () => ({ external_source: 'erp', external_id: randomUUID() });
const item = () => ({ name: 'Lamp', sku: randomUUID() });

test('rows that clients create and list have external ids, others have none', () => {
  const withIds = api.resources.filter(({ columns }) => columns.includes('externalId'));
  const listed = api.resources.filter(({ actions }) => actions.includes('create') && actions.includes('list'));
  expect(withIds.map(({ type }) => type)).toEqual(listed.map(({ type }) => type));
  expect(withIds.filter(({ columns }) => !columns.includes('externalSource'))).toEqual([]);
});

test('a row is found by its external id, in both APIs and as CSV', async () => {
  const external = pair();
  const { row } = await client.post('/inventory', { ...item(), ...external });
  expect(row).toMatchObject(external);
  await client.post('/inventory', item());
  const found = await client.get('/inventory', external);
  expect(found.rows).toEqual([row]);
  const { inventoryItems } = (
    await client.graphql(
      `query ($source: String!, $id: String!) {
        inventoryItems(filter: { externalSource: { eq: $source }, externalId: { eq: $id } }) {
          nodes { id externalSource externalId }
        }
      }`,
      { source: external.external_source, id: external.external_id },
    )
  ).data as Record<string, { nodes: unknown[] }>;
  expect(inventoryItems?.nodes).toEqual([
    { id: row['id'], externalSource: external.external_source, externalId: external.external_id },
  ]);
  const csv = await client.get(
    '/inventory',
    { ...external, fields: 'id,external_source,external_id' },
    { accept: 'text/csv' },
  );
  expect(csv.text.trim().split('\r\n')).toEqual([
    'id,external_source,external_id',
    `${row['id']},${external.external_source},${external.external_id}`,
  ]);
});

test('an external id is unique in its company and system, and a conflict names both fields', async () => {
  const external = pair();
  const details = { external_source: 'is taken', external_id: 'is taken' };
  expect((await client.post('/vendors', { company_name: 'One', ...external })).status).toBe(201);
  expect(await client.post('/vendors', { company_name: 'Two', ...external })).toMatchObject({ status: 409, details });
  const other = await client.post('/vendors', { company_name: 'Two', ...external, external_source: 'crm' });
  expect(other.status).toBe(201);
  expect(await client.patch(`/vendors/${other.row['id']}`, external)).toMatchObject({ status: 409, details });
  // Other resources, and other companies, have ids of their own.
  expect((await client.post('/paints', { name: 'White', ...external })).status).toBe(201);
  const stranger = await (await service.tenant()).client();
  expect((await stranger.post('/vendors', { company_name: 'One', ...external })).status).toBe(201);
  expect((await stranger.get('/vendors', external)).meta.total).toBe(1);
});

test('a system and an id are set together', async () => {
  const { external_source, external_id } = pair();
  const source = { external_source: 'is required with the external id' };
  const id = { external_id: 'is required with the external source' };
  const post = (body: object) => client.post('/paints', { name: 'White', ...body });
  expect(await post({ external_id })).toMatchObject({ status: 422, details: source });
  expect(await post({ external_source })).toMatchObject({ status: 422, details: id });
  const path = `/paints/${(await post({ external_source, external_id })).row['id']}`;
  expect(await client.patch(path, { external_id: null })).toMatchObject({ status: 422, details: id });
  expect(await client.patch(path, { external_source: null })).toMatchObject({ status: 422, details: source });
  const next = randomUUID();
  expect(await client.patch(path, { external_id: next })).toMatchObject({ status: 200, row: { external_id: next } });
  const none = { external_source: null, external_id: null };
  expect(await client.patch(path, none)).toMatchObject({ status: 200, row: none });
});

test('a system has a name of up to 100 characters, an id up to 200', async () => {
  const body = { name: 'White', external_source: 's'.repeat(101), external_id: 'i'.repeat(201) };
  expect(await client.post('/paints', body)).toMatchObject({
    status: 422,
    details: { external_source: 'must be at most 100 characters', external_id: 'must be at most 200 characters' },
  });
});

test('a replacement that leaves them out resets them', async () => {
  const { row } = await client.post('/service-requests', { title: 'Lamp', ...pair() });
  const path = `/service-requests/${row['id']}`;
  const none = { external_source: null, external_id: null };
  expect(await client.put(path, { title: 'Lamp' })).toMatchObject({ status: 200, row: none });
});

test('rows below others have them too, once in the company', async () => {
  const external = pair();
  const lease = async () => `/leases/${(await client.post('/leases', { name: 'Office' })).row['id']}/documents`;
  const [one, two] = [await lease(), await lease()];
  expect(await client.post(one, { version: '1', ...external })).toMatchObject({ status: 201, row: external });
  expect((await client.post(two, { version: '1', ...external })).status).toBe(409);
});

test('what follows from a row is not called as it is', async () => {
  const reminder = { title: 'Filters', due_date: '2026-03-02T08:00:00.000Z', recurrence: 'daily', ...pair() };
  const { row } = await client.post('/reminders', reminder);
  expect((await client.patch(`/reminders/${row['id']}`, { status: 'completed' })).status).toBe(200);
  const { rows } = await client.get('/reminders', { status: 'pending' });
  expect(rows).toMatchObject([{ title: 'Filters', external_source: null, external_id: null }]);
});

test('a row without an external id is in no index of them, and its creation costs no statement', async () => {
  const create = async (body: object) => {
    service.statements.length = 0;
    expect((await client.post('/paints', { name: 'White', ...body })).status).toBe(201);
    return service.statements.length;
  };
  expect(await create(pair())).toBe(await create({}));
});
