// The grammar of filters and orders, by examples; filter-walk.slow.test.ts compares it with an interpreter.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
let building: unknown;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
  building = (await client.post('/locations/buildings', { name: 'Headquarters', code: 'HQ' })).row['id'];
  const [, ben] = tenant.users;
  const requests = [
    { title: 'A lamp', priority: 'low', building_id: building, assigned_to: ben?.id, category: 'Light' },
    { title: 'Another LAMP', priority: 'urgent', building_id: building },
    { title: 'Door', priority: 'high', assigned_to: ben?.id, category: '50%_\\' },
    { title: 'Ramp', priority: 'normal' },
  ];
  for (const body of requests) await client.post('/service-requests', body);
  const { rows } = await client.get('/service-requests', { search: 'A lamp' });
  await client.post(`/service-requests/${String(rows[0]?.['id'])}/comments`, { comment: 'Which lamp?' });
});
afterAll(() => service.close());

type List = { nodes: { title: string; name: string }[]; totalCount: number };

async function titles(args: string): Promise<string[]> {
  const { data, errors } = await client.graphql<{ serviceRequests: List }>(
    `{ serviceRequests(${args}) { nodes { title } } }`,
  );
  expect({ args, errors }).toEqual({ args, errors: [] });
  return data.serviceRequests.nodes.map(({ title }) => title);
}

test.each<[filter: string, found: string[]]>([
  ['title: { eq: "Door" }', ['Door']],
  ['title: { contains: "lamp" }', ['A lamp', 'Another LAMP']],
  ['title: { startsWith: "a" }', ['A lamp', 'Another LAMP']],
  ['title: { contains: "amp", ne: "Ramp" }', ['A lamp', 'Another LAMP']],
  ['category: { contains: "%_\\\\" }', ['Door']],
  ['category: { contains: "_" }', ['Door']],
  ['priority: { gte: HIGH }', ['Another LAMP', 'Door']],
  ['priority: { lt: NORMAL }', ['A lamp']],
  ['priority: { in: [LOW, HIGH] }', ['A lamp', 'Door']],
  ['priority: { in: [] }', []],
  ['priority: { notIn: [] }', ['A lamp', 'Another LAMP', 'Door', 'Ramp']],
  ['assignedTo: { isNull: true }', ['Another LAMP', 'Ramp']],
  ['assignedTo: { isNull: false }', ['A lamp', 'Door']],
  // An unset category is not "Light".
  ['category: { ne: "Light" }', ['Another LAMP', 'Door', 'Ramp']],
  ['category: { notIn: ["Light"] }', ['Another LAMP', 'Door', 'Ramp']],
  ['not: { category: { startsWith: "li" } }', ['Another LAMP', 'Door', 'Ramp']],
  ['not: { or: [{ category: { eq: "Light" } }, { priority: { eq: HIGH } }] }', ['Another LAMP', 'Ramp']],
  ['building: { code: { eq: "HQ" } }', ['A lamp', 'Another LAMP']],
  ['not: { building: { code: { eq: "HQ" } } }', ['Door', 'Ramp']],
  ['building: { id: { isNull: false } }', ['A lamp', 'Another LAMP']],
  ['comments: { some: { comment: { contains: "which" } } }', ['A lamp']],
  ['comments: { none: {} }', ['Another LAMP', 'Door', 'Ramp']],
  ['comments: { every: { comment: { eq: "x" } } }', ['Another LAMP', 'Door', 'Ramp']],
  ['assignee: { assignedServiceRequests: { some: { title: { eq: "Door" } } } }', ['A lamp', 'Door']],
  ['or: []', []],
  ['and: []', ['A lamp', 'Another LAMP', 'Door', 'Ramp']],
  ['not: {}', ['A lamp', 'Another LAMP', 'Door', 'Ramp']],
  // An empty filter matches everything, so that the others of an `or` say nothing.
  ['or: [{}, { title: { eq: "Door" } }]', ['A lamp', 'Another LAMP', 'Door', 'Ramp']],
  ['or: [{ building: {} }], title: { eq: "Door" }', ['Door']],
  ['comments: { some: {} }', ['A lamp']],
  ['comments: { some: { author: { email: {} } } }', ['A lamp']],
  ['not: { comments: { some: { comment: {} } } }', ['Another LAMP', 'Door', 'Ramp']],
  ['comments: { every: { author: {} } }', ['A lamp', 'Another LAMP', 'Door', 'Ramp']],
  ['not: { comments: { every: {} } }', ['A lamp', 'Another LAMP', 'Door', 'Ramp']],
  [
    'or: [{ title: { eq: "Door" } }, { building: { name: { startsWith: "head" } }, priority: { eq: LOW } }]',
    ['A lamp', 'Door'],
  ],
  ['createdAt: { gte: "today", lt: "today+1" }', ['A lamp', 'Another LAMP', 'Door', 'Ramp']],
  ['createdAt: { lt: "startOfWeek" }', []],
  ['createdAt: { gt: "now" }', []],
  ['createdAt: { gte: "startOfMonth-1", lte: "now" }', ['A lamp', 'Another LAMP', 'Door', 'Ramp']],
])('filter: { %s }', async (filter, found) => {
  expect((await titles(`filter: { ${filter} }`)).sort()).toEqual(found);
});

