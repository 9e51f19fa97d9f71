import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { refresh } from '../support/stale.ts';
import { at, date, day } from './days.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
// Each test has its own company, so that lists contain only its rows.
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

const make = async (body: Row = {}) => (await client.post('/assets', { asset_name: 'Drill', ...body })).row;
const itemOf = ({ id }: Row) => `/assets/${String(id)}`;

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

  test('is listed under its former name in GraphQL too', async () => {
    const { id } = await plan({ description: 'Oil' });
    const other = await make();
    await client.post(`${itemOf(other)}/maintenance`, {});
    const query = `query ($assetId: ID) {
      former: assetMaintenances(assetId: $assetId) { totalCount nodes { id } }
      all: assetMaintenances { totalCount }
    }`;
    expect((await client.graphql(query, { assetId: asset['id'] })).data).toEqual({
      former: { totalCount: 1, nodes: [{ id }] },
      all: { totalCount: 2 },
    });
    const { errors } = await client.graphql(query, { assetId: id });
    expect(errors).toMatchObject([{ path: ['former'], extensions: { code: 'NOT_FOUND' } }]);
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
    [
      'called overdue before its day, which moves to later',
      { scheduled_date: day(5), status: 'overdue' },
      { scheduledDate: day(9) },
      'OVERDUE',
    ],
    ['called overdue without a day, and given one', { status: 'overdue' }, { scheduledDate: day(9) }, 'OVERDUE'],
  ])('%s', async (_, body, change, status) => {
    const made = await plan(body);
    expect(await update(made, change)).toBe(status);
    expect(await read(made)).toBe(status);
  });

  describe('whose date has passed', () => {
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
      await refresh(service, tenant);
    });

    test('is overdue in a read', async () => {
      expect(await read({ id: stale })).toBe('OVERDUE');
    });

    test('is overdue in a list', async () => {
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
    ])('is counted in a list of status=%s', async (status, total) => {
      expect((await client.get(`${itemOf(asset)}/maintenance`, { status, limit: 1 })).meta.total).toBe(total);
    });

    test('sorts as overdue', async () => {
      const { rows } = await client.get(`${itemOf(asset)}/maintenance`, { sort: 'status', order: 'desc' });
      expect(rows.map(({ status }) => status)).toEqual(['overdue', 'completed', 'scheduled', 'scheduled']);
    });

    test('is overdue inside its asset, filtered and counted', async () => {
      const { data } = await client.graphql<Record<string, { nodes: Row[] }>>(`{ assets { nodes {
        all: maintenance(sort: STATUS, order: DESC, first: 2) { nodes { status } }
        late: maintenance(filter: { status: { eq: OVERDUE } }) { totalCount nodes { description } }
        planned: maintenance(filter: { status: { eq: SCHEDULED } }, first: 1) { totalCount }
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

  test('is scheduled until the end of its day in UTC, then overdue', async () => {
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
