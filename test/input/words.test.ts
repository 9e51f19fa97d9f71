import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fieldName } from '../../src/rest/names.ts';
import type { Client, Reply, Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await (await service.tenant()).client();
});
afterAll(() => service.close());

/**
 * The errors of both APIs for the input of one mutation, by REST's names. In GraphQL, the errors are the same for an
 * input in a variable and for one in the query.
 *
 * @param parent its argument for the parent
 */
async function explainBoth(path: string, mutation: string, rest: unknown, graphql: unknown = rest, parent = '') {
  const type = `${mutation.replace(/^./, (letter) => letter.toUpperCase())}Input!`;
  const call = (input: string) => `${mutation}(${parent} input: ${input}) { id }`;
  const [reply, ...results] = await Promise.all([
    client.post(path, rest),
    client.graphql(`mutation ($input: ${type}) { ${call('$input')} }`, { input: graphql }),
    client.graphql(`mutation { ${call(literal(graphql))} }`),
  ]);
  expect([reply.status, reply.error.code]).toEqual([422, 'VALIDATION_ERROR']);
  const [ofVariable, ofLiteral] = results.map(({ errors }) => {
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['VALIDATION_ERROR']);
    const details = Object.entries(errors[0]?.extensions.details ?? {});
    return Object.fromEntries(details.map(([name, text]) => [fieldName(name), text]));
  });
  expect(ofLiteral).toEqual(ofVariable);
  return { rest: reply.details, graphql: ofVariable };
}

/** A value as a query contains it: JSON whose names have no quotes. No string here looks like a name. */
const literal = (value: unknown): string => JSON.stringify(value).replace(/"(\w+)":/g, '$1:');

/** The same input with GraphQL's names. */
const inGraphql = (input: unknown): unknown => {
  if (Array.isArray(input)) return input.map(inGraphql);
  if (typeof input !== 'object' || input === null) return input;
  const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [camelCase(name), inGraphql(value)]));
};

type Case = [what: string, path: string, mutation: string, input: Row, details: Record<string, string>];
const requests = ['/service-requests', 'createServiceRequest'] as const;
const requisitions = ['/procurement/requisitions', 'createRequisition'] as const;
const moves = ['/move-requests', 'createMoveRequest'] as const;
const times = ['/time-clock/records', 'createTimeClockRecord'] as const;
const items = ['/inventory', 'createInventoryItem'] as const;
const programs = ['/training', 'createTrainingProgram'] as const;
const acknowledgments = ['/hr/acknowledgments', 'createHrAcknowledgment'] as const;
const scans = ['/mailroom/scan-events', 'createScanEvent'] as const;

