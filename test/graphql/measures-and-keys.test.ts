import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { askGroups, create, type Groups } from '../support/groups.ts';
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

const ask = (list: string, selection: string, args?: string) => askGroups(client, list, selection, args);
const post = (path: string, body: Row) => create(client, path, body);

describe('measures', () => {
  test('sum exactly, where floating point would not', async () => {
    for (const total_amount of [0.1, 0.2, 99_999_999_999.9999])
      await post('/procurement/requisitions', { title: 'Sum', total_amount });
    await post('/procurement/requisitions', { title: 'Sum' });
    const all = '{ count totalAmount { sum avg min max percentile(p: 0.5) } }';
    expect(await ask('requisitions(filter: {totalAmount: {in: [0.1, 0.2]}})', all)).toEqual([
      { count: 2, totalAmount: { sum: 0.3, avg: 0.15, min: 0.1, max: 0.2, percentile: expect.closeTo(0.15) } },
    ]);
    // Unset values are counted, but not averaged.
    expect(await ask('requisitions', all)).toEqual([
      {
        count: 4,
        totalAmount: {
          sum: 100_000_000_000.2999,
          avg: 33_333_333_333.4333,
          min: 0.1,
          max: 99_999_999_999.9999,
          percentile: 0.2,
        },
      },
    ]);
  });

  test('sum integers beyond the range of Int, and multiply them with costs', async () => {
    for (const [sku, unit_cost] of [
      ['a', 0.0001],
      ['b', 2],
      ['c', undefined],
    ])
      await post('/inventory', { name: 'Screws', sku, quantity: 2_147_483_647, unit_cost });
    expect(
      await ask(
        'inventoryItems(filter: {name: {eq: "Screws"}})',
        '{ quantity { sum avg max } stockValue { sum min } countDistinct(of: QUANTITY) costs: countDistinct(of: UNIT_COST) }',
      ),
    ).toEqual([
      {
        quantity: { sum: 6_442_450_941, avg: 2_147_483_647, max: 2_147_483_647 },
        stockValue: { sum: 4_295_182_042.3647, min: 214_748.3647 },
        countDistinct: 1,
        costs: 2,
      },
    ]);
  });

  test('of no rows are empty, and the total of no rows is one group', async () => {
    expect(await ask('leases', '{ key { status } count }')).toEqual([]);
    expect(await ask('leases', '{ count monthlyPayment { sum } startDate { min } termDays { avg } }')).toEqual([
      { count: 0, monthlyPayment: { sum: null }, startDate: { min: null }, termDays: { avg: null } },
    ]);
  });

  test('can be durations between two times, also of a related row', async () => {
    await post('/time-clock/records', {
      clock_in_time: '2026-05-04T23:00:00Z',
      clock_out_time: '2026-05-05T07:30:00Z',
    });
    expect(await ask('timeClockRecords', '{ hours { sum } clockInTime { min } clockOutTime { max } }')).toEqual([
      {
        hours: { sum: 8.5 },
        clockInTime: { min: '2026-05-04T23:00:00.000Z' },
        clockOutTime: { max: '2026-05-05T07:30:00.000Z' },
      },
    ]);
    await post('/leases', { name: 'Term', start_date: '2026-03-01', end_date: '2026-04-01' });
    expect(await ask('leases', '{ termDays { sum } endDate { max } }')).toEqual([
      { termDays: { sum: 31 }, endDate: { max: '2026-04-01' } },
    ]);
    const companyId = tenant.company.id;
    const { prisma } = service.database;
    const order = await prisma.purchaseOrder.create({
      data: { companyId, number: 'T-1', orderDate: new Date('2026-05-01') },
    });
    await prisma.receivingRecord.create({
      data: {
        companyId,
        purchaseOrderId: order.id,
        receivedBy: tenant.users[0]?.id ?? '',
        receivedAt: new Date('2026-05-03T12:00:00Z'),
      },
    });
    expect(await ask('receivingRecords', '{ leadDays { max } }')).toEqual([{ leadDays: { max: 2.5 } }]);
  });
});

