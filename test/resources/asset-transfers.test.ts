import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { countStatuses, day } from './days.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
/** Ids of the company's members and buildings. */
let ada: string;
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
  [ada = '', ben = '', cleo = ''] = tenant.users.map(({ id }) => id);
  tower = await building('Tower');
  annex = await building('Annex');
});
afterAll(() => service.close());

const building = async (name: string) => String((await client.post('/locations/buildings', { name })).row['id']);
const make = async (body: Row = {}) => (await client.post('/assets', { asset_name: 'Drill', ...body })).row;
const itemOf = ({ id }: Row) => `/assets/${String(id)}`;
const placeOf = async (asset: Row) => {
  const { building_id, assigned_to } = (await client.get(itemOf(asset))).row;
  return [building_id, assigned_to];
};

describe('a transfer', () => {
  const transfer = (asset: Row, body: Row) => client.post(`${itemOf(asset)}/transfers`, body);

  test('moves the asset from its location and holder', async () => {
    const asset = await make({ building_id: tower, assigned_to: ben });
    const made = await transfer(asset, {
      to_location: annex,
      to_user: cleo,
      transfer_date: '2026-02-03',
      reason: 'Moved desks',
    });
    expect(made).toMatchObject({
      status: 201,
      row: {
        asset_id: asset['id'],
        from_location: tower,
        to_location: annex,
        from_user: ben,
        to_user: cleo,
        transfer_date: '2026-02-03',
        reason: 'Moved desks',
      },
    });
    expect(await placeOf(asset)).toEqual([annex, cleo]);
  });

  test('keeps fields that it leaves out', async () => {
    const asset = await make({ building_id: tower, assigned_to: ben });
    expect((await transfer(asset, { to_location: annex })).row).toMatchObject({
      from_location: tower,
      to_location: annex,
      from_user: ben,
      to_user: null,
    });
    expect(await placeOf(asset)).toEqual([annex, ben]);
    expect((await transfer(asset, { to_user: cleo, to_location: null })).row).toMatchObject({
      from_location: annex,
      to_location: null,
      from_user: ben,
      to_user: cleo,
    });
    expect(await placeOf(asset)).toEqual([annex, cleo]);
    expect((await transfer(asset, { to_user: ben })).row).toMatchObject({ transfer_date: day() });
  });

  test('requires a destination or a new holder', async () => {
    const asset = await make({ building_id: tower, assigned_to: ben });
    for (const body of [{}, { from_location: tower }, { to_location: null, to_user: null, reason: 'Lost' }])
      expect(await transfer(asset, body)).toMatchObject({
        status: 422,
        details: {
          to_location: 'is required, unless there is a new user',
          to_user: 'is required, unless there is a new location',
        },
      });
    expect((await client.get(`${itemOf(asset)}/transfers`)).meta.total).toBe(0);
  });

  test('sets a location and holder for an asset without', async () => {
    const asset = await make();
    expect((await transfer(asset, { to_location: tower, to_user: ada })).row).toMatchObject({
      from_location: null,
      from_user: null,
    });
    expect(await placeOf(asset)).toEqual([tower, ada]);
  });

  test('may name the origin, if it is right', async () => {
    const asset = await make({ building_id: tower, assigned_to: ben });
    expect(
      (await transfer(asset, { from_location: tower.toUpperCase(), from_user: ben, to_location: annex })).status,
    ).toBe(201);
    expect(await placeOf(asset)).toEqual([annex, ben]);
  });

  test.each([
    [['from_location'], () => ({ from_location: annex })],
    [['from_user'], () => ({ from_user: cleo })],
    [['from_location', 'from_user'], () => ({ from_location: annex, from_user: cleo })],
    [['from_location'], () => ({ from_location: annex, from_user: ben })],
  ])('with a wrong %j is rejected, and moves nothing', async (fields, from) => {
    const asset = await make({ building_id: tower, assigned_to: ben });
    const refused = await transfer(asset, { ...from(), to_location: annex, to_user: cleo });
    expect(refused).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
    expect(Object.keys(refused.details).sort()).toEqual(fields);
    expect(await placeOf(asset)).toEqual([tower, ben]);
    expect((await client.get(`${itemOf(asset)}/transfers`)).meta.total).toBe(0);
  });

  test('with an origin is rejected for an asset without location', async () => {
    expect((await transfer(await make(), { from_location: tower, to_location: annex })).details).toEqual({
      from_location: expect.any(String),
    });
  });

  test.each(['from_location', 'to_location', 'from_user', 'to_user'])('with an unknown %s is a 422', async (field) => {
    const asset = await make({ building_id: tower, assigned_to: ben });
    const foreign = await service.tenant();
    const theirs = /user/.test(field)
      ? foreign.users[0]?.id
      : (await (await foreign.client()).post('/locations/buildings', { name: 'Theirs' })).row['id'];
    for (const id of [randomUUID(), theirs]) {
      const refused = await transfer(asset, { to_location: annex, [field]: id });
      expect({ status: refused.status, fields: Object.keys(refused.details) }).toEqual({
        status: 422,
        fields: [field],
      });
    }
    expect(await placeOf(asset)).toEqual([tower, ben]);
  });

  test('cannot be changed but for its files', async () => {
    const asset = await make();
    const { row } = await transfer(asset, { to_location: tower });
    const { id } = row;
    const address = `${itemOf(asset)}/transfers/${String(id)}`;
    const refused = await client.patch(address, { to_location: annex });
    expect([refused.status, Object.keys(refused.details)]).toEqual([422, ['to_location']]);
    expect((await client.delete(address)).status).toBe(405);
    expect((await client.get(address)).row).toEqual(row);
    const { data } = await client.graphql('query ($id: ID!) { assetTransfer(id: $id) { toLocation } }', { id });
    expect(data['assetTransfer']).toEqual({ toLocation: tower });
    const { errors } = await client.graphql('mutation ($id: ID!) { deleteAssetTransfer(id: $id) { id } }', { id });
    expect(errors[0]?.message).toMatch(/deleteAssetTransfer/);
  });

  test('starts where the previous one ended, also concurrently', async () => {
    const asset = await make({ building_id: tower, assigned_to: ada });
    const [places, users] = [
      [tower, annex],
      [ada, ben, cleo],
    ];
    expect(
      await countStatuses(30, (n) =>
        transfer(asset, { to_location: places[n % 2], to_user: users[n % 3], reason: `${n}` }),
      ),
    ).toEqual({ 201: 30 });
    const { rows } = await client.get(`${itemOf(asset)}/transfers`, { sort: 'created_at', order: 'asc', limit: 100 });
    expect(rows).toHaveLength(30);
    let was: unknown[] = [tower, ada];
    for (const { from_location, from_user, to_location, to_user } of rows) {
      expect([from_location, from_user]).toEqual(was);
      was = [to_location, to_user];
    }
    expect(await placeOf(asset)).toEqual(was);
  });

  test('succeeds once of several concurrent ones with the same origin', async () => {
    const asset = await make({ building_id: tower, assigned_to: ben });
    expect(await countStatuses(30, () => transfer(asset, { from_location: tower, to_location: annex }))).toEqual({
      201: 1,
      409: 29,
    });
    expect((await client.get(`${itemOf(asset)}/transfers`)).meta.total).toBe(1);
  });
});
