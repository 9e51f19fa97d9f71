import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { countStatuses, day } from './days.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
/** Ids of the company's members and buildings. */
let ben: string;
let cleo: string;
let tower: string;
let annex: string;
beforeAll(async () => {
  service = await startService();
});
// Each test has its own company, so that lists contain only its rows.
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
  [, ben = '', cleo = ''] = tenant.users.map(({ id }) => id);
  tower = await building('Tower');
  annex = await building('Annex');
});
afterAll(() => service.close());

const building = async (name: string) => String((await client.post('/locations/buildings', { name })).row['id']);
const make = async (body: Row = {}) => (await client.post('/assets', { asset_name: 'Drill', ...body })).row;
const itemOf = ({ id }: Row) => `/assets/${String(id)}`;

describe('an asset', () => {
  test('has a serial number that is unique in the company', async () => {
    expect((await client.post('/assets', { asset_name: 'Drill', serial_number: 'SN 1' })).status).toBe(201);
    expect(await client.post('/assets', { asset_name: 'Saw', serial_number: ' SN 1 ' })).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', details: { serial_number: expect.any(String) } },
    });
    const saw = await make({ asset_name: 'Saw' });
    expect((await client.patch(itemOf(saw), { serial_number: 'SN 1' })).status).toBe(409);
    expect((await client.post('/assets', { asset_name: 'Lathe', serial_number: '' })).status).toBe(201);
    const elsewhere = await (await service.tenant()).client();
    expect((await elsewhere.post('/assets', { asset_name: 'Drill', serial_number: 'SN 1' })).status).toBe(201);
  });

  test('is created once of thirty concurrent ones with a serial number', async () => {
    expect(
      await countStatuses(30, () => client.post('/assets', { asset_name: 'Drill', serial_number: 'SN 2' })),
    ).toEqual({
      201: 1,
      409: 29,
    });
    expect((await client.get('/assets')).meta.total).toBe(1);
  });

  test('can be filtered by its building under either name', async () => {
    const there = await make({ building_id: tower });
    await make({ building_id: annex });
    await make();
    for (const query of [
      { location: tower },
      { building_id: tower },
      { location: tower, building_id: tower },
      { location: `${tower},${randomUUID()}` },
    ]) {
      const found = await client.get('/assets', query);
      expect(found.rows.map(({ id }) => id)).toEqual([there['id']]);
      expect(found.meta.total).toBe(1);
    }
    expect((await client.get('/assets', { location: `${tower},${annex}` })).meta.total).toBe(2);
    expect((await client.get('/assets', { location: tower, building_id: annex })).meta.total).toBe(0);
    expect(await client.get('/assets', { location: 'tower' })).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('location') },
    });
    const { data } = await client.graphql<Record<string, { totalCount: number }>>(
      'query ($id: ID!) { assets(filter: { buildingId: { eq: $id } }) { totalCount } }',
      { id: tower },
    );
    expect(data['assets']).toEqual({ totalCount: 1 });
  });

  test('has a free category', async () => {
    const category_id = randomUUID();
    const made = await make({ category_id });
    expect(made['category_id']).toBe(category_id);
    expect((await client.get('/assets', { category_id })).meta.total).toBe(1);
  });

  test('prevents the deletion of its building, and is deleted with its sub-resources', async () => {
    const asset = await make({ building_id: tower });
    await client.post(`${itemOf(asset)}/maintenance`, { scheduled_date: day(1) });
    await client.post(`${itemOf(asset)}/transfers`, { to_user: ben });
    expect((await client.delete(`/locations/buildings/${tower}`)).status).toBe(409);
    expect((await client.delete(itemOf(asset))).status).toBe(204);
    expect((await client.delete(`/locations/buildings/${tower}`)).status).toBe(204);
  });

  test('is listed by its building and its holder', async () => {
    const asset = await make({ building_id: tower, assigned_to: ben });
    await client.post(`${itemOf(asset)}/transfers`, { to_location: annex, to_user: cleo });
    const { data } = await client.graphql<Record<string, Row>>(
      `query ($annex: ID!, $tower: ID!, $ben: ID!, $cleo: ID!) {
      annex: building(id: $annex) { assets { nodes { assetName assignee { id } } } incomingAssetTransfers { totalCount } }
      tower: building(id: $tower) { assets { totalCount } outgoingAssetTransfers { nodes { asset { assetName building { name } } toBuilding { name } fromBuilding { name } } } }
      ben: user(id: $ben) { assignedAssets { totalCount } outgoingAssetTransfers { nodes { previousHolder { id } nextHolder { id } } } }
      cleo: user(id: $cleo) { assignedAssets { nodes { transfers { totalCount } } } incomingAssetTransfers { totalCount } }
    }`,
      { annex, tower, ben, cleo },
    );
    expect(data).toEqual({
      annex: {
        assets: { nodes: [{ assetName: 'Drill', assignee: { id: cleo } }] },
        incomingAssetTransfers: { totalCount: 1 },
      },
      tower: {
        assets: { totalCount: 0 },
        outgoingAssetTransfers: {
          nodes: [
            {
              asset: { assetName: 'Drill', building: { name: 'Annex' } },
              toBuilding: { name: 'Annex' },
              fromBuilding: { name: 'Tower' },
            },
          ],
        },
      },
      ben: {
        assignedAssets: { totalCount: 0 },
        outgoingAssetTransfers: { nodes: [{ previousHolder: { id: ben }, nextHolder: { id: cleo } }] },
      },
      cleo: {
        assignedAssets: { nodes: [{ transfers: { totalCount: 1 } }] },
        incomingAssetTransfers: { totalCount: 1 },
      },
    });
  });
});

test('a warranty must not end before it starts', async () => {
  const warranties = `${itemOf(await make())}/warranties`;
  expect((await client.post(warranties, { start_date: '2026-05-02', end_date: '2026-05-01' })).details).toEqual({
    end_date: expect.any(String),
  });
  const {
    row: { id },
  } = await client.post(warranties, { start_date: '2026-05-02', end_date: '2026-05-02' });
  const { errors } = await client.graphql(
    'mutation ($id: ID!) { updateAssetWarranty(id: $id, input: { startDate: "2026-05-03" }) { id } }',
    { id },
  );
  expect(errors[0]?.extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { endDate: expect.any(String) } });
});

test('an asset document requires a title, and an http URL if any', async () => {
  const documents = `${itemOf(await make())}/documents`;
  expect((await client.post(documents, {})).details).toEqual({ title: expect.any(String) });
  expect((await client.post(documents, { title: 'Manual', file_url: 'javascript:alert(1)' })).details).toEqual({
    file_url: expect.any(String),
  });
  expect(
    (await client.post(documents, { title: 'Manual', file_url: 'https://example.com/m.pdf', file_type: 'pdf' })).status,
  ).toBe(201);
});
