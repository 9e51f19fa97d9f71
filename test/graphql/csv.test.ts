// Lists and groups of /graphql as CSV.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Statement } from '../../src/database/read/statement.ts';
import type { Client } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
  const companyId = tenant.company.id;
  const { prisma } = service.database;
  const building = await prisma.building.create({ data: { companyId, name: 'Head, "quarters"', code: '=HQ' } });
  await prisma.desk.createMany({
    data: Array.from({ length: 250 }, (_, n) => ({
      companyId,
      name: `Desk ${String(n).padStart(3, '0')}`,
      buildingId: n % 2 === 0 ? building.id : null,
      isAssigned: n % 3 === 0,
    })),
  });
});
afterAll(() => service.close());

/** Asks for CSV. */
const ask = (query: string, variables = {}, from = client) =>
  from.at('').request('POST', '/graphql', { body: { query, variables }, headers: { accept: 'text/csv' } });

const linesOf = (text: string) => {
  expect(text.endsWith('\r\n')).toBe(true);
  return text.slice(0, -2).split('\r\n');
};

test('a list has all its rows, with fields of related rows as columns', async () => {
  service.statements.length = 0;
  const { status, headers, text } = await ask(
    'query Desks { desks(orderBy: [{ field: NAME }]) { totalCount nodes { name taken: isAssigned building { ...place } } } } fragment place on Building { code name }',
  );
  expect([
    status,
    headers.get('content-type'),
    headers.get('content-disposition'),
    headers.get('cache-control'),
  ]).toEqual([200, 'text/csv; charset=utf-8; header=present', 'attachment; filename="Desks.csv"', 'private, no-store']);
  const [head, ...rows] = linesOf(text);
  expect(head).toBe('name,taken,building.code,building.name');
  expect(rows).toHaveLength(250);
  expect(rows.slice(0, 2)).toEqual([`Desk 000,true,'=HQ,"Head, ""quarters"""`, 'Desk 001,false,,']);
  expect(rows.map((row) => row.slice(0, 8))).toEqual([...new Set(rows.map((row) => row.slice(0, 8)))].sort());
  // Three pages.
  expect(service.statements.filter((sql) => sql.includes('"desks"'))).toHaveLength(3);
});

test('the pages after the first have one plan, and one statement', async () => {
  const made = jest.spyOn(Statement.prototype, 'alias');
  /** How many tables are named in the statements that are made for a file. */
  const tablesIn = async (query: string, lines: number) => {
    made.mockClear();
    expect(linesOf((await ask(query)).text)).toHaveLength(lines);
    return made.mock.calls.length;
  };
  const onePage = await tablesIn('{ desks(first: 100) { nodes { id name } } }', 101);
  expect(onePage).toBeGreaterThan(0);
  // Three pages.
  expect(await tablesIn('{ desks { nodes { name id } } }', 251)).toBe(2 * onePage);
  // The pages after the first are the same, wherever it begins.
  expect(await tablesIn('{ desks(offset: 40) { nodes { name id } } }', 211)).toBe(onePage);
  made.mockRestore();
});

test('a list with first is that page, and one with after or offset begins there', async () => {
  const sorted = 'orderBy: [{ field: NAME }]';
  expect(linesOf((await ask(`{ desks(${sorted}, first: 2) { nodes { name } } }`)).text)).toEqual([
    'name',
    'Desk 000',
    'Desk 001',
  ]);
  expect(linesOf((await ask(`{ desks(${sorted}, last: 1) { edges { cursor node { name } } } }`)).text)[0]).toBe(
    'cursor,node.name',
  );
  const { data } = await client.graphql<{ desks: { pageInfo: { endCursor: string } } }>(
    `{ desks(${sorted}, first: 50) { pageInfo { endCursor } } }`,
  );
  const after = data.desks.pageInfo.endCursor;
  const rest = await ask(`query ($after: String) { desks(${sorted}, after: $after) { nodes { name } } }`, { after });
  expect(linesOf(rest.text)).toHaveLength(201);
  expect(linesOf(rest.text)[1]).toBe('Desk 050');
  const offset = await ask(`query ($n: Int) { desks(${sorted}, offset: $n) { nodes { name } } }`, { n: 130 });
  expect(linesOf(offset.text)).toHaveLength(121);
});

test('groups are rows, with the paths of keys and measures as columns', async () => {
  const { text } = await ask(
    'query ($taken: Boolean) { desks(filter: { isAssigned: { eq: $taken } }) { aggregates { key { building { code } } n: count createdAt { first: min @skip(if: true) } } } }',
    { taken: true },
  );
  expect(linesOf(text)).toEqual(['key.building.code,n', "'=HQ,42", ',42']);
});

test('lists inside rows are JSON', async () => {
  const { text } = await ask(
    '{ buildings { nodes { code desks(first: 1, orderBy: [{ field: NAME }]) { nodes { name } } } } }',
  );
  expect(linesOf(text)).toEqual(['code,desks', `'=HQ,"{""nodes"":[{""name"":""Desk 000""}]}"`]);
});

test.each([
  ['two lists', '{ desks { nodes { id } } buildings { nodes { id } } }'],
  ['rows and groups', '{ desks { nodes { id } aggregates { count } } }'],
  ['two groups', '{ desks { a: aggregates { count } b: aggregates { count } } }'],
  ['neither', '{ desks { totalCount } }'],
  ['one row', '{ me { person { email } } }'],
  ['a mutation', 'mutation { createPaint(input: { name: "Red" }) { id } }'],
])('%s are no CSV', async (_, query) => {
  const { status, headers, json } = await ask(query);
  expect([status, headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8']);
  expect(json).toMatchObject({
    errors: [
      { message: expect.stringContaining('one list at the root of the query'), extensions: { code: 'BAD_REQUEST' } },
    ],
  });
});

test('mistakes, missing scopes and the cost are reported in JSON', async () => {
  const narrow = await tenant.client(['butts_in_seats:read']);
  for (const [query, from, code, status] of [
    ['{ desks { nodes { nam } } }', client, 'BAD_REQUEST', 400],
    ['{ desks {', client, 'BAD_REQUEST', 400],
    ['{ desks(first: 1000) { nodes { name } } }', client, 'BAD_REQUEST', 400],
    ['{ desks { nodes { name building { code } } } }', narrow, 'INSUFFICIENT_SCOPE', 403],
    ['{ desks { aggregates { key { building { code } } } } }', narrow, 'INSUFFICIENT_SCOPE', 403],
    ['{ buildings { nodes { name } } }', narrow, 'INSUFFICIENT_SCOPE', 403],
  ] as const) {
    const { json, headers, status: found } = await ask(query, {}, from);
    expect([query, found, headers.get('content-type')]).toEqual([query, status, 'application/json; charset=utf-8']);
    expect(json).toMatchObject({ errors: [{ extensions: { code } }] });
  }
});

test('CSV is sent only where a client prefers it', async () => {
  const query = '{ desks(first: 1) { nodes { name } } }';
  const type = async (accept: string) =>
    (await client.at('').request('POST', '/graphql', { body: { query }, headers: { accept } })).headers.get(
      'content-type',
    );
  expect(await type('*/*')).toBe('application/json; charset=utf-8');
  expect(await type('text/csv;q=0.5, application/json')).toBe('application/json; charset=utf-8');
  expect(await type('text/csv, application/json;q=0.5')).toBe('text/csv; charset=utf-8; header=present');
  const get = await client.at('').request('GET', '/graphql', { query: { query }, headers: { accept: 'text/csv' } });
  expect(linesOf(get.text)).toHaveLength(2);
});