test.each<Case>([
  ['a missing field', ...requests, {}, { title: 'is required' }],
  ['null', ...requests, { title: null }, { title: 'must not be null' }],
  ['no text', ...requests, { title: 7 }, { title: 'must be a string' }],
  ['an unknown field', ...requests, { title: 'x', flor: '1' }, { flor: 'is not a field here; did you mean floor?' }],
  [
    'a name that objects have',
    ...requests,
    { title: 'x', constructor: 1 },
    { constructor: expect.any(String) as never },
  ],
  ['a read-only field', ...requests, { title: 'x', created_at: '2027-01-01' }, { created_at: 'is read-only here' }],
  ['no object', ...requests, { title: 'x', location: 7 }, { location: 'must be an object' }],
  ['a nested field', ...requests, { title: 'x', location: { floor: 7 } }, { 'location.floor': 'must be a string' }],
  ['no id', ...requests, { title: 'x', assigned_to: 'x' }, { assigned_to: 'must be a uuid' }],
  ['no id at all', ...requests, { title: 'x', assigned_to: {} }, { assigned_to: 'must be a uuid' }],
  [
    'no date',
    ...moves,
    { title: 'x', scheduled_date: '2026-02-30' },
    { scheduled_date: 'must be a calendar date such as 2026-01-31 that exists' },
  ],
  [
    'no time',
    ...times,
    { clock_in_time: 'x' },
    { clock_in_time: 'must be an ISO 8601 date-time such as 2026-01-31T09:30:00Z' },
  ],
  [
    'no whole number',
    ...items,
    { name: 'x', quantity: 1.5 },
    { quantity: 'must be a whole number of at most 2147483647' },
  ],
  ['no number', ...items, { name: 'x', unit_cost: '1' }, { unit_cost: 'must be a number' }],
  ['a number below zero', ...items, { name: 'x', unit_cost: -1 }, { unit_cost: 'must not be negative' }],
  ['neither true nor false', ...programs, { title: 'x', is_mandatory: 1 }, { is_mandatory: 'must be true or false' }],
  ['no row in a list', ...requisitions, { title: 'x', line_items: [7] }, { 'line_items.0': 'must be an object' }],
  [
    'a field of a row in a list',
    ...requisitions,
    { title: 'x', line_items: [{}, { quantity: 'x' }] },
    { 'line_items.1.quantity': 'must be a number' },
  ],
  [
    'too long a list',
    ...requisitions,
    { title: 'x', line_items: Array(501).fill(7) },
    { line_items: 'must have at most 500 values' },
  ],
  ['no id where a hook requires one', ...acknowledgments, { document_id: 'abc' }, { document_id: 'must be a uuid' }],
  [
    'too long a text where a hook requires one',
    ...scans,
    { tracking_number: '1'.repeat(501) },
    { tracking_number: 'must be at most 500 characters' },
  ],
  [
    'several',
    ...requests,
    { floor: true, room: 7, flor: 1 },
    {
      title: 'is required',
      floor: 'must be a string',
      room: 'must be a string',
      flor: 'is not a field here; did you mean floor?',
    },
  ],
])('%s has the same message in both APIs', async (_, path, mutation, input, details) => {
  expect(await explainBoth(path, mutation, input, inGraphql(input))).toEqual({ rest: details, graphql: details });
});

test('no id in a sub-resource, where a hook requires one, has the same message in both APIs', async () => {
  const id = String((await client.post('/assets', { asset_name: 'Drill' })).row['id']);
  const details = { to_location: 'must be a uuid', to_user: 'is required, unless there is a new location' };
  const given = [{ to_location: 'abc' }, { toLocation: 'abc' }, `assetId: "${id}",`] as const;
  const path = `/assets/${id}/transfers`;
  expect(await explainBoth(path, 'createAssetTransfer', ...given)).toEqual({ rest: details, graphql: details });
});

test("an enum value has the same message, in each API's spelling", async () => {
  const words = (separator: string) => ['low', 'normal', 'high', 'urgent'].join(separator);
  expect(await explainBoth('/service-requests', 'createServiceRequest', { title: 'x', priority: 'soon' })).toEqual({
    rest: { priority: `must be one of ${words(', ')}` },
    graphql: { priority: `must be one of ${words(', ').toUpperCase()}` },
  });
});

test('errors of parameters have the same messages, all at once', async () => {
  const { error } = await client.get('/service-requests', { limit: 'x', status: 'x', search: ['a', 'b'], flor: 1 });
  expect(error).toMatchObject({
    code: 'BAD_REQUEST',
    message: [
      'limit: must be a whole number of at most 2147483647',
      'status: must be one of pending, in-progress, completed',
      'search: must be given once',
      'flor: is not a parameter here; did you mean floor?',
    ].join('; '),
  });
  const { errors } = await client.graphql(
    `query ($first: Int, $filter: ServiceRequestFilter) {
      serviceRequests(first: $first, filter: $filter) { totalCount }
    }`,
    { first: 'x', filter: { status: { in: ['x'] }, flor: 1 } },
  );
  expect(errors.map(({ message, extensions }) => [extensions.code, message])).toEqual([
    ['BAD_REQUEST', 'first: must be a whole number of at most 2147483647'],
    ['BAD_REQUEST', 'status.in.0: must be one of PENDING, IN_PROGRESS, COMPLETED'],
    ['BAD_REQUEST', 'flor: is not a field here; did you mean floor?'],
  ]);
});