test.each<[order: string, found: string[]]>([
  ['{ field: PRIORITY }', ['A lamp', 'Ramp', 'Door', 'Another LAMP']],
  ['{ field: PRIORITY, direction: DESC }', ['Another LAMP', 'Door', 'Ramp', 'A lamp']],
  // Unset values come last in both directions.
  ['{ building: { field: NAME } }, { field: TITLE, direction: DESC }', ['Another LAMP', 'A lamp', 'Ramp', 'Door']],
  ['{ building: { field: NAME, direction: DESC } }, { field: TITLE }', ['A lamp', 'Another LAMP', 'Door', 'Ramp']],
])('orderBy: [%s]', async (order, found) => {
  expect(await titles(`orderBy: [${order}]`)).toEqual(found);
});

test('the total of a list inside a row counts with its filter', async () => {
  const list = (filter: string) => `serviceRequests(filter: { ${filter} }) { totalCount nodes { title } }`;
  const { data, errors } = await client.graphql<{ buildings: { nodes: Record<string, List>[] } }>(`{
    buildings { nodes {
      a: ${list('not: { assignee: { fullName: { startsWith: "ben" } } }')}
      b: ${list('comments: { every: { author: { role: { ne: ADMIN } } } }, priority: { gte: NORMAL }')}
    } }
  }`);
  expect(errors).toEqual([]);
  const found = { totalCount: 1, nodes: [{ title: 'Another LAMP' }] };
  expect(data.buildings.nodes).toEqual([{ a: found, b: found }]);
});

test('lists inside a written row are filtered and sorted too', async () => {
  const list = `serviceRequests(
    filter: { not: { assignee: { fullName: { startsWith: "x" } } }, priority: { gt: LOW }, title: { ne: "x" } }
    orderBy: [{ assignee: { field: FULL_NAME, direction: DESC } }, { field: PRIORITY }, { field: COMPLETED_AT }]
  ) { totalCount nodes { title } }`;
  const { data, errors } = await client.graphql<Record<string, Record<string, List>>>(
    `mutation { updateBuilding(id: "${String(building)}", input: { floors: 3 }) { ${list} } }`,
  );
  expect({ data, errors }).toEqual({
    data: { updateBuilding: { serviceRequests: { totalCount: 1, nodes: [{ title: 'Another LAMP' }] } } },
    errors: [],
  });
});

test.each<[args: string, message: string]>([
  ['filter: { title: { eq: null } }', 'title.eq: must not be null'],
  ['filter: { title: null }', 'title: must not be null'],
  ['filter: { not: null }', 'not: must not be null'],
  ['filter: { comments: { some: null } }', 'comments.some: must not be null'],
  ['filter: { building: { id: { in: ["x"] } } }', 'building.id.in: must be a uuid'],
  ['filter: { or: [{ title: { eq: "a\\u0000" } }] }', 'or.0.title.eq: must not contain NUL'],
  ['orderBy: [{ direction: ASC }]', 'orderBy.0: must have field or one relation'],
  ['orderBy: [{ field: TITLE, building: { field: NAME } }]', 'orderBy.0: must have field or one relation'],
  ['orderBy: [{ field: TITLE }], sort: TITLE', 'orderBy: cannot be combined with sort and order'],
  [`orderBy: [${'{ field: TITLE }'.repeat(6)}]`, 'orderBy: must have at most 5 keys'],
  ['last: 101', 'last: must be between 1 and 100'],
  ['last: 5, offset: 1', 'offset: cannot be combined with last'],
  ['before: "x"', 'before: is not a cursor of this list with this sort and order'],
])('%s is refused', async (args, message) => {
  const { data, errors } = await client.graphql(`{ serviceRequests(${args}) { totalCount } }`);
  expect(data).toEqual({ serviceRequests: null });
  expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_REQUEST' } }]);
});

