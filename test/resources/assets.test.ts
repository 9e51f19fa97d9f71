import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { at, date, day, tally } from './days.ts';

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
// Each test has a company of its own, so that it knows what the lists hold.
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

// Spec §2 to §4; decisions, Resources 13.
describe('an asset', () => {
  test('has a serial number that no other of the company has', async () => {
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

  test('is made once with a serial number, of thirty at once', async () => {
    expect(await tally(30, () => client.post('/assets', { asset_name: 'Drill', serial_number: 'SN 2' }))).toEqual({
      201: 1,
      409: 29,
    });
    expect((await client.get('/assets')).meta.total).toBe(1);
  });

  test('is found by its building under either name', async () => {
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
      'query ($id: ID!) { assets(filter: { location: [$id] }) { totalCount } }',
      { id: tower },
    );
    expect(data['assets']).toEqual({ totalCount: 1 });
  });

  test("has a category that is the client's own", async () => {
    const category_id = randomUUID();
    const made = await make({ category_id });
    expect(made['category_id']).toBe(category_id);
    expect((await client.get('/assets', { category_id })).meta.total).toBe(1);
  });

  test('keeps its building from being deleted, and takes along what belongs to it', async () => {
    const asset = await make({ building_id: tower });
    await client.post(`${itemOf(asset)}/maintenance`, { scheduled_date: day(1) });
    await client.post(`${itemOf(asset)}/transfers`, { to_user: ben });
    expect((await client.delete(`/locations/buildings/${tower}`)).status).toBe(409);
    expect((await client.delete(itemOf(asset))).status).toBe(204);
    expect((await client.delete(`/locations/buildings/${tower}`)).status).toBe(204);
  });

  test('is reached from its building and from who has it', async () => {
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

describe('a transfer', () => {
  const transfer = (asset: Row, body: Row) => client.post(`${itemOf(asset)}/transfers`, body);

  test('moves the asset from where it is and who has it', async () => {
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

  test('leaves what it does not say', async () => {
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
    expect((await transfer(asset, {})).row).toMatchObject({
      from_location: annex,
      to_location: null,
      from_user: cleo,
      to_user: null,
      transfer_date: day(),
    });
    expect(await placeOf(asset)).toEqual([annex, cleo]);
  });

  test('gives a place and a holder to what had none', async () => {
    const asset = await make();
    expect((await transfer(asset, { to_location: tower, to_user: ada })).row).toMatchObject({
      from_location: null,
      from_user: null,
    });
    expect(await placeOf(asset)).toEqual([tower, ada]);
  });

  test('may say where the asset comes from, if that is right', async () => {
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
  ])('that is wrong about %j is refused, and moves nothing', async (fields, from) => {
    const asset = await make({ building_id: tower, assigned_to: ben });
    const refused = await transfer(asset, { ...from(), to_location: annex, to_user: cleo });
    expect(refused).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
    expect(Object.keys(refused.details).sort()).toEqual(fields);
    expect(await placeOf(asset)).toEqual([tower, ben]);
    expect((await client.get(`${itemOf(asset)}/transfers`)).meta.total).toBe(0);
  });

  test('from a place, of an asset that has none, is refused', async () => {
    expect((await transfer(await make(), { from_location: tower })).details).toEqual({
      from_location: expect.any(String),
    });
  });

  test.each(['from_location', 'to_location', 'from_user', 'to_user'])(
    'whose %s is not there is a 422',
    async (field) => {
      const asset = await make({ building_id: tower, assigned_to: ben });
      const foreign = await service.tenant();
      const theirs = /user/.test(field)
        ? foreign.users[0]?.id
        : (await (await foreign.client()).post('/locations/buildings', { name: 'Theirs' })).row['id'];
      for (const id of [randomUUID(), theirs]) {
        const refused = await transfer(asset, { [field]: id });
        expect({ status: refused.status, fields: Object.keys(refused.details) }).toEqual({
          status: 422,
          fields: [field],
        });
      }
      expect(await placeOf(asset)).toEqual([tower, ben]);
    },
  );

  test('stands as it was made', async () => {
    const asset = await make();
    const {
      row: { id },
    } = await transfer(asset, { to_location: tower });
    expect((await client.patch(`${itemOf(asset)}/transfers/${String(id)}`, {})).status).toBe(404);
    const { data } = await client.graphql('query ($id: ID!) { assetTransfer(id: $id) { toLocation } }', { id });
    expect(data['assetTransfer']).toEqual({ toLocation: tower });
    const { errors } = await client.graphql('mutation ($id: ID!) { deleteAssetTransfer(id: $id) { id } }', { id });
    expect(errors[0]?.message).toMatch(/deleteAssetTransfer/);
  });

  test('of many at once takes the asset from where the one before left it', async () => {
    const asset = await make({ building_id: tower, assigned_to: ada });
    const [places, users] = [
      [tower, annex],
      [ada, ben, cleo],
    ];
    expect(
      await tally(30, (n) => transfer(asset, { to_location: places[n % 2], to_user: users[n % 3], reason: `${n}` })),
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

  test('of many at once that say where the asset is, one is right', async () => {
    const asset = await make({ building_id: tower, assigned_to: ben });
    expect(await tally(30, () => transfer(asset, { from_location: tower, to_location: annex }))).toEqual({
      201: 1,
      409: 29,
    });
    expect((await client.get(`${itemOf(asset)}/transfers`)).meta.total).toBe(1);
  });
});

describe('maintenance', () => {
  let asset: Row;
  beforeEach(async () => {
    asset = await make();
  });
  const plan = async (body: Row) => (await client.post(`${itemOf(asset)}/maintenance`, body)).row;
  const read = async ({ id }: Row) =>
    (await client.graphql<Record<string, Row>>('query ($id: ID!) { assetMaintenance(id: $id) { status } }', { id }))
      .data['assetMaintenance']?.['status'];
  const update = async ({ id }: Row, input: Row) =>
    (
      await client.graphql<Record<string, Row>>(
        'mutation ($id: ID!, $input: UpdateAssetMaintenanceInput!) { updateAssetMaintenance(id: $id, input: $input) { status } }',
        { id, input },
      )
    ).data['updateAssetMaintenance']?.['status'];

  test.each([
    [{}, 'scheduled'],
    [{ scheduled_date: day(1) }, 'scheduled'],
    [{ scheduled_date: day() }, 'scheduled'],
    [{ scheduled_date: day(-1) }, 'overdue'],
    [{ scheduled_date: day(-1), status: 'scheduled' }, 'overdue'],
    [{ scheduled_date: day(-1), status: 'completed' }, 'completed'],
  ])('planned with %j is %s', async (body, status) => {
    const made = await plan(body);
    expect(made['status']).toBe(status);
    expect((await client.get(`${itemOf(asset)}/maintenance`, { status })).meta.total).toBe(1);
  });

  test.each([
    ['put off to today', { scheduled_date: day(-5) }, { scheduledDate: day() }, 'SCHEDULED'],
    ['put off to later', { scheduled_date: day(-5) }, { scheduledDate: day(5) }, 'SCHEDULED'],
    ['put off, but not far enough', { scheduled_date: day(-5) }, { scheduledDate: day(-1) }, 'OVERDUE'],
    ['moved to the past', { scheduled_date: day(5) }, { scheduledDate: day(-1) }, 'OVERDUE'],
    ['called scheduled although its day has passed', { scheduled_date: day(-5) }, { status: 'SCHEDULED' }, 'OVERDUE'],
    ['done late', { scheduled_date: day(-5) }, { status: 'COMPLETED' }, 'COMPLETED'],
    [
      'done, and its day moved to later',
      { scheduled_date: day(-5), status: 'completed' },
      { scheduledDate: day(5) },
      'COMPLETED',
    ],
    ['described only', { scheduled_date: day(-5) }, { description: 'Oil' }, 'OVERDUE'],
  ])('%s', async (_, body, change, status) => {
    const made = await plan(body);
    expect(await update(made, change)).toBe(status);
    expect(await read(made)).toBe(status);
  });

  describe('whose day has passed in the database', () => {
    let stale: string;
    beforeEach(async () => {
      const { assetMaintenance } = service.database.prisma;
      const of = { companyId: tenant.company.id, assetId: String(asset['id']) };
      stale = (await assetMaintenance.create({ data: { ...of, scheduledDate: date(day(-1)), description: 'stale' } }))
        .id;
      await assetMaintenance.create({ data: { ...of, scheduledDate: date(day()), description: 'today' } });
      await assetMaintenance.create({ data: { ...of, description: 'some day' } });
      await assetMaintenance.create({
        data: { ...of, scheduledDate: date(day(-1)), description: 'done', status: 'COMPLETED' },
      });
    });

    // Each is the first to read it.
    test('is overdue when it is read', async () => {
      expect(await read({ id: stale })).toBe('OVERDUE');
    });

    test('is overdue in the list', async () => {
      const { rows } = await client.get(`${itemOf(asset)}/maintenance`);
      expect(Object.fromEntries(rows.map(({ description, status }) => [description, status]))).toEqual({
        stale: 'overdue',
        today: 'scheduled',
        'some day': 'scheduled',
        done: 'completed',
      });
    });

    test.each([
      ['scheduled', 2],
      ['overdue', 1],
      ['completed', 1],
      ['overdue,scheduled', 3],
    ])('counts in a list of status=%s', async (status, total) => {
      expect((await client.get(`${itemOf(asset)}/maintenance`, { status, limit: 1 })).meta.total).toBe(total);
    });

    test('sorts as overdue', async () => {
      const { rows } = await client.get(`${itemOf(asset)}/maintenance`, { sort: 'status', order: 'desc' });
      expect(rows.map(({ status }) => status)).toEqual(['overdue', 'completed', 'scheduled', 'scheduled']);
    });

    test('is overdue inside its asset, filtered and counted', async () => {
      const { data } = await client.graphql<Record<string, { nodes: Row[] }>>(`{ assets { nodes {
        all: maintenance(sort: STATUS, order: DESC, first: 2) { nodes { status } }
        late: maintenance(filter: { status: [OVERDUE] }) { totalCount nodes { description } }
        planned: maintenance(filter: { status: [SCHEDULED] }, first: 1) { totalCount }
      } } }`);
      expect(data['assets']?.nodes).toEqual([
        {
          all: { nodes: [{ status: 'OVERDUE' }, { status: 'COMPLETED' }] },
          late: { totalCount: 1, nodes: [{ description: 'stale' }] },
          planned: { totalCount: 2 },
        },
      ]);
    });
  });

  test('is scheduled to the end of its day, UTC, and overdue from then on', async () => {
    const made = await plan({ scheduled_date: '2031-06-30' });
    const seen = async () => [
      await read(made),
      (await client.get(`${itemOf(asset)}/maintenance`, { status: 'overdue' })).meta.total,
    ];
    expect(await at('2031-06-30T23:59:59.999Z', seen)).toEqual(['SCHEDULED', 0]);
    expect(await at('2031-07-01T00:00:00.000Z', seen)).toEqual(['OVERDUE', 1]);
    expect(await at('2031-07-01T00:00:00.000Z', () => update(made, { scheduledDate: '2031-07-01' }))).toBe('SCHEDULED');
    expect(await at('2031-07-01T23:00:00.000Z', seen)).toEqual(['SCHEDULED', 0]);
  });
});

test('a warranty does not end before it starts', async () => {
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

test('an asset document has a title, and an http address if any', async () => {
  const documents = `${itemOf(await make())}/documents`;
  expect((await client.post(documents, {})).details).toEqual({ title: expect.any(String) });
  expect((await client.post(documents, { title: 'Manual', file_url: 'javascript:alert(1)' })).details).toEqual({
    file_url: expect.any(String),
  });
  expect(
    (await client.post(documents, { title: 'Manual', file_url: 'https://example.com/m.pdf', file_type: 'pdf' })).status,
  ).toBe(201);
});