describe('keys', () => {
  const months = '{ key { createdAt { month } } count }';

  test('truncate times to the start of days and periods in a time zone', async () => {
    const { prisma } = service.database;
    const times = [
      '2026-01-31T23:59:59.999Z',
      '2026-02-01T00:00:00.000Z',
      '2026-02-28T23:30:00Z',
      '2025-02-28T12:00:00Z',
    ];
    await prisma.vendor.createMany({
      data: times.map((createdAt, n) => ({
        companyId: tenant.company.id,
        companyName: `Month ${n}`,
        createdAt: new Date(createdAt),
      })),
    });
    const list = 'vendors(search: "Month")';
    const counts = (found: Groups) =>
      found.map(({ key, count }) => [((key as Row)['createdAt'] as Row)['month'], count]);
    expect(counts(await ask(list, months))).toEqual([
      ['2025-02-01', 1],
      ['2026-01-01', 1],
      ['2026-02-01', 2],
    ]);
    // An hour later in Berlin.
    expect(counts(await ask(list, months, 'timeZone: "Europe/Berlin"'))).toEqual([
      ['2025-02-01', 1],
      ['2026-02-01', 2],
      ['2026-03-01', 1],
    ]);
    // The company's time zone is the default.
    const { id } = tenant.company;
    await prisma.company.update({ where: { id }, data: { timeZone: 'Europe/Berlin' } });
    const abroad = await tenant.client();
    const { data } = await abroad.graphql<{ list: { aggregates: Groups } }>(
      `{ list: ${list} { aggregates ${months} } }`,
    );
    expect(counts(data.list.aggregates).map(([month]) => month)).toEqual(['2025-02-01', '2026-02-01', '2026-03-01']);
    await prisma.company.update({ where: { id }, data: { timeZone: 'UTC' } });
    const parts = '{ key { createdAt { day week month quarter year weekday hour } } }';
    expect(await ask('vendors(search: "Month 2")', parts, 'timeZone: "America/New_York"')).toEqual([
      {
        key: {
          createdAt: {
            day: '2026-02-28',
            week: '2026-02-23',
            month: '2026-02-01',
            quarter: '2026-01-01',
            year: '2026-01-01',
            weekday: 6,
            hour: 18,
          },
        },
      },
    ]);
  });

  test('truncate dates without a time zone', async () => {
    for (const scheduled_date of ['2026-01-01', '2026-01-31', '2026-02-01'])
      await post('/move-requests', { title: 'Month', scheduled_date });
    await post('/move-requests', { title: 'Month' });
    const groups = '{ key { scheduledDate { month } } count }';
    for (const zone of ['UTC', 'Pacific/Auckland', 'America/Los_Angeles'])
      expect(await ask('moveRequests', groups, `timeZone: "${zone}"`)).toEqual([
        { key: { scheduledDate: { month: '2026-01-01' } }, count: 2 },
        { key: { scheduledDate: { month: '2026-02-01' } }, count: 1 },
        { key: { scheduledDate: { month: null } }, count: 1 },
      ]);
  });

  test('are fields of related rows too, each under the scope of its row', async () => {
    const building = await post('/locations/buildings', { name: 'Headquarters', code: 'HQ' });
    for (const building_id of [building['id'], building['id'], undefined])
      await post('/service-requests', { title: 'Keyed', priority: 'high', building_id });
    const list = 'serviceRequests(search: "Keyed")';
    const selection = '{ key { building { code name } priority } count }';
    expect(await ask(list, selection)).toEqual([
      { key: { building: { code: 'HQ', name: 'Headquarters' }, priority: 'HIGH' }, count: 2 },
      { key: { building: { code: null, name: null }, priority: 'HIGH' }, count: 1 },
    ]);
    const narrow = await tenant.client(['service_requests:read']);
    const { data, errors } = await narrow.graphql<{ list: Row }>(
      `{ list: ${list} { totalCount aggregates ${selection} } }`,
    );
    expect(data.list).toEqual({ totalCount: 3, aggregates: null });
    expect(errors).toMatchObject([{ path: ['list', 'aggregates'], extensions: { code: 'INSUFFICIENT_SCOPE' } }]);
    expect(errors[0]?.message).toContain('key.building');
  });

  test('and measures are returned under their aliases, in fragments too', async () => {
    expect(
      await ask(
        'serviceRequests(search: "Keyed")',
        '{ n: count k: key { p: priority } ...on ServiceRequestAggregate { late: resolutionHours { p90: percentile(p: 0.9) p50: percentile(p: 0.5) } } skipped: count @skip(if: true) createdAt { __typename } key { building { __typename code @skip(if: true) } } }',
      ),
    ).toEqual([
      {
        n: 3,
        k: { p: 'HIGH' },
        late: { p90: null, p50: null },
        createdAt: { __typename: 'DateTimeAggregate' },
        key: { building: { __typename: 'BuildingKey' } },
      },
    ]);
  });
});