describe('errors of lists have the same message in both APIs', () => {
  const types: Record<string, string> = { first: 'Int', search: 'String', filter: 'PaintFilter' };
  /** The same condition as a parameter and as a variable. */
  const where = (name: Row) => [{ filter: JSON.stringify({ name }) }, { filter: { name } }] as const;

  test.each<[what: string, parameters: Row, variables: Row, message: string]>([
    ['NUL in a text', { name: 'a\0' }, { filter: { name: { in: ['a\0'] } } }, 'must not contain NUL'],
    ['NUL in a search', { search: 'a\0' }, { search: 'a\0' }, 'must not contain NUL'],
    ['NUL in a filter', ...where({ eq: '\0' }), 'must not contain NUL'],
    ['too many values', ...where({ in: Array(1001).fill('7') }), 'must have at most 1000 values'],
    ['a page without rows', { limit: 0 }, { first: 0 }, 'must be between 1 and 100'],
    ['too large a page', { limit: 101 }, { first: 101 }, 'must be between 1 and 100'],
  ])('%s', async (_, parameters, variables, message) => {
    const [name = ''] = Object.keys(variables);
    const [{ error }, ...results] = await Promise.all([
      client.get('/paints', parameters),
      client.graphql(`query ($${name}: ${types[name]}) { paints(${name}: $${name}) { totalCount } }`, variables),
      client.graphql(`{ paints(${name}: ${literal(variables[name])}) { totalCount } }`),
    ]);
    const errors = results.flatMap((result) => result.errors);
    const found = [error, ...errors.map((each) => ({ code: each.extensions.code, message: each.message }))];
    expect(found.map((each) => [each.code, each.message.split(': ').at(-1)])).toEqual(
      Array(3).fill(['BAD_REQUEST', message]),
    );
  });
});

test('invalid Unicode has the same message in both APIs', async () => {
  const [name, message] = [{ eq: '\ud800' }, 'name.eq: must be well-formed Unicode'];
  const query = 'query ($filter: PaintFilter) { paints(filter: $filter) { totalCount } }';
  expect((await client.get('/paints', { filter: JSON.stringify({ name }) })).error.message).toContain(message);
  expect((await client.graphql(query, { filter: { name } })).errors).toMatchObject([{ message }]);
});

describe('values in the text of a query', () => {
  const [integer, uuid] = ['must be a whole number of at most 2147483647', 'must be a uuid'];
  const statuses = 'must be one of PENDING, IN_PROGRESS, COMPLETED';
  const paint = (input: string) => `mutation { createPaint(input: ${input}) { id } }`;

  test.each<[what: string, query: string, messages: string[]]>([
    ['a number with a fraction', '{ paints(first: 1.0) { totalCount } }', [`first: ${integer}`]],
    ['a number beyond 32 bits', '{ paints(first: 2147483648) { totalCount } }', [`first: ${integer}`]],
    ['a word for a text', '{ paints(search: red) { totalCount } }', ['search: must be a string']],
    ['a word for an id', '{ paint(id: red) { id } }', [`id: ${uuid}`]],
    ['a word for a boolean', '{ __typename @include(if: yes) }', ['if: must be true or false']],
    [
      'a text for a word',
      '{ serviceRequests(filter: {status: {eq: "PENDING"}}) { totalCount } }',
      [`status.eq: ${statuses}`],
    ],
    [
      'a word in a list',
      '{ serviceRequests(filter: {status: {in: [PENDING, DONE]}}) { totalCount } }',
      [`status.in.1: ${statuses}`],
    ],
    ['a list for an object', '{ paints(filter: []) { totalCount } }', ['filter: must be an object']],
    ['a missing argument', '{ paint { id } }', ['id: is required']],
    ['a missing argument of a directive', '{ __typename @skip }', ['if: is required']],
    ['null', '{ paint(id: null) { id } }', ['id: must not be null']],
    [
      'the default of a variable',
      'query ($most: Int = "x") { paints(first: $most) { totalCount } }',
      [`most: ${integer}`],
    ],
    ['a variable without a value', 'query ($id: ID!) { paint(id: $id) { id } }', ['id: is required']],
    [
      'several, beside a variable',
      'query ($name: String) { paints(first: "x", filter: {name: {eq: $name}, nam: 1}) { totalCount } }',
      [`first: ${integer}`, 'nam: is not a field here; did you mean name?'],
    ],
    ['a missing input', 'mutation { createPaint { id } }', ['input: is required']],
    ['no object for an input', paint('7'), ['input: must be an object']],
    ['null for an input', paint('null'), ['input: must not be null']],
  ])('%s', async (_, query, messages) => {
    const { errors } = await client.graphql(query);
    expect(errors.map(({ message }) => message)).toEqual(messages);
    for (const { extensions } of errors) expect(extensions.code).toBe('BAD_REQUEST');
  });

  test('have the place in the query where they are', async () => {
    const { errors } = await client.graphql(paint('{name: 7}'));
    expect(errors).toMatchObject([
      { locations: [{ line: 1, column: 31 }], extensions: { details: { name: 'must be a string' } } },
    ]);
  });

  test('are those that the operation gets', async () => {
    const data = { name: 'Sky', gallonsAvailable: 2.5, brand: null };
    const query = paint('{name: $name, gallonsAvailable: 2.5, brand: null}').replace(
      'mutation',
      'mutation ($name: String!)',
    );
    const shown = query.replace('{ id }', '{ name gallonsAvailable brand }');
    expect(await client.graphql(shown, { name: 'Sky' })).toMatchObject({ errors: [], data: { createPaint: data } });
  });
});

