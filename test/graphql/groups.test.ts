import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { refresh } from '../support/stale.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

/** The groups of a list. */
type Groups = Row[];

/** Asks for the groups of a list. @param list the list with its arguments @param args of the aggregates */
async function ask(list: string, selection: string, args = ''): Promise<Groups> {
  const query = `{ list: ${list} { aggregates${args && `(${args})`} ${selection} } }`;
  const { data, errors } = await client.graphql<{ list: { aggregates: Groups } }>(query);
  expect({ query, errors }).toEqual({ query, errors: [] });
  return data.list.aggregates;
}

async function post(path: string, body: Row): Promise<Row> {
  const reply = await client.post(path, body);
  expect({ body, status: reply.status, error: reply.status === 201 || reply.error }).toMatchObject({ status: 201 });
  return reply.row;
}

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

  test('tell durations between two times, also of a related row', async () => {
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

  test('cut times at the start of days and periods of a time zone', async () => {
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

  test('cut dates in no time zone', async () => {
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

  test('and measures are answered under the names that a query gives them, of fragments too', async () => {
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

describe('groups', () => {
  test('are sorted by any key or measure, unset last, and limited on request', async () => {
    const vendors: string[] = [];
    for (const company_name of ['One', 'Two', 'Three'])
      vendors.push(String((await post('/vendors', { company_name }))['id']));
    const invoices: [number, number | undefined][] = [
      [0, 10],
      [0, 20],
      [1, undefined],
      [2, 1],
      [2, 2],
      [2, 3],
    ];
    for (const [n, [vendor, amount]] of invoices.entries())
      await post(`/vendors/${vendors[vendor]}/invoices`, { invoice_number: `I-${n}`, amount });
    const sorted = async (args: string) =>
      (await ask('invoices', '{ key { vendorId } count amount { sum } }', args)).map(({ key }) =>
        vendors.indexOf(String((key as Row)['vendorId'])),
      );
    expect(await sorted('')).toEqual([0, 1, 2]);
    expect(await sorted('orderBy: [{ field: "key.vendorId", direction: DESC }]')).toEqual([2, 1, 0]);
    expect(await sorted('orderBy: [{ field: "count" }]')).toEqual([1, 0, 2]);
    expect(await sorted('orderBy: [{ field: "amount.sum", direction: DESC }]')).toEqual([0, 2, 1]);
    expect(await sorted('orderBy: [{ field: "amount.sum" }], first: 2')).toEqual([2, 0]);
    expect(await sorted('having: [{ field: "amount.sum", gt: 6 }]')).toEqual([0]);
    expect(await sorted('having: [{ field: "count", gte: 2, lte: 3 }, { field: "amount.sum", ne: 30 }]')).toEqual([2]);
    // An enum sorts by its own order, not alphabetically.
    for (const priority of ['high', 'low', 'urgent', 'normal'])
      await post('/service-requests', { title: 'Sorted', priority });
    expect(
      (await ask('serviceRequests(search: "Sorted")', '{ key { priority } }')).map(
        ({ key }) => (key as Row)['priority'],
      ),
    ).toEqual(['LOW', 'NORMAL', 'HIGH', 'URGENT']);
  });

  test('without rows are there on request', async () => {
    const { prisma } = service.database;
    const at = ['2026-03-28T22:30:00Z', '2026-03-30T10:00:00Z'];
    await prisma.shipment.createMany({
      data: at.map((createdAt, n) => ({
        companyId: tenant.company.id,
        createdAt: new Date(createdAt),
        carrier: `c${n}`,
        weightKg: n + 1,
      })),
    });
    const range = 'fill: { from: "2026-03-28", to: "2026-04-01" }, timeZone: "Europe/Berlin"';
    const days = (found: Groups) =>
      found.map(({ key, count, weightKg }) => [
        ((key as Row)['createdAt'] as Row)['day'],
        count,
        (weightKg as Row)['sum'],
      ]);
    const selection = '{ key { createdAt { day } } count weightKg { sum } }';
    // The clocks go forward on the 29th.
    expect(days(await ask('shipments', selection, range))).toEqual([
      ['2026-03-28', 1, 1],
      ['2026-03-29', 0, null],
      ['2026-03-30', 1, 2],
      ['2026-03-31', 0, null],
    ]);
    const quiet = await ask('shipments', selection, `${range}, having: [{ field: "count", lt: 1 }], first: 1`);
    expect(days(quiet)).toEqual([['2026-03-29', 0, null]]);
    // Groups outside the range stay.
    const part = 'fill: { from: "2026-03-30", to: "2026-04-01" }, timeZone: "Europe/Berlin"';
    expect(days(await ask('shipments', selection, part)).map(([day]) => day)).toEqual([
      '2026-03-28',
      '2026-03-30',
      '2026-03-31',
    ]);
    // Each value of the other keys has all of them.
    const each = await ask('shipments', '{ key { carrier createdAt { weekday } } count }', 'fill: {}');
    expect(each).toHaveLength(14);
    expect(each.filter(({ count }) => count === 1).map(({ key }) => key)).toEqual([
      { carrier: 'c0', createdAt: { weekday: 6 } },
      { carrier: 'c1', createdAt: { weekday: 1 } },
    ]);
  });

  test('hold all the conditions of their list', async () => {
    const [low, enough] = [
      await post('/inventory', { name: 'Low', quantity: 1, reorder_point: 5 }),
      await post('/inventory', { name: 'Enough', quantity: 5, reorder_point: 5 }),
    ];
    const stock = (condition: string) =>
      ask(`inventoryItems(filter: {${condition} name: {in: ["Low", "Enough"]}})`, '{ count }');
    expect([await stock('lowStock: {eq: true}'), await stock('lowStock: {ne: true}'), await stock('')]).toEqual([
      [{ count: 1 }],
      [{ count: 1 }],
      [{ count: 2 }],
    ]);
    await post('/procurement/requisitions', {
      title: 'Lines',
      line_items: [
        { item_id: low['id'], quantity: 1 },
        { item_id: low['id'], quantity: 2 },
      ],
    });
    const lines = (id: unknown) =>
      ask(`requisitions(filter: {lineItems: {some: {itemId: {eq: "${String(id)}"}}}})`, '{ count }');
    expect([await lines(low['id']), await lines(enough['id'])]).toEqual([[{ count: 1 }], [{ count: 0 }]]);
    await post('/paints', { name: '100% \'white\' "_" \\' });
    for (const [search, count] of [
      ['%', 1],
      ["'WHITE'", 1],
      ['_', 1],
      ['\\\\', 1],
      ['100_', 0],
      ["'; --", 0],
    ] as const) {
      expect([search, await ask(`paints(search: "${search.replaceAll('"', '\\"')}")`, '{ count }')]).toEqual([
        search,
        [{ count }],
      ]);
    }
  });

  test('exclude rows that the caller cannot access', async () => {
    const [, ben] = tenant.users;
    const { prisma } = service.database;
    const category = await post('/notes/categories', { name: 'Plans' });
    const note = {
      companyId: tenant.company.id,
      userId: ben?.id ?? '',
      isShared: false,
      categoryId: String(category['id']),
    };
    await prisma.note.createMany({
      data: [
        { ...note, title: 'Private' },
        { ...note, title: 'Shared', isShared: true },
      ],
    });
    await post('/notes', { title: 'Mine' });
    expect(await ask('notes', '{ key { isShared userId } count }')).toEqual([
      { key: { isShared: false, userId: tenant.users[0]?.id }, count: 1 },
      { key: { isShared: true, userId: ben?.id }, count: 1 },
    ]);
    const { data } = await client.graphql('{ noteCategories { nodes { notes { aggregates { count } } } } }');
    expect(data).toEqual({ noteCategories: { nodes: [{ notes: { aggregates: [{ count: 1 }] } }] } });
  });

  test('include statuses that depend on the date', async () => {
    const lease = { companyId: tenant.company.id, status: 'ACTIVE' as const };
    await service.database.prisma.lease.createMany({
      data: [
        { ...lease, name: 'Lapse over', endDate: new Date('2020-01-01') },
        { ...lease, name: 'Lapse running', endDate: new Date('2999-01-01') },
      ],
    });
    await refresh(service, tenant);
    expect(await ask('leases(search: "Lapse")', '{ key { status } count }')).toEqual([
      { key: { status: 'ACTIVE' }, count: 1 },
      { key: { status: 'EXPIRED' }, count: 1 },
    ]);
  });

  test('take one statement that computes only the selected fields, and reads no page', async () => {
    service.statements.length = 0;
    await ask(
      'serviceRequests',
      '{ key { status createdAt { month } } count ...on ServiceRequestAggregate { createdAt { max } } updatedAt @include(if: false) { min } }',
    );
    const [statement = '', ...others] = service.statements;
    expect(others).toEqual([]);
    expect(statement).toContain('max(t0."created_at")');
    expect(statement).not.toContain('min(');
  });

  test('inside rows take one statement for all rows of the page, and a limit for each', async () => {
    const rows = await Promise.all(
      ['Left', 'Middle', 'Right'].map((name) => post('/locations/buildings', { name: `Wing ${name}`, code: name })),
    );
    for (const [n, priority] of ['low', 'low', 'high', 'urgent'].entries())
      await post('/service-requests', { title: `Inside ${n}`, priority, building_id: rows[n < 3 ? 0 : 1]?.['id'] });
    service.statements.length = 0;
    const { data, errors } = await client.graphql(
      `{ buildings(search: "Wing", orderBy: [{ field: NAME }]) { nodes { name serviceRequests(filter: { title: { startsWith: "inside" } }) {
        aggregates(orderBy: [{ field: "count", direction: DESC }], first: 1) { key { priority } count }
        all: aggregates { count createdAt { max } }
      } } } }`,
    );
    const max = expect.any(String);
    expect({ data, errors }).toEqual({
      data: {
        buildings: {
          nodes: [
            {
              name: 'Wing Left',
              serviceRequests: {
                aggregates: [{ key: { priority: 'LOW' }, count: 2 }],
                all: [{ count: 3, createdAt: { max } }],
              },
            },
            {
              name: 'Wing Middle',
              serviceRequests: {
                aggregates: [{ key: { priority: 'URGENT' }, count: 1 }],
                all: [{ count: 1, createdAt: { max } }],
              },
            },
            { name: 'Wing Right', serviceRequests: { aggregates: [], all: [{ count: 0, createdAt: { max: null } }] } },
          ],
        },
      },
      errors: [],
    });
    expect(service.statements).toHaveLength(3);
  });

  test('of lists through other rows count each row once', async () => {
    const [anna, ben] = tenant.users;
    const request = await post('/service-requests', { title: 'Watched', priority: 'urgent' });
    for (const user of [anna, ben])
      await post(`/service-requests/${String(request['id'])}/watchers`, { user_id: user?.id });
    const { data, errors } = await client.graphql(
      `{ serviceRequest(id: "${String(request['id'])}") { watchers { aggregates { count countDistinct(of: EMAIL) } } }
         users(filter: { id: { in: ["${anna?.id}", "${ben?.id}"] } }) { nodes { watchedServiceRequests { aggregates(first: 10) { key { priority } count } } } }
         inventoryItems(filter: { name: { eq: "Low" } }) { nodes { requisitions { aggregates { count } } } } }`,
    );
    const watched = { watchedServiceRequests: { aggregates: [{ key: { priority: 'URGENT' }, count: 1 }] } };
    expect({ data, errors }).toEqual({
      data: {
        serviceRequest: { watchers: { aggregates: [{ count: 2, countDistinct: 2 }] } },
        users: { nodes: [watched, watched] },
        inventoryItems: { nodes: [{ requisitions: { aggregates: [{ count: 1 }] } }] },
      },
      errors: [],
    });
  });

  test.each([
    ['', 'first: 0', '{ count }', 'first'],
    ['', 'first: 1001', '{ count }', 'first'],
    ['', 'timeZone: "Mars/Olympus"', '{ count }', 'timeZone'],
    ['', 'timeZone: "+02"', '{ count }', 'timeZone'],
    ['', 'timeZone: "UTC-5"', '{ count }', 'timeZone'],
    ['', 'orderBy: [{ field: "status" }]', '{ key { status } }', 'key.status'],
    ['', 'having: [{ field: "key.status", gt: 1 }]', '{ key { status } count }', 'count'],
    ['', 'having: [{ field: "createdAt.max", gt: 1 }]', '{ createdAt { max } }', 'having.0.field'],
    ['', 'having: [{ field: "count", gt: null }]', '{ count }', 'having.0.gt'],
    ['', 'fill: {}', '{ count }', 'fill'],
    ['', 'fill: {}', '{ key { createdAt { day } } }', 'fill'],
    ['', 'fill: { from: "2000-01-01", to: "today" }', '{ key { createdAt { day } } }', 'fill'],
    ['', 'fill: { from: "2026-01-01", to: "2026-03-01" }', '{ key { createdAt { day hour } } }', 'fill'],
    ['', '', '{ resolutionHours { percentile(p: 1.5) } }', 'resolutionHours.percentile.p'],
    ['(filter: {assignedTo: {eq: "x"}})', '', '{ count }', 'assignedTo'],
    ['(search: "a\\u0000")', '', '{ count }', 'search'],
  ])('%s reject %s in %s, naming %s', async (list, args, selection, named) => {
    const query = `{ list: serviceRequests${list} { aggregates${args && `(${args})`} ${selection} } }`;
    const { data, errors } = await client.graphql(query);
    expect(data).toEqual({ list: list ? null : { aggregates: null } });
    expect(errors).toMatchObject([{ message: expect.stringContaining(named), extensions: { code: 'BAD_REQUEST' } }]);
  });

  test('are limited to a thousand; more groups require a limit', async () => {
    const { prisma } = service.database;
    const companyId = tenant.company.id;
    await prisma.building.createMany({
      data: Array.from({ length: 1001 }, (_, n) => ({ companyId, name: `Many ${n}` })),
    });
    const many = (args = '') =>
      client.graphql<{ list: { aggregates: Groups } }>(
        `{ list: buildings(search: "Many") { aggregates${args} { key { name } count } } }`,
      );
    expect((await many()).errors).toMatchObject([
      { message: expect.stringMatching(/more than 1000 groups/), extensions: { code: 'BAD_REQUEST' } },
    ]);
    expect((await many('(first: 999)')).data.list.aggregates).toHaveLength(999);
    await prisma.building.deleteMany({ where: { companyId, name: 'Many 7' } });
    expect((await many()).data.list.aggregates).toHaveLength(1000);
  });
});
