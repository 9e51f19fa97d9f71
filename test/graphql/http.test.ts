import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serverAudits } from 'graphql-http';
import type { Client, FieldError, Reply, Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
/** The same caller with paths from the root. */
let root: Client;
beforeAll(async () => {
  service = await startService();
  client = await (await service.tenant()).client();
  root = client.at('');
  await client.post('/service-requests', { title: 'Lamp' });
});
afterAll(() => service.close());

const errorsOf = (reply: Reply) => (reply.json['errors'] ?? []) as FieldError[];
const query = '{ serviceRequests { nodes { title } } }';
const answer = { data: { serviceRequests: { nodes: [{ title: 'Lamp' }] } } };
const create = 'mutation { createPaint(input: {name: "Blue"}) { id } }';

function expectCommon({ headers }: Reply) {
  expect(headers.get('x-request-id')).toMatch(/\S/);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('access-control-allow-credentials')).toBeNull();
  expect(headers.get('cache-control')).toBe('private, no-store');
  for (const name of ['limit', 'remaining', 'reset']) expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
}

test.each<[string, () => Promise<Reply>]>([
  ['POST', () => root.post('/graphql', { query })],
  [
    'POST with null for unused members',
    () => root.post('/graphql', { query, variables: null, operationName: null, extensions: null }),
  ],
  ['GET', () => root.get('/graphql', { query })],
  [
    'GET with variables',
    () =>
      root.get('/graphql', {
        query: 'query ($n: Int) { serviceRequests(first: $n) { nodes { title } } }',
        variables: '{"n":1}',
      }),
  ],
  [
    'one of two operations',
    () => root.post('/graphql', { query: `query A { __typename } query B ${query}`, operationName: 'B' }),
  ],
])('%s is accepted', async (_, send) => {
  const reply = await send();
  expect(reply.json).toMatchObject(answer);
  expect({ status: reply.status, type: reply.headers.get('content-type') }).toEqual({
    status: 200,
    type: expect.stringMatching(/^application\/json/),
  });
  expectCommon(reply);
});

test.each<[number, string, string, () => Promise<Reply>]>([
  [400, 'BAD_REQUEST', 'no JSON', () => root.post('/graphql', '{')],
  [400, 'BAD_REQUEST', 'no query', () => root.post('/graphql', {})],
  [400, 'BAD_REQUEST', 'no text', () => root.post('/graphql', { query: 7 })],
  [400, 'BAD_REQUEST', 'null', () => root.post('/graphql', 'null')],
  [400, 'BAD_REQUEST', 'a name twice', () => root.post('/graphql', `{"query":"${query}","query":"${query}"}`)],
  [
    400,
    'BAD_REQUEST',
    'a name twice in variables',
    () => root.get('/graphql', { query, variables: '{"a":{"b":1,"b":1}}' }),
  ],
  [400, 'BAD_REQUEST', 'a batch', () => root.post('/graphql', [{ query }, { query }])],
  [400, 'BAD_REQUEST', 'no query in the address', () => root.get('/graphql')],
  [401, 'INVALID_TOKEN', 'no token', () => service.anonymous.at('').post('/graphql', { query })],
  [405, 'METHOD_NOT_ALLOWED', 'PUT', () => root.put('/graphql', { query })],
  [405, 'METHOD_NOT_ALLOWED', 'a mutation that is a GET', () => root.get('/graphql', { query: create })],
  [413, 'PAYLOAD_TOO_LARGE', 'too large a body', () => root.post('/graphql', { query: `#${'x'.repeat(2 ** 20)}` })],
  [
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'a form',
    () => root.post('/graphql', `query=${query}`, { 'content-type': 'application/x-www-form-urlencoded' }),
  ],
  [
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'text',
    () => root.post('/graphql', JSON.stringify({ query: create }), { 'content-type': 'text/plain' }),
  ],
])('%d %s for %s', async (status, code, _what, send) => {
  const reply = await send();
  expect({ status: reply.status, errors: errorsOf(reply) }).toMatchObject({
    status,
    errors: [{ message: expect.stringMatching(/\w/), extensions: { code, status } }],
  });
  expect(reply.json['data']).toBeUndefined();
  expectCommon(reply);
});

