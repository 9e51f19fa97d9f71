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

/** A group in GraphQL. */
interface Group {
  readonly key: Row;
  readonly count: number;
  readonly sum: Row;
}

describe('groups', () => {
  const ask = async (query: string) => {
    const { data, errors } = await client.graphql<{ groups: Group[] }>(`{ groups: ${query} }`);
    expect(errors).toEqual([]);
    return data.groups;
  };
  const post = async (path: string, body: Row) => {
    const reply = await client.post(path, body);
    expect({ body, status: reply.status, error: reply.status === 201 || reply.error }).toMatchObject({ status: 201 });
    return reply.row;
  };

  test('sum exactly, where floating point would not', async () => {
    for (const total_amount of [0.1, 0.2, 99_999_999_999.9999])
      await post('/procurement/requisitions', { title: 'Sum', total_amount });
    await post('/procurement/requisitions', { title: 'Sum' });
    const all = '{ count sum { totalAmount } avg { totalAmount } min { totalAmount } max { totalAmount } }';
    expect(await ask(`requisitionAggregates(filter: {totalAmount: {in: [0.1, 0.2]}}) ${all}`)).toEqual([
      {
        count: 2,
        sum: { totalAmount: 0.3 },
        avg: { totalAmount: 0.15 },
        min: { totalAmount: 0.1 },
        max: { totalAmount: 0.2 },
      },
    ]);
    // Unset values are counted, but not averaged.
    expect(await ask(`requisitionAggregates ${all}`)).toEqual([
      {
        count: 4,
        sum: { totalAmount: 100_000_000_000.2999 },
        avg: { totalAmount: 33_333_333_333.4333 },
        min: { totalAmount: 0.1 },
        max: { totalAmount: 99_999_999_999.9999 },
      },
    ]);
  });

  test('of integers sum beyond the range of Int', async () => {
    for (const sku of ['a', 'b']) await post('/inventory', { name: 'Screws', sku, quantity: 2_147_483_647 });
    expect(
      await ask(
        'inventoryItemAggregates(filter: {name: {eq: "Screws"}}) { sum { quantity } avg { quantity } max { quantity } }',
      ),
    ).toEqual([
      { sum: { quantity: 4_294_967_294 }, avg: { quantity: 2_147_483_647 }, max: { quantity: 2_147_483_647 } },
    ]);
  });

  test('of no rows are empty, and the total of no rows is one group', async () => {
    expect(await ask('leaseAggregates(groupBy: [STATUS]) { count }')).toEqual([]);
    expect(await ask('leaseAggregates { count sum { monthlyPayment } min { startDate } }')).toEqual([
      { count: 0, sum: { monthlyPayment: null }, min: { startDate: null } },
    ]);
  });

  test('by month begin and end with the month in UTC', async () => {
    const { prisma } = service.database;
    const times = [
      '2026-01-31T23:59:59.999Z',
      '2026-02-01T00:00:00.000Z',
      '2026-02-28T23:59:59.999Z',
      '2026-03-01T00:00:00Z',
      '2025-02-28T12:00:00Z',
    ];
    await prisma.vendor.createMany({
      data: times.map((createdAt, n) => ({
        companyId: tenant.company.id,
        companyName: `Month ${n}`,
        createdAt: new Date(createdAt),
      })),
    });
    expect(
      await ask(
        'vendorAggregates(search: "Month", groupBy: [CREATED_AT_MONTH], sort: CREATED_AT_MONTH, order: ASC) { key { createdAtMonth } count }',
      ),
    ).toEqual([
      { key: { createdAtMonth: '2025-02-01' }, count: 1 },
      { key: { createdAtMonth: '2026-01-01' }, count: 1 },
      { key: { createdAtMonth: '2026-02-01' }, count: 2 },
      { key: { createdAtMonth: '2026-03-01' }, count: 1 },
    ]);
    for (const scheduled_date of ['2026-01-01', '2026-01-31', '2026-02-01'])
      await post('/move-requests', { title: 'Month', scheduled_date });
    await post('/move-requests', { title: 'Month' });
    expect(
      await ask(
        'moveRequestAggregates(groupBy: [SCHEDULED_DATE_MONTH], sort: SCHEDULED_DATE_MONTH) { key { scheduledDateMonth } count }',
      ),
    ).toEqual([
      { key: { scheduledDateMonth: '2026-02-01' }, count: 1 },
      { key: { scheduledDateMonth: '2026-01-01' }, count: 2 },
      { key: { scheduledDateMonth: null }, count: 1 },
    ]);
  });

  test('are sorted by count, key or sum, and limited only on request', async () => {
    const vendors: string[] = [];
    for (const company_name of ['One', 'Two', 'Three'])
      vendors.push(String((await post('/vendors', { company_name }))['id']));
    const invoices: [number, number][] = [
      [0, 10],
      [0, 20],
      [1, 100],
      [2, 1],
      [2, 2],
      [2, 3],
    ];
    for (const [n, [vendor, amount]] of invoices.entries())
      await post(`/vendors/${vendors[vendor]}/invoices`, { invoice_number: `I-${n}`, amount });
    const sorted = async (args: string) =>
      (await ask(`invoiceAggregates(groupBy: [VENDOR_ID] ${args}) { key { vendorId } count sum { amount } }`)).map(
        ({ key, count, sum }) => [vendors.indexOf(String(key['vendorId'])), count, sum['amount']],
      );
    const [one, two, three] = [
      [0, 2, 30],
      [1, 1, 100],
      [2, 3, 6],
    ];
    expect(await sorted('')).toEqual([three, one, two]);
    expect(await sorted('order: ASC')).toEqual([two, one, three]);
    expect(await sorted('sort: SUM_AMOUNT')).toEqual([two, one, three]);
    expect(await sorted('sort: SUM_AMOUNT, order: ASC, first: 2')).toEqual([three, one]);
    expect(await sorted('sort: VENDOR_ID, order: ASC')).toEqual([one, two, three]);
    // A sum can be sorted by without being selected.
    expect(
      await ask('invoiceAggregates(groupBy: [VENDOR_ID], sort: SUM_AMOUNT, first: 1) { key { vendorId } }'),
    ).toEqual([{ key: { vendorId: vendors[1] } }]);
    // An enum sorts by its own order, not alphabetically.
    for (const priority of ['high', 'low', 'urgent', 'normal'])
      await post('/service-requests', { title: 'Sorted', priority });
    expect(
      (
        await ask(
          'serviceRequestAggregates(search: "Sorted", groupBy: [PRIORITY], sort: PRIORITY, order: ASC) { key { priority } }',
        )
      ).map(({ key }) => key['priority']),
    ).toEqual(['LOW', 'NORMAL', 'HIGH', 'URGENT']);
  });

  test('show the rows of their keys that the caller may read', async () => {
    const query =
      '{ groups: invoiceAggregates(groupBy: [VENDOR_ID, STATUS], sort: SUM_AMOUNT) { key { vendor { companyName invoices(first: 1, sort: AMOUNT) { nodes { amount } } } purchaseOrder { id } } } }';
    service.statements.length = 0;
    const { data, errors } = await client.graphql(query);
    expect({ data, errors }).toEqual({
      data: {
        groups: [
          ['Two', 100],
          ['One', 20],
          ['Three', 3],
        ].map(([companyName, amount]) => ({
          key: { vendor: { companyName, invoices: { nodes: [{ amount }] } }, purchaseOrder: null },
        })),
      },
      errors: [],
    });
    // The statements of the groups and of their vendors.
    expect(service.statements).toHaveLength(2);
    const narrow = await (await tenant.client(['procurement:read'])).graphql<{ groups: Group[] }>(
      '{ groups: invoiceAggregates(groupBy: [VENDOR_ID]) { key { vendor { companyName } vendorId } } }',
    );
    expect(narrow.data.groups).toHaveLength(3);
    for (const { key } of narrow.data.groups) expect(key).toEqual({ vendor: null, vendorId: expect.any(String) });
    expect(new Set(narrow.errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['INSUFFICIENT_SCOPE']));
  });

  test('accept all the conditions of their list', async () => {
    const [low, enough] = [
      await post('/inventory', { name: 'Low', quantity: 1, reorder_point: 5 }),
      await post('/inventory', { name: 'Enough', quantity: 5, reorder_point: 5 }),
    ];
    const stock = (condition: string) =>
      ask(`inventoryItemAggregates(filter: {${condition} name: {in: ["Low", "Enough"]}}) { count }`);
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
      ask(`requisitionAggregates(filter: {lineItems: {some: {itemId: {eq: "${String(id)}"}}}}) { count }`);
    expect([await lines(low['id']), await lines(enough['id'])]).toEqual([[{ count: 1 }], [{ count: 0 }]]);
    await post('/time-clock/records', {
      clock_in_time: '2026-05-04T23:00:00Z',
      clock_out_time: '2026-05-05T07:00:00Z',
    });
    expect([
      await ask('timeClockRecordAggregates(filter: {clockInTime: {gte: "2026-05-04", lt: "2026-05-05"}}) { count }'),
      await ask('timeClockRecordAggregates(filter: {clockInTime: {gte: "2026-05-05"}}) { count }'),
    ]).toEqual([[{ count: 1 }], [{ count: 0 }]]);
    await post('/paints', { name: '100% \'white\' "_" \\' });
    for (const [search, count] of [
      ['%', 1],
      ["'WHITE'", 1],
      ['_', 1],
      ['\\\\', 1],
      ['100_', 0],
      ["'; --", 0],
    ] as const) {
      expect([search, await ask(`paintAggregates(search: "${search.replaceAll('"', '\\"')}") { count }`)]).toEqual([
        search,
        [{ count }],
      ]);
    }
  });

  test('exclude rows that the caller cannot access', async () => {
    const [, ben] = tenant.users;
    const { prisma } = service.database;
    const note = { companyId: tenant.company.id, userId: ben?.id ?? '', isShared: false };
    await prisma.note.createMany({
      data: [
        { ...note, title: 'Private' },
        { ...note, title: 'Shared', isShared: true },
      ],
    });
    await post('/notes', { title: 'Mine' });
    expect(
      await ask('noteAggregates(groupBy: [IS_SHARED, USER_ID], sort: IS_SHARED) { key { isShared userId } count }'),
    ).toEqual([
      { key: { isShared: true, userId: ben?.id }, count: 1 },
      { key: { isShared: false, userId: tenant.users[0]?.id }, count: 1 },
    ]);
  });

  test('include statuses that depend on the date', async () => {
    const lease = { companyId: tenant.company.id, status: 'ACTIVE' as const };
    await service.database.prisma.lease.createMany({
      data: [
        { ...lease, name: 'Over', endDate: new Date('2020-01-01') },
        { ...lease, name: 'Running', endDate: new Date('2999-01-01') },
      ],
    });
    await refresh(service, tenant);
    expect(await ask('leaseAggregates(groupBy: [STATUS], sort: STATUS, order: ASC) { key { status } count }')).toEqual([
      { key: { status: 'ACTIVE' }, count: 1 },
      { key: { status: 'EXPIRED' }, count: 1 },
    ]);
  });

  test('take one statement that computes only the selected fields', async () => {
    service.statements.length = 0;
    await ask(
      'serviceRequestAggregates(groupBy: [STATUS, CREATED_AT_MONTH]) { key { status } count ...on ServiceRequestAggregate { max { createdAt } } min @include(if: false) { createdAt } }',
    );
    const [statement = '', ...others] = service.statements;
    expect(others).toEqual([]);
    expect(statement).toContain('max("createdAt")');
    expect(statement).not.toContain('min(');
  });

  test('reject invalid arguments', async () => {
    for (const [args, named] of [
      ['first: 0', 'first'],
      ['first: 1001', 'first'],
      ['sort: STATUS', 'sort'],
      ['filter: {assignedTo: {eq: "x"}}', 'assignedTo'],
      ['search: "a\\u0000"', 'search'],
    ] as const) {
      const { data, errors } = await client.graphql(`{ serviceRequestAggregates(${args}) { count } }`);
      expect(data).toEqual({ serviceRequestAggregates: null });
      expect(errors).toMatchObject([{ message: expect.stringContaining(named), extensions: { code: 'BAD_REQUEST' } }]);
    }
  });

  test('are limited to a thousand; more groups require a limit', async () => {
    const { prisma } = service.database;
    const companyId = tenant.company.id;
    await prisma.building.createMany({
      data: Array.from({ length: 1001 }, (_, n) => ({ companyId, name: `Many ${n}` })),
    });
    const many = (args: string) =>
      client.graphql<{ buildingAggregates: Group[] }>(
        `{ buildingAggregates(groupBy: [NAME], search: "Many" ${args}) { count } }`,
      );
    expect((await many('')).errors).toMatchObject([
      { message: expect.stringMatching(/more than 1000 groups/), extensions: { code: 'BAD_REQUEST' } },
    ]);
    expect((await many('first: 999')).data.buildingAggregates).toHaveLength(999);
    await prisma.building.deleteMany({ where: { companyId, name: 'Many 7' } });
    expect((await many('')).data.buildingAggregates).toHaveLength(1000);
  });
});