test("/auth has the same messages as both APIs' bodies", async () => {
  const explain = async (body: Row) => (await client.at('').post('/auth/sign-in', body)).details;
  expect(await explain({ email: 7, pasword: 1 })).toEqual({
    email: 'must be a string',
    password: 'is required',
    pasword: 'is not a field here; did you mean password?',
  });
  expect(await explain({ email: null, password: '' })).toEqual({
    email: 'must not be null',
    password: 'must not be empty',
  });
});

test('a variable may be a single value for a list', async () => {
  const query = 'query ($status: [RequestStatus!]) { serviceRequests(filter: {status: {in: $status}}) { totalCount } }';
  expect((await client.graphql(query, { status: 'PENDING' })).errors).toEqual([]);
  expect((await client.graphql(query, { status: ['PENDING', 'x'] })).errors).toMatchObject([
    { message: 'status.1: must be one of PENDING, IN_PROGRESS, COMPLETED' },
  ]);
});

describe('many errors', () => {
  const wrong = { name: 7, quantity: 'x', sku: true, unit: 7, category: 7, colour: 7 };
  const createMany = 'mutation ($input: CreateInventoryItemsInput!) { createInventoryItems(input: $input) { id } }';
  const filtered = 'query ($filter: InvoiceFilter) { invoices(filter: $filter) { totalCount } }';
  const grouped = 'query ($by: [GroupOrder!]!) { invoices { aggregates(orderBy: $by) { count } } }';
  const longName = (n: number) => `${n}${'x'.repeat(10_000)}`;
  const ask = (query: string, variables: Row) => client.at('').post('/graphql', { query, variables });

  test.each<[what: string, send: () => Promise<Reply>]>([
    ['40,000 values', () => client.post('/inventory/batch', { items: Array(40_000).fill(7) })],
    ['40,000 values in GraphQL', () => ask(createMany, { input: { items: Array(40_000).fill(7) } })],
    ['500 rows', () => client.post('/inventory/batch', { items: Array(500).fill(wrong) })],
    ['500 rows in GraphQL', () => ask(createMany, { input: { items: Array(500).fill(wrong) } })],
    [
      '500 rows of wrong values',
      () => client.post('/inventory/batch', { items: Array(500).fill({ name: ' ', quantity: -1 }) }),
    ],
    ['40,000 filters', () => ask(filtered, { filter: { status: { in: Array(40_000).fill('x') } } })],
    ['40,000 groups', () => ask(grouped, { by: Array(40_000).fill('x') })],
    [
      'long names of fields',
      () => client.post('/paints', Object.fromEntries(Array.from({ length: 90 }, (_, n) => [longName(n), n]))),
    ],
  ])('%s are rejected quickly, with a short response', async (_, send) => {
    const start = performance.now();
    const { text } = await send();
    expect(performance.now() - start).toBeLessThan(2000);
    expect(text).toMatch(/must|is not a field here/);
    expect(text.length).toBeLessThan(64 * 1024);
  });
});
