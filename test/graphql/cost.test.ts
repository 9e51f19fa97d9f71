import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getIntrospectionQuery } from 'graphql';
import type { Client, FieldError, Reply, Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = (await (await service.tenant()).client()).at('');
});
afterAll(() => service.close());

const limit = 200_000;
const send = (query: string, variables: Row = {}) => client.post('/graphql', { query, variables });
const costOf = (reply: Reply) => (reply.json['extensions'] as { cost: Row }).cost;

// Counted by hand: a field is 1, and the fields in a list count once per possible row.
test.each<[counted: number, query: string, variables: Row]>([
  [1, '{ __typename }', {}],
  // What the database has to do for it counts too, once, whatever the number of rows.
  [1 + 25 + 5000, '{ paints { totalCount } }', {}],
  [1 + 25 * 2 + 20_000, '{ paints(search: "blue") { nodes { id } } }', {}],
  [1 + 25 + 5000 + 20_000, 'query ($text: String) { paints(search: $text) { totalCount } }', { text: 'blue' }],
  [1 + 25 * 2 + 60_000, '{ paints(search: " bl ") { nodes { id } } }', {}],
  [1 + 25 * 2 + 60_000, '{ paints(search: "%_%_% #1") { nodes { id } } }', {}],
  [1 + 25 * 2, '{ paints(search: " ") { nodes { id } } }', {}],
  [1 + 25 * 2 + 10_000, '{ paints(sort: NAME) { nodes { id } } }', {}],
  [1 + 25 * 2, '{ paints(sort: CREATED_AT, order: ASC) { nodes { id } } }', {}],
  // The rows that are skipped: 1 for 40.
  [1 + 2500 + 25 * 2, '{ paints(offset: 100039) { nodes { id } } }', {}],
  [1 + 25_000 + 25 * 2, '{ paints(offset: 2000000000) { nodes { id } } }', {}],
  // Sub-resources are indexed by the time within their parent, so that those of all parents have to be sorted.
  [1 + 25 * 2 + 10_000, '{ paintLocations { nodes { id } } }', {}],
  [1 + 25 * 2, '{ paintLocations(orderBy: [{ field: ID }]) { nodes { id } } }', {}],
  [1 + 1 + 1 + 15_000, '{ paintLocations { aggregates { count } } }', {}],
  [1 + 2 * (1 + 1 + 20 * 2), '{ paints(first: 2) { nodes { locations { nodes { id } } } } }', {}],
  [
    1 + 3 * (1 + 1 + 20 * 2) + 20_000,
    '{ users(first: 3) { nodes { requisitions(search: "blue") { nodes { id } } } } }',
    {},
  ],
  [1 + 50 * (1 + 2), '{ serviceRequests { nodes { id title } } }', {}],
  [1 + 3 * (1 + 2), '{ serviceRequests(first: 3) { nodes { id title } } }', {}],
  [1 + 7 * (1 + 2), 'query ($n: Int) { serviceRequests(first: $n) { nodes { id title } } }', { n: 7 }],
  [1 + 8 * (1 + 2), 'query ($n: Int = 8) { serviceRequests(first: $n) { nodes { id title } } }', {}],
  // Pages of the feed, of snapshots and of notifications are counted as those of lists; the log has a cost of its own.
  [1 + 1000 * (1 + 1 + 2) + 1000, '{ changes(first: 1000) { next changes { rowId version } } }', {}],
  [1 + 100 * (1 + 2) + 1000, '{ changes { changes { rowId version } } }', {}],
  [1 + 100 * (1 + 1) + 1000, '{ snapshot { rows { version } } }', {}],
  // A text of up to 20,000 characters counts as 10.
  [1 + 2 * (1 + 1 + 20 * (1 + 10)), '{ serviceRequests(first: 2) { nodes { comments { nodes { comment } } } } }', {}],
  [1 + 2 * (1 + 2), '{ paints(first: 2) { ...F } } fragment F on PaintConnection { nodes { id name } }', {}],
  [1 + 2 * (1 + 1), '{ paints(first: 2) { nodes { id name @skip(if: true) } } }', {}],
  // Groups are those of the list, not of each row on the page.
  [1 + 1 + 1000 * 3 + 15_000, '{ paints { aggregates { key { brand } count } } }', {}],
  [1 + 1 + 10 * 3 + 15_000, '{ paints { aggregates(first: 10) { key { brand } count } } }', {}],
  [
    1 + 25 * 2 + (1 + 10 * 3) + 15_000,
    '{ paints { nodes { id } ...F } } fragment F on PaintConnection { aggregates(first: 10) { key { brand } count } }',
    {},
  ],
  // Without a key there is one group.
  // What a key can have bounds the groups: three statuses, and four priorities with each of them.
  [1 + 1 + 3 * 3 + 15_000, '{ serviceRequests { aggregates { key { status } count } } }', {}],
  [1 + 1 + 12 * 4 + 15_000, '{ serviceRequests { aggregates { key { status priority } count } } }', {}],
  [1 + 1 + 2 * 3 + 15_000, '{ notes { aggregates { key { isPinned } count } } }', {}],
  [1 + 1 + 2 * 3 + 15_000, '{ serviceRequests { aggregates(first: 2) { key { status } count } } }', {}],
  // Unset is a group too, also where there is no related row.
  [1 + 1 + 8 * 4 + 15_000, '{ leases { aggregates { key { endDate { weekday } } count } } }', {}],
  [
    1 + 5 * (1 + 1 + (1 + 1 + 3 * 3)) + 15_000,
    '{ buildings(first: 5) { nodes { name serviceRequests { aggregates { key { status } count } } } } }',
    {},
  ],
  [1 + 1 + 2 + 15_000, '{ paints { aggregates { gallonsAvailable { sum } } } }', {}],
  [
    1 + 2 * (1 + 1 + (1 + 1 + 2 * 2)) + 15_000,
    '{ paints(first: 2) { nodes { locations { aggregates(first: 2) { key { floor } } } id } } }',
    {},
  ],
  // The periods of statuses are read once for all of them.
  [
    1 + 1 + 6 + 115_000,
    '{ assets { aggregates { hoursInStatus(of: ACTIVE) { sum } out: hoursBetween(from: ACTIVE, to: RETIRED) { sum } ...F } } } fragment F on AssetAggregate { hoursBetween(from: ACTIVE, to: DISPOSED) { avg } }',
    {},
  ],
  [1 + 100 + 1000, '{ changes { next } }', {}],
  [1 + 100 + 1000, '{ snapshot { next } }', {}],
  [1 + 1 + 1 + 35_000, '{ paints(search: "blue") { aggregates { count } } }', {}],
  // Each aggregation is a statement with the conditions of the list, and so are its page and total.
  [
    1 + 2 * 2 + 25 * 2 + 2 * 15_000 + 3 * 20_000,
    '{ paints(search: "blue") { nodes { id } a: aggregates { count } b: aggregates { count } } }',
    {},
  ],
  [1 + 1 + 1 + 35_000, '{ paints { aggregates { countDistinct(of: BRAND) } } }', {}],
  [1 + 1 + 10 * 4 + 35_000, '{ paints { aggregates(first: 10) { key { createdAt { month hour } } } } }', {}],
  [1 + 1 + 10 * 3 + 15_000, '{ leases { aggregates(first: 10) { key { endDate { month } } } } }', {}],
  [1 + 1 + 2 + 55_000, '{ paints { aggregates { gallonsAvailable { percentile(p: 0.5) } } } }', {}],
  [1 + 1 + 10 * 3 + 25_000, '{ areas { aggregates(first: 10) { key { building { code } } } } }', {}],
  [1 + 1 + 2 + 25_000, '{ stockAdjustments { aggregates { value { sum } } } }', {}],
  // A list without `first`, such as line items, counts as 100 rows, the maximum page size.
  [1 + 2 * (1 + 1 + 100 * 2), '{ purchaseOrders(first: 2) { nodes { lineItems { quantity unitPrice } } } }', {}],
  [1 + 100, 'mutation { createInventoryItems(input: {items: [{name: "Bulb"}]}) { id } }', {}],
  [
    1 + 3 * (1 + 1 + (1 + 1 + 2 * (1 + 1))),
    '{ users(first: 3) { edges { cursor node { requisitions(first: 2) { nodes { id } } } } } }',
    {},
  ],
  [2, 'mutation { createPaint(input: {name: "Blue"}) { id } }', {}],
])('a cost of %d: %s', async (counted, query, variables) => {
  const reply = await send(query, variables);
  expect(reply.json['errors']).toBeUndefined();
  expect(costOf(reply)).toEqual({ counted, limit });
});

