// How CSV is written where a client says it, in both APIs.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await (await service.tenant()).client();
  for (const [name, brand] of [
    ['a;b', 'one\ttwo'],
    ['=1;2', 'three, four'],
  ])
    await client.post('/paints', { name, brand });
});
afterAll(() => service.close());

const accept = 'text/csv';
const list = { fields: 'name,brand', sort: 'id', order: 'asc' };
const query = '{ paints(orderBy: [{ field: ID }]) { nodes { name brand } } }';

/** The text of both APIs for the parameters. */
async function textsOf(parameters: Row): Promise<string[]> {
  const rest = await client.get('/paints', { ...list, ...parameters }, { accept });
  const given = { query: parameters, headers: { accept } };
  const graphql = await client.at('').request('POST', '/graphql', { ...given, body: { query } });
  const get = await client.at('').request('GET', '/graphql', { ...given, query: { query, ...parameters } });
  expect([rest, graphql, get].map(({ headers }) => headers.get('content-type'))).toEqual(
    Array(3).fill('text/csv; charset=utf-8; header=present'),
  );
  return [rest.text, graphql.text, get.text];
}

test.each([
  [{}, 'name,brand\r\na;b,one\ttwo\r\n\'=1;2,"three, four"\r\n'],
  [{ csv_separator: 'comma', csv_bom: false }, 'name,brand\r\na;b,one\ttwo\r\n\'=1;2,"three, four"\r\n'],
  [{ csv_separator: 'semicolon' }, 'name;brand\r\n"a;b";one\ttwo\r\n"\'=1;2";three, four\r\n'],
  [{ csv_separator: 'tab', csv_bom: true }, '\uFEFFname\tbrand\r\na;b\t"one\ttwo"\r\n\'=1;2\tthree, four\r\n'],
  [{ csv_bom: true }, '\uFEFFname,brand\r\na;b,one\ttwo\r\n\'=1;2,"three, four"\r\n'],
])('%j', async (parameters, text) => {
  expect(await textsOf(parameters)).toEqual([text, text, text]);
});

test.each([
  [{ csv_separator: ';' }, accept, 'csv_separator: must be one of comma, semicolon, tab'],
  [{ csv_separator: 'constructor' }, accept, 'csv_separator: must be one of comma, semicolon, tab'],
  [{ csv_separator: ['tab', 'tab'] }, accept, 'csv_separator: must be given once'],
  [{ csv_bom: '1' }, accept, 'csv_bom: must be true or false'],
  [{ csv_bom: 'true' }, 'application/json', 'csv_bom: is for CSV alone'],
  [{ csv_separator: 'tab' }, 'application/json', 'csv_separator: is for CSV alone'],
])('%j with %s is refused', async (parameters, type, message) => {
  const rest = await client.get('/paints', parameters, { accept: type });
  expect([rest.status, rest.error.code, rest.error.message]).toEqual([
    400,
    'BAD_REQUEST',
    expect.stringContaining(message),
  ]);
  const graphql = await client
    .at('')
    .request('POST', '/graphql', { query: parameters, headers: { accept: type }, body: { query } });
  expect(graphql.status).toBe(400);
  expect(graphql.json).toMatchObject({
    errors: [{ message: expect.stringContaining(message), extensions: { code: 'BAD_REQUEST' } }],
  });
});

test('they are parameters of lists alone', async () => {
  const { id } = (await client.get('/paints')).rows[0] ?? {};
  for (const path of [`/paints/${String(id)}`, '/changes'])
    expect((await client.get(path, { csv_bom: true }, { accept })).status).toBe(400);
});