describe('GraphQL over HTTP', () => {
  // The audits of the GraphQL over HTTP working group. Some expect other statuses than its later drafts; the audits
  // win.
  const audits = serverAudits({
    url: () => `${service.origin}/graphql`,
    fetchFn: async (url: string, init: RequestInit = {}) => {
      const response = await fetch(url, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${client.token}` },
      });
      // Most audits do not read the body, which would block the connection.
      return new Response(await response.arrayBuffer(), response);
    },
  });

  test.each(audits)('$name', async ({ fn }) => {
    const { status, ...rest } = await fn();
    expect({ status, ...('reason' in rest && { reason: rest.reason }) }).toEqual({ status: 'ok' });
  });

  const [json, graphqlJson] = ['application/json', 'application/graphql-response+json'];
  const ask = (body: Row, accept: string) => root.post('/graphql', body, { accept });
  const summarize = ({ status, headers, json: { data, errors } }: Reply) => ({
    status,
    type: headers.get('content-type')?.replace('; charset=utf-8', ''),
    ran: data !== undefined,
    code: (errors as FieldError[] | undefined)?.[0]?.extensions.code,
  });

  const lists = (levels: number): string =>
    levels === 0 ? 'id' : `assignedServiceRequests(first: 100) { nodes { assignee { ${lists(levels - 1)} } } }`;
  test.each<[what: string, body: Row, status: number, code: string]>([
    ['too large a response', { query: `{ users(first: 1) { nodes { ${lists(3)} } } }` }, 400, 'BAD_REQUEST'],
    ['too many tokens', { query: `{ ${'__typename '.repeat(2001)} }` }, 400, 'BAD_REQUEST'],
    [
      'a variable of a wrong type',
      { query: 'query ($n: Int) { paints(first: $n) { totalCount } }', variables: { n: 'x' } },
      400,
      'BAD_REQUEST',
    ],
    [
      'a required variable that is not there',
      { query: 'query ($id: ID!) { paint(id: $id) { id } }' },
      400,
      'BAD_REQUEST',
    ],
    [
      "errors in a mutation's variables",
      { query: 'mutation ($input: CreatePaintInput!) { createPaint(input: $input) { id } }', variables: { input: {} } },
      422,
      'VALIDATION_ERROR',
    ],
    ['a subscription', { query: 'subscription { x }' }, 400, 'BAD_REQUEST'],
  ])('%s: the status of its error, and 200 in JSON', async (_, body, status, code) => {
    expect(summarize(await ask(body, graphqlJson))).toEqual({ status, type: graphqlJson, ran: false, code });
    expect(summarize(await ask(body, json))).toEqual({ status: 200, type: json, ran: false, code });
  });

  test('errors of fields do not change the status', async () => {
    const body = { query: '{ paint(id: "01890000-0000-7000-8000-000000000000") { id } }' };
    for (const type of [json, graphqlJson])
      expect(summarize(await ask(body, type))).toEqual({ status: 200, type, ran: true, code: 'NOT_FOUND' });
  });

  test.each<[status: number, code: string, send: (headers: Record<string, string>) => Promise<Reply>]>([
    [400, 'BAD_REQUEST', (headers) => root.post('/graphql', {}, headers)],
    [
      400,
      'BAD_REQUEST',
      (headers) =>
        root.post(
          '/graphql',
          `{"query":"{__typename}","variables":{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
          headers,
        ),
    ],
    [400, 'BAD_REQUEST', (headers) => root.get('/graphql', { query, variables: '{' }, headers)],
    [401, 'INVALID_TOKEN', (headers) => service.anonymous.at('').post('/graphql', { query }, headers)],
    [405, 'METHOD_NOT_ALLOWED', (headers) => root.get('/graphql', { query: create }, headers)],
    [405, 'METHOD_NOT_ALLOWED', (headers) => root.request('DELETE', '/graphql', { headers })],
    [
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      (headers) => root.post('/graphql', 'x', { ...headers, 'content-type': 'text/plain' }),
    ],
  ])('%d %s has the same status in both media types', async (status, code, send) => {
    for (const type of [json, graphqlJson])
      expect(summarize(await send({ accept: type }))).toEqual({ status, type, ran: false, code });
  });

  test.each<[accept: string, type: string]>([
    [`${graphqlJson}, ${json};q=0.9`, graphqlJson],
    [`${json}, ${graphqlJson};q=0.9`, json],
    [`${graphqlJson}, ${json}`, graphqlJson],
    [`${graphqlJson}; charset=utf-8, */*;q=0.1`, graphqlJson],
    [`${json}; charset=UTF-8`, json],
    ['Application/JSON', json],
    [`multipart/mixed, ${json}`, json],
    ['application/*', json],
    [`${graphqlJson};q=0, */*`, json],
  ])('Accept: %s returns %s', async (accept, type) => {
    expect(summarize(await ask({ query }, accept))).toEqual({ status: 200, type, ran: true, code: undefined });
  });

  test.each(['application/jsonp', `${json};q=0`, `${json}; charset=utf-16`])(
    'Accept: %s returns 406',
    async (accept) => {
      expect(summarize(await ask({ query }, accept))).toMatchObject({ status: 406, code: 'NOT_ACCEPTABLE' });
    },
  );

  test('other members of the body are ignored', async () => {
    expect((await ask({ query, documentId: 'x', id: 7 }, json)).json).toMatchObject(answer);
  });
});

test('a mutation by GET changes nothing', async () => {
  const reply = await root.get('/graphql', { query: create });
  expect(reply.status).toBe(405);
  expect((await client.get('/paints')).rows).toEqual([]);
});

test('OPTIONS returns the methods, and allows preflights', async () => {
  for (const headers of [
    undefined,
    {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  ]) {
    const reply = await service.anonymous.at('').request('OPTIONS', '/graphql', { headers });
    expect({ status: reply.status, text: reply.text }).toEqual({ status: 204, text: '' });
    expect(reply.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'OPTIONS', 'POST']);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  }
});

test('a browser gets GraphiQL, without a token and without rate limit', async () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const page = await service.anonymous.at('').get('/graphql', {}, { accept });
  expect(page).toMatchObject({ status: 200 });
  expect(page.headers.get('content-type')).toMatch(/^text\/html/);
  expect(page.text).toMatch(/<title>[^<]*Premises[^]*graphiql/i);
  const again = await service.anonymous.at('').get('/graphql', {}, { accept });
  expect(again.headers.get('x-ratelimit-remaining')).toBe(page.headers.get('x-ratelimit-remaining'));
});