test('a condition on a list within another relation is refused in a list inside rows, not at the root', async () => {
  const list =
    'serviceRequests(first: 1, filter: { creator: { createdServiceRequests: { some: { title: { eq: "x" } } } } }) { nodes { id } }';
  const refused = await send(`{ buildings(first: 1) { nodes { ${list} } } }`);
  expect(refused.json['errors']).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
  expect(costOf(await send(`{ ${list} }`))).toEqual({ counted: 1 + 2 + 20_000 + 100_000 + 1000, limit });
});

test('what is computed of a list counts as reading it for each row, and conditions of measures as those of filters', async () => {
  const measured = '{ invoices: { measure: { amount: { sum: { gt: 1 } } } } }';
  const ofFilter = await send(`{ vendors(first: 1, filter: ${measured}) { nodes { id } } }`);
  expect(costOf(ofFilter)).toEqual({ counted: 1 + 2 + 20_000 + 100_000 + 1000, limit });
  const ofMeasure = await send(`{ vendors { aggregates { count(where: ${measured}) } } }`);
  expect(costOf(ofMeasure)).toEqual({ counted: 1 + 1 + 1 + 15_000 + 20_000 + 100_000 + 1000, limit });
  const both = await send(`{ vendors(filter: ${measured}) { nodes { id } aggregates { count } } }`);
  expect(both.text).toContain('Compare with some, none or every');
});

