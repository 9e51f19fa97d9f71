import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { askGroups, create, type Groups } from '../support/groups.ts';
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

const ask = (list: string, selection: string, args?: string) => askGroups(client, list, selection, args);
const post = (path: string, body: Row) => create(client, path, body);

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

  test('have any alias that the query gives them', async () => {
    await post('/paints', { name: 'Odd', brand: 'Named' });
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    for (const name of names) {
      const [group] = await ask('paints(search: "Odd")', `{ ${name}: key { ${name}: brand } count }`);
      expect(Object.entries(group?.[name] as Row)).toEqual([[name, 'Named']]);
      const [other] = await ask('paints(search: "Odd")', `{ ${name}: count key { brand ${name}: id } }`);
      expect([other?.['key'], other && Object.entries(other)]).toMatchObject([
        { brand: 'Named' },
        expect.arrayContaining([[name, 1]]),
      ]);
      const query = `{ ${name}: paints(search: "Odd") { ${name}: nodes { ${name}: brand } } }`;
      const list = JSON.stringify((await client.graphql(query)).data);
      expect(list).toBe(`{"${name}":{"${name}":[{"${name}":"Named"}]}}`);
    }
    // Names that all objects would inherit are those of every client.
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(names.map((name) => ({})[name as never]).filter((value) => typeof value === 'string')).toEqual([]);
  });

  test('without rows are added on request', async () => {
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
    // A range without days adds nothing.
    expect(
      await ask('shipments', '{ key { carrier createdAt { day } } }', 'fill: { from: "today", to: "today" }'),
    ).toHaveLength(2);
    // Nor may the other keys multiply the days without end, whatever their limit.
    const { id: companyId } = tenant.company;
    await prisma.document.createMany({
      data: Array.from({ length: 101 }, (_, n) => ({ companyId, title: 'Many', category: `${n}` })),
    });
    const { errors } = await client.graphql(
      '{ documents { aggregates(first: 1, fill: { from: "today-990", to: "today+10" }) { key { category createdAt { day } } } } }',
    );
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^fill: results in more than 100000 groups/),
    ]);
  });

  test('match all conditions of their list', async () => {
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
    // By a part of a time, PostgreSQL gets the columns apart from the groups.
    expect(statement).toContain('t0."created_at" AS v0');
    expect(statement).toContain('max(v0)');
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