describe('a filter is limited', () => {
  const refuse = async (filter: Row, message: string) => {
    const query = 'query ($filter: ServiceRequestFilter) { serviceRequests(filter: $filter) { nodes { id } } }';
    const { errors } = await client.graphql(query, { filter });
    expect(errors).toMatchObject([{ message: expect.stringContaining(message), extensions: { code: 'BAD_REQUEST' } }]);
    const reply = await client.get('/service-requests', { filter: JSON.stringify(filter) });
    expect([reply.status, reply.error.message]).toEqual([400, expect.stringContaining(message)]);
  };
  const title = { title: { eq: 'x' } };

  test('in depth', async () => {
    const nested = (levels: number): Row => (levels === 0 ? title : { not: nested(levels - 1) });
    await refuse(nested(9), 'filter: is nested more than 8 levels');
    expect(await titles(`filter: ${'{ not: '.repeat(8)}{ title: { eq: "Door" } }${' }'.repeat(8)}`)).toEqual(['Door']);
  });

  test('in conditions', () =>
    refuse(
      { or: Array(101).fill(title) as Row[] },
      'or.100.title.eq: is one of more than 100 conditions; use the operator in',
    ));

  test('in conditions on related rows', () =>
    refuse(
      { or: Array(9).fill({ building: {} }) as Row[] },
      'or.8.building: is one of more than 8 conditions on related',
    ));

  test('in lists within other relations, of which it can have one', async () => {
    const none = { createdServiceRequests: { none: title } };
    const query =
      'query ($filter: ServiceRequestFilter) { serviceRequests(first: 1, filter: $filter) { nodes { id } } }';
    expect((await client.graphql(query, { filter: { creator: none, timeLogs: { none: {} } } })).errors).toEqual([]);
    // GraphQL refuses their cost.
    const twice = { creator: { created_service_requests: { none: { building: { service_requests: { some: {} } } } } } };
    const reply = await client.get('/service-requests', { filter: JSON.stringify(twice) });
    expect([reply.status, reply.error.message]).toEqual([
      400,
      'filter.creator.created_service_requests.none.building.service_requests.some: is the second condition on a ' +
        'list within another relation; use conditions on the related rows themselves',
    ]);
  });

  test('in the cost of a list within another relation', async () => {
    const nested =
      '(first: 1, filter: { building: { serviceRequests: { none: { title: { eq: "x" } } } } }) { nodes { id } }';
    const query = (...names: string[]) =>
      client.graphql(`{ ${names.map((name) => `${name}: serviceRequests${nested}`).join(' ')} }`);
    expect((await query('a')).errors).toEqual([]);
    expect((await query('a', 'b', 'c')).errors).toMatchObject([
      {
        message: expect.stringMatching(
          /3 × condition on a list within another relation.*Filter the related rows by their own/,
        ),
      },
    ]);
  });

  test('in cost, and the error says how to make it cheaper', async () => {
    const related =
      '(first: 1, filter: { or: [{ building: {} }, { building: {} }, { building: {} }] }) { nodes { id } }';
    const { errors } = await client.graphql(
      `{ ${['a', 'b', 'c', 'd', 'e'].map((name) => `${name}: serviceRequests${related}`).join(' ')} }`,
    );
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/15 × condition on related rows\. Put conditions on the same rows into one/) },
    ]);
  });
});

test('private notes of others influence no filter', async () => {
  const { prisma } = service.database;
  const companyId = tenant.company.id;
  const [, ben] = tenant.users;
  const category = await prisma.noteCategory.create({ data: { companyId, name: 'Ideas' } });
  await prisma.note.create({ data: { companyId, userId: ben?.id ?? '', title: 'Secret', categoryId: category.id } });
  const find = async (filter: string) =>
    (
      await client.graphql<{ noteCategories: List }>(
        `{ noteCategories(filter: { notes: { ${filter} } }) { nodes { name } } }`,
      )
    ).data.noteCategories.nodes;
  expect(await find('some: { title: { startsWith: "S" } }')).toEqual([]);
  expect(await find('none: {}')).toEqual([{ name: 'Ideas' }]);
  expect(await find('every: { title: { eq: "x" } }')).toEqual([{ name: 'Ideas' }]);
});

test('a text is at most as long as a request line of REST', async () => {
  const query =
    'query ($f: ServiceRequestFilter, $s: String) { serviceRequests(filter: $f, search: $s) { totalCount } }';
  const text = 'x'.repeat(65_537);
  const { errors } = await client.graphql(query, { f: { title: { contains: text } } });
  expect(errors).toMatchObject([{ message: 'title.contains: must be at most 65536 characters' }]);
  const { errors: ofSearch } = await client.graphql(query, { s: text });
  expect(ofSearch).toMatchObject([{ message: 'search: must be at most 65536 characters' }]);
});

test('a long text is compared whole, as a short one is', async () => {
  const tenant = await service.tenant();
  const own = await tenant.client();
  const { id: companyId } = tenant.company;
  const text = `${'É%_\\\u{1F4A1}'.repeat(60)} is a long text`;
  const [createdBy = ''] = tenant.users.map(({ id }) => id);
  const descriptions = {
    same: text,
    around: `<${text}>`,
    other: text.replace(/text$/, 'test'),
    short: 'É%_',
    unset: null,
  };
  await service.database.prisma.serviceRequest.createMany({
    data: Object.entries(descriptions).map(([title, description]) => ({ companyId, createdBy, title, description })),
  });
  const find = async (filter: object, search?: string) => {
    const { data } = await own.graphql<{ serviceRequests: { nodes: { title: string }[] } }>(
      'query ($f: ServiceRequestFilter, $s: String) { serviceRequests(filter: $f, search: $s) { nodes { title } } }',
      { f: filter, s: search },
    );
    return data.serviceRequests.nodes.map(({ title }) => title).sort();
  };
  const lower = text.toLowerCase();
  expect(await find({ description: { contains: lower } })).toEqual(['around', 'same']);
  expect(await find({ description: { startsWith: lower } })).toEqual(['same']);
  expect(await find({ not: { description: { contains: lower } } })).toEqual(['other', 'short', 'unset']);
  expect(await find({}, lower)).toEqual(['around', 'same']);
});
