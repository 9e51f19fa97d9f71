import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client, Reply, Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService({ MAX_RESPONSE_BYTES: '1700000' });
  client = (await (await service.tenant()).client()).at('');
});
afterAll(() => service.close());

const send = (query: string, variables: Row = {}) => client.post('/graphql', { query, variables });
const costOf = (reply: Reply) => (reply.json['extensions'] as { cost: Row }).cost;

test('what the API says about itself is compressed alone, as what others read may be a secret', async () => {
  const queries = [
    '{ __schema { types { name } } }',
    '{ resources { type } a: actions(fields: ["createPaint"]) { label } meta { enums { name } } __typename }',
    '{ __schema { types { name } } paints { totalCount } }',
    '{ resources: paints { totalCount } }',
  ];
  const encodings = queries.map(async (query) => {
    // It accepts compressed responses, and reads them.
    const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' };
    const sent = { method: 'POST', headers, body: JSON.stringify({ query }) };
    const response = await fetch(`${service.origin}/graphql`, sent);
    expect(await response.json()).toHaveProperty('data');
    return response.headers.get('content-encoding');
  });
  expect(await Promise.all(encodings)).toEqual(['gzip', 'gzip', null, null]);
});

test('introspection counts 1.3 times what it returns', async () => {
  const query =
    '{ __schema { types { name fields(includeDeprecated: true) { name args(includeDeprecated: true) { name } } } } }';
  const reply = await send(query);
  const count = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 0;
    const inner = Object.values(value).map(count);
    return inner.reduce((sum, each) => sum + each, Array.isArray(value) ? 0 : inner.length);
  };
  // __schema itself is a field of the query.
  expect(costOf(reply)['counted']).toBe(Math.round(1 + 1.3 * (count(reply.json['data']) - 1)));
  const all = Array.from({ length: 28 }, (_, n) => `a${n}: types { name fields { name args { name } } }`).join(' ');
  expect((await send(`{ __schema { ${all} } }`)).json).toMatchObject({
    errors: [{ message: expect.stringContaining('200000'), extensions: { code: 'BAD_REQUEST' } }],
  });
});

test('a response of more bytes than are allowed is an error, and CSV has no limit', async () => {
  const rest = client.at('/api/v1');
  await Promise.all(Array.from({ length: 90 }, () => rest.post('/notes', { title: 'Long' })));
  await service.database.query({ text: `UPDATE notes SET content = repeat('x', 20000)` });
  const message = expect.stringContaining('larger than 1700000 bytes');
  expect((await send('{ notes(first: 90) { nodes { content } } }')).json).toMatchObject({
    errors: [{ message, extensions: { code: 'BAD_REQUEST' } }],
  });
  expect((await send('{ notes(first: 80) { nodes { content } } }')).json['errors']).toBeUndefined();
  expect(await rest.get('/notes', { limit: 100 })).toMatchObject({
    status: 400,
    error: { code: 'BAD_REQUEST', message },
  });
  // What would be 54 MB is refused before it is all read, and so is what a mutation would read of its row.
  service.statements.length = 0;
  const many = Array.from({ length: 30 }, (_, n) => `a${n}: notes(first: 90) { nodes { content } }`);
  expect((await send(`{ ${many.join(' ')} }`)).json).toEqual({
    errors: [{ message, extensions: { code: 'BAD_REQUEST', status: 400 } }],
    extensions: { cost: expect.anything() },
  });
  expect(service.statements.length).toBeLessThan(8);
  const csv = await rest.get('/notes', {}, { accept: 'text/csv' });
  expect([csv.status, csv.text.length > 1_800_000]).toEqual([200, true]);
});