test('alternatives with a condition on a list of related rows are refused in a list inside rows, not at the root', async () => {
  const list =
    'serviceRequests(first: 1, filter: { or: [{ comments: { some: {} } }, { title: { eq: "x" } }] }) { nodes { id } }';
  const refused = await send(`{ buildings(first: 1) { nodes { ${list} } } }`);
  expect(refused.json['errors']).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
  expect(refused.text).toContain('Select a list for each alternative');
  expect(costOf(await send(`{ ${list} }`))).toEqual({ counted: 1 + 2 + 20_000 + 1000, limit });
});

test('the cost is reported beside errors', async () => {
  const reply = await send('{ paint(id: "x") { id } }');
  expect(reply.json).toMatchObject({
    data: { paint: null },
    errors: [{ extensions: { code: 'BAD_REQUEST' } }],
    extensions: { cost: { counted: 2, limit } },
  });
});

const nested = 1 + 100 * (1 + 1 + 100 * (1 + 1 + 100 * 2));
const lines = (inside: number) => 1 + 100 * (1 + 1 + 100 * inside);
test.each<[what: string, counted: number, query: string, variables: Row]>([
  [
    'in literals',
    nested,
    '{ users(first: 100) { nodes { assignedServiceRequests(first: 100) { nodes { comments(first: 100) { nodes { id } } } } } } }',
    {},
  ],
  [
    'in variables',
    nested,
    'query ($n: Int) { users(first: $n) { nodes { assignedServiceRequests(first: $n) { nodes { comments(first: $n) { nodes { id } } } } } } }',
    { n: 100 },
  ],
  [
    'in defaults',
    nested,
    'query ($n: Int = 100) { users(first: $n) { nodes { assignedServiceRequests(first: $n) { nodes { comments(first: $n) { nodes { id } } } } } } }',
    {},
  ],
  [
    'in lines',
    lines(1 + lines(1)),
    '{ requisitions(first: 100) { nodes { lineItems { item { requisitions(first: 100) { nodes { lineItems { quantity } } } } } } } }',
    {},
  ],
  [
    'in fragments',
    nested,
    '{ users(first: 100) { ...U } } fragment U on UserConnection { nodes { assignedServiceRequests(first: 100) { nodes { ...R } } } } fragment R on ServiceRequest { comments(first: 100) { nodes { id } } }',
    {},
  ],
])('nested pages are rejected before any read, %s', async (_, counted, query, variables) => {
  service.statements.length = 0;
  const reply = await send(query, variables);
  expect(reply.json).toEqual({
    errors: [{ message: expect.stringContaining(String(counted)), extensions: { code: 'BAD_REQUEST', status: 400 } }],
    extensions: { cost: { counted, limit } },
  });
  expect(service.statements).toEqual([]);
});

test.each<[what: string, field: string, price: number, advice: string]>([
  [
    'searches',
    'paints(first: 1, search: "blue") { nodes { id } }',
    20_000,
    'Send some of the searches in another request',
  ],
  ['short searches', 'paints(first: 1, search: "bl") { nodes { id } }', 60_000, 'Search for longer texts'],
  ['aggregates', 'paints { aggregates { count } }', 15_000, 'Send some of the aggregates in another request'],
  ['sorted lists', 'paints(first: 1, sort: NAME) { nodes { id } }', 10_000, 'Sort by createdAt'],
  ['totals of searches', 'paints(first: 1, search: "blue") { totalCount }', 20_000, 'use filter instead'],
])('thirty %s are rejected before any read', async (_, field, price, advice) => {
  service.statements.length = 0;
  const reply = await send(`{ ${Array.from({ length: 30 }, (_, n) => `a${n}: ${field}`).join(' ')} }`);
  expect(reply.json['data']).toBeUndefined();
  expect(reply.json['errors']).toEqual([
    { message: expect.stringContaining(`${30 * price} for 30`), extensions: { code: 'BAD_REQUEST', status: 400 } },
  ]);
  expect((reply.json['errors'] as FieldError[])[0]?.message).toContain(advice);
  expect(service.statements).toEqual([]);
});

test('a refusal of groups in rows says what to change', async () => {
  const grouped = (key: string) =>
    `{ buildings(first: 100) { nodes { serviceRequests { aggregates { key { ${key} } count } } } } }`;
  const reply = await send(grouped('category'));
  expect((reply.json['errors'] as FieldError[])[0]?.message).toContain(
    'Group the aggregates of each row by enums or booleans, filter them to a range of the dates that they are grouped by',
  );
  expect((await send(grouped('status'))).json['errors']).toBeUndefined();
});

test('a query whose cost cannot be computed is rejected', async () => {
  const bomb = Array.from(
    { length: 14 },
    (_, n) => `fragment B${n} on Paint { ...B${n + 1} ...C${n} } fragment C${n} on Paint { ...B${n + 1} }`,
  );
  const reply = await send(`{ paints { nodes { ...B0 } } } ${bomb.join(' ')} fragment B14 on Paint { id }`);
  expect(reply.json['data']).toBeUndefined();
  expect(reply.json['errors']).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }]);
});

test('an invalid variable is reported as such', async () => {
  const reply = await send('mutation ($input: CreatePaintInput!) { createPaint(input: $input) { id } }');
  expect(reply.json['errors']).toMatchObject([
    { message: expect.stringContaining('input'), extensions: { code: 'BAD_REQUEST' } },
  ]);
});

describe('query limits', () => {
  /** Requests of users of requests and so on, to a number of levels of fields. */
  const nested = (levels: number) => {
    const inside = (left: number): string =>
      left <= 1
        ? 'id'
        : `id serviceRequest: assignedServiceRequests(first: 1) { nodes { id ${left <= 4 ? '' : `assignee { ${inside(left - 3)} }`} } }`;
    return `{ users(first: 1) { nodes { ${inside(levels - 2)} } } }`;
  };

  const names = (count: number) => Array.from({ length: count }, (_, n) => `a${n}: paints { totalCount }`).join(' ');

  test.each<[string, string]>([
    [
      'a deep query',
      '{ serviceRequests { nodes { comments { nodes { author { assignedServiceRequests { nodes { building { name } } } } } } } } }',
    ],
    [
      'a broad query',
      `{ serviceRequests(first: 100) { totalCount nodes { id title description status priority category floor room createdAt updatedAt completedAt
      assignee { id fullName email role } creator { id fullName } building { id name code }
      comments(first: 20) { totalCount nodes { id comment createdAt author { id fullName } } } watchers(first: 20) { nodes { id fullName } }
      timeLogs(first: 20) { nodes { hours description author { fullName } } } activity(first: 20) { nodes { action fromValue toValue createdAt } } } } }`,
    ],
    ['thirty names for one field', `{ ${names(30)} }`],
    ['introspection', getIntrospectionQuery()],
    [
      'introspection with all options',
      getIntrospectionQuery({
        inputValueDeprecation: true,
        schemaDescription: true,
        specifiedByUrl: true,
        directiveIsRepeatable: true,
      }),
    ],
    ['a deeply nested one', nested(12)],
  ])('%s is accepted', async (_, query) => {
    const { status, errors } = await client.graphql(query);
    expect({ status, errors }).toEqual({ status: 200, errors: [] });
  });

  const fragments =
    'fragment A on ServiceRequest { comments { nodes { author { assignedServiceRequests { nodes { ...B } } } } } } fragment B on ServiceRequest { comments { nodes { author { assignedServiceRequests { nodes { ...C } } } } } } fragment C on ServiceRequest { comments { nodes { author { assignedServiceRequests { nodes { id } } } } } }';
  test.each<[string, string]>([
    ['30 levels', nested(30)],
    ['levels in fragments', `{ serviceRequests { nodes { ...A } } } ${fragments}`],
    ...[300, 1000].map((count): [string, string] => [`${count} names for one field`, `{ ${names(count)} }`]),
    ['a fragment of itself', '{ serviceRequests { nodes { ...A } } } fragment A on ServiceRequest { id ...A }'],
    ['1000 directives', `{ paints { totalCount ${'@include(if: true) '.repeat(1000)} } }`],
    ['too many tokens', `{ paints { nodes { ${'id '.repeat(20_000)} } } }`],
    ['brackets without end', '{ a '.repeat(50_000)],
  ])('%s are rejected', async (_, query) => {
    service.statements.length = 0;
    const { data, errors } = await client.graphql(query);
    expect(data).toBeUndefined();
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['BAD_REQUEST']));
    expect(service.statements).toEqual([]);
  });
});

const invalidLists = ['1', '"x"', '["x"]'].map((fault) => `[${Array(40_000).fill(fault).join()}]`);
const list = 'query ($days: [RelativeDate!]) { moveRequests(filter: { scheduledDate: { in: $days } }) { totalCount } }';
const input = 'mutation ($input: CreatePaintInput!) { createPaint(input: $input) { id } }';
const inline = `{ moveRequests(filter: { scheduledDate: { in: [${'1 '.repeat(900)}] } }) { totalCount } }`;
const unknown = Array.from({ length: 200 }, (_, n) => `field${n}${'x'.repeat(200)}`);
test.each<[what: string, body: string]>([
  ...invalidLists.map((days): [string, string] => [
    'a list of 40,000 wrong values',
    `{"query":"${list}","variables":{"days":${days}}}`,
  ]),
  ['many wrong values within the query', JSON.stringify({ query: inline })],
  ['many unknown fields', JSON.stringify({ query: `{ ${unknown.join(' ')} }` })],
  ['a long unknown field', JSON.stringify({ query: `{ ${'x'.repeat(49_000)} }` })],
  ['a long value', JSON.stringify({ query: `{ paints(first: "${'x'.repeat(49_000)}") { totalCount } }` })],
  ['a long query', JSON.stringify({ query: `{ paints(first: "${'x'.repeat(50_000)}") { totalCount } }` })],
  [
    'many names that take much room in JSON',
    JSON.stringify({
      query: input,
      variables: { input: Object.fromEntries(Array.from({ length: 100 }, (_, n) => ['\u0001'.repeat(200) + n, 1])) },
    }),
  ],
])('wrong input has at most 50 errors, in 64 KB: %s', async (_, body) => {
  const reply = await client.post('/graphql', body);
  const errors = reply.json['errors'] as FieldError[];
  expect(Buffer.byteLength(reply.text)).toBeLessThan(64 * 1024);
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.length).toBeLessThanOrEqual(50);
  for (const { extensions } of errors) expect(extensions.code).toMatch(/BAD_REQUEST|VALIDATION_ERROR/);
});
