import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fileRoutes, routes } from '../support/api.ts';
import { Client, type Reply, type Row } from '../support/client.ts';
import { collections, share } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { takesScope } from '../support/scopes.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
let client: Client;
let painter: Client;
let item: string;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
  ({ client } = rows);
  painter = await rows.tenant.client(['paint:read']);
  item = `/service-requests/${(await client.post('/service-requests', { title: 'Lamp' })).row['id']}`;
  await client.post('/locations/buildings', { name: 'Tower', code: 'T' });
});
afterAll(() => service.close());

/** More levels than any valid body has. */
const deep = '['.repeat(20_000) + ']'.repeat(20_000);
const unknownIds = new Proxy({}, { get: () => '01890000-0000-7000-8000-000000000000' });
const bodyless = ['GET', 'HEAD', 'OPTIONS'];
const anyBody = (method: string) => (bodyless.includes(method) ? {} : { body: {} });
/** Unknown paths, whose response is always the same. */
const refusedBody = (method: string) => (bodyless.includes(method) ? {} : { body: { nonsense: 1 } });
/** The routes that an API token can use. */
const scoped = routes().filter(({ operation }) => takesScope(operation.access));
const places = [...new Set(routes().map(({ path }) => path.replace(/:\w+/g, ':id')))];
const methodsAt = (place: string) =>
  [...routes(), ...fileRoutes()]
    .filter(({ path }) => path.replace(/:\w+/g, ':id') === place)
    .map(({ method }) => String(method));

/** Expects the headers that every response has: request id, CORS and rate limit. */
function expectCommon({ headers, text }: Reply): void {
  const id = headers.get('x-request-id');
  expect(id).toMatch(/^\S+$/);
  if (text !== '' && headers.get('content-type')?.startsWith('application/json'))
    expect(JSON.parse(text)).toMatchObject({ meta: { request_id: id } });
  expectCors(headers);
  expect(headers.get('cache-control')).toMatch(/^private, no-(store|cache)$/);
  for (const name of ['limit', 'remaining', 'reset'])
    expect([name, headers.get(`x-ratelimit-${name}`)]).toEqual([name, expect.stringMatching(/^\d+$/)]);
  expect(Number(headers.get('x-ratelimit-reset')) * 1000).toBeGreaterThan(Date.now());
}

function expectCors(headers: Headers): void {
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('access-control-allow-credentials')).toBeNull();
  expect(headers.get('access-control-expose-headers')?.toLowerCase()).toContain('x-request-id');
}

test.each<[number, string, string, () => Promise<Reply>]>([
  [200, '', 'a list', () => client.get('/service-requests')],
  [200, '', 'a row', () => client.get(item)],
  [200, '', 'HEAD', () => client.request('HEAD', item)],
  [201, '', 'a create', () => client.post('/paints', { name: 'White' })],
  [200, '', 'a change', () => client.patch(item, { floor: '1' })],
  [
    204,
    '',
    'a deletion',
    async () => client.delete(`/paints/${(await client.post('/paints', { name: 'Red' })).row['id']}`),
  ],
  [400, 'BAD_REQUEST', 'a parameter', () => client.get('/paints', { limit: 0 })],
  [400, 'BAD_REQUEST', 'an id', () => client.get('/paints/x')],
  [400, 'BAD_REQUEST', 'an address that cannot be decoded', () => client.get('/paints/%zz')],
  [400, 'BAD_REQUEST', 'an id that is very long', () => client.get(`/paints/${'x'.repeat(10_000)}`)],
  [
    404,
    'NOT_FOUND',
    'a token that is very long',
    () => service.anonymous.get(`/public/expected-packages/${'x'.repeat(10_000)}`),
  ],
  [400, 'BAD_REQUEST', 'no JSON', () => client.post('/paints', '{')],
  [
    400,
    'BAD_REQUEST',
    'a body that nests too deep',
    () => client.post('/paints', `{"name":${deep}}`, { 'idempotency-key': randomUUID() }),
  ],
  [
    400,
    'BAD_REQUEST',
    'a body of more values than any needs',
    () => client.post('/inventory/batch', `{"items":[${Array(50_001).fill('{}').join()}]}`),
  ],
  [403, 'INSUFFICIENT_SCOPE', 'no scope, before the body is read', () => painter.post('/inventory/batch', '{')],
  [401, 'INVALID_TOKEN', 'no token', () => service.anonymous.get('/paints')],
  [401, 'INVALID_TOKEN', 'a wrong token', () => new Client(service.origin, 'svc_live_x').get('/paints')],
  [401, 'INVALID_TOKEN', 'no token at no route', () => service.anonymous.get('/nothing')],
  [403, 'INSUFFICIENT_SCOPE', 'no scope', () => painter.get(item)],
  [404, 'NOT_FOUND', 'no row', () => client.get(`/paints/${randomUUID()}`)],
  [404, 'NOT_FOUND', 'no route', () => client.get('/nothing')],
  [405, 'METHOD_NOT_ALLOWED', 'no method', () => client.put('/paints', {})],
  [409, 'CONFLICT', 'a duplicate', () => client.post('/locations/buildings', { name: 'Other', code: 'T' })],
  [413, 'PAYLOAD_TOO_LARGE', 'too much', () => client.post('/paints', JSON.stringify({ name: 'x'.repeat(2 ** 20) }))],
  [
    413,
    'PAYLOAD_TOO_LARGE',
    'too much of a guest',
    () => service.anonymous.post('/public/expected-packages', { notes: 'x'.repeat(16 * 1024) }),
  ],
  [
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'no JSON type',
    () => client.post('/paints', 'name=x', { 'content-type': 'text/plain' }),
  ],
  [422, 'VALIDATION_ERROR', 'a wrong body', () => client.post('/paints', {})],
])('%d %s for %s has the common headers', async (status, code, _what, send) => {
  const reply = await send();
  expect({ status: reply.status, ...(code && { error: reply.error }) }).toMatchObject({
    status,
    ...(code && { error: { code, status } }),
  });
  expectCommon(reply);
});

test.each(routes().map(({ method, path }, n) => [String(method), path, n] as const))(
  '%s %s has the common headers too',
  async (method, path, n) => {
    // One hook sets them, whoever calls.
    const caller = n % 2 === 0 ? client : service.anonymous;
    expectCommon(await caller.request(method, fill(path, unknownIds), anyBody(method)));
  },
);

test.each<[boolean, string, string[]]>([
  [true, 'well formed', ['a', 'req-1', '0189.a_b:c~d', randomUUID(), 'x'.repeat(128)]],
  [false, 'malformed', ['', ' ', 'a b', 'x'.repeat(129), '<b>', 'a"b', 'é', 'a,b', '{}']],
])('request id: %s if %s', async (kept, _, ids) => {
  for (const id of ids) {
    for (const reply of [
      await client.get('/paints', {}, { 'x-request-id': id }),
      await service.anonymous.get('/nothing', {}, { 'x-request-id': id }),
    ]) {
      expect(reply.headers.get('x-request-id')).toBe(reply.meta.request_id);
      expect([id, reply.meta.request_id === id]).toEqual([id, kept]);
    }
  }
  expect((await client.get('/paints')).meta.request_id).not.toBe((await client.get('/paints')).meta.request_id);
});

const allowAt = (place: string) => {
  const known = methodsAt(place);
  return [...known, ...(known.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort();
};
const allowOf = ({ headers }: Reply) => headers.get('allow')?.split(', ').sort();

describe.each(places.map((place, n) => [place, n] as const))('%s', (place, n) => {
  const known = methodsAt(place);
  const allow = allowAt(place);

  test('responds to OPTIONS with 204 and Allow, with and without a token', async () => {
    for (const caller of share([client, service.anonymous, client.at('/v1')], n)) {
      const reply = await caller.request('OPTIONS', fill(place, unknownIds));
      expect({ status: reply.status, text: reply.text, allow: allowOf(reply) }).toEqual({
        status: 204,
        text: '',
        allow,
      });
      expectCors(reply.headers);
      expect(reply.headers.get('x-request-id')).toMatch(/./);
    }
  });

  if (n % 10 === 0)
    test('allows preflights', async () => {
      const headers = {
        origin: 'https://elsewhere.example',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,content-type,prefer',
      };
      const reply = await service.anonymous.request('OPTIONS', fill(place, unknownIds), { headers });
      expect(reply.status).toBe(204);
      expect(reply.headers.get('access-control-max-age')).toBe('7200');
      expectCors(reply.headers);
      const lists = ['methods', 'headers'].map((name) =>
        reply.headers.get(`access-control-allow-${name}`)?.toLowerCase().split(/, ?/),
      );
      expect(lists).toEqual([
        expect.arrayContaining(['get', 'post', 'put', 'patch', 'delete']),
        expect.arrayContaining(['authorization', 'content-type', 'prefer']),
      ]);
    });

  test('responds to other methods with 405 and Allow', async () => {
    const unknown = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !known.includes(method));
    for (const method of share(unknown, n)) {
      const reply = await client.request(method, fill(place, unknownIds));
      expect({ method, status: reply.status }).toEqual({ method, status: 405 });
      expect(reply.error.code).toBe('METHOD_NOT_ALLOWED');
      expect(allowOf(reply)).toEqual(allow);
    }
  });

  test('responds the same below both prefixes', async () => {
    for (const method of share(known, n)) {
      const [one, other] = await Promise.all(
        [client, client.at('/v1')].map((caller) =>
          caller.request(method, fill(place, unknownIds), refusedBody(method)),
        ),
      );
      const strip = (reply?: Reply) => ({
        status: reply?.status,
        // Each request leaves one less, and positions advance with the transactions of other tests.
        body: reply?.text
          .replace(reply.headers.get('x-request-id') ?? '', '')
          .replace(/"remaining":\d+|"(position|next)":"[^"]*"/g, ''),
      });
      expect({ method, ...strip(other) }).toEqual({ method, ...strip(one) });
    }
  });
});

test('methods of other protocols are rejected', async () => {
  for (const [n, place] of places.entries()) {
    for (const method of n === 0 ? ['PROPFIND', 'REPORT', 'MKCOL'] : ['PROPFIND']) {
      const reply = await client.request(method, fill(place, unknownIds));
      expect({ method, place, status: reply.status, allow: allowOf(reply) }).toEqual({
        method,
        place,
        status: 405,
        allow: allowAt(place),
      });
    }
  }
});

test('OPTIONS is 404 at unknown addresses', async () => {
  for (const path of ['/nothing', '/api/v1/nothing', '/v1/paints/x/nothing', '/graphql/x', '/auth/nothing']) {
    for (const headers of [
      {},
      { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' },
    ] as Record<string, string>[]) {
      const reply = await fetch(service.origin + path, { method: 'OPTIONS', headers });
      expect([path, reply.status, ((await reply.json()) as { error: Row }).error['code']]).toEqual([
        path,
        404,
        'NOT_FOUND',
      ]);
    }
  }
});

test('HEAD is GET without the body', async () => {
  for (const { path, method } of scoped.filter(({ method }) => method === 'GET')) {
    const collection = collections.find((candidate) => `${candidate.path}/:id` === path);
    const ids: Row = { ...(await rows.parents(path)), ...(collection && { id: (await rows.make(collection))['id'] }) };
    const [get, head] = await Promise.all(
      [String(method), 'HEAD'].map((verb) => client.request(verb, fill(path, ids))),
    );
    const headers = (reply?: Reply) =>
      [...(reply?.headers ?? [])].filter(
        ([name]) => !/^(date|connection|keep-alive|x-request-id|(x-)?ratelimit.*)$/.test(name),
      );
    expect({ path, status: head?.status, text: head?.text, headers: headers(head) }).toEqual({
      path,
      status: 200,
      text: '',
      headers: headers(get),
    });
    expect(head?.headers.get('content-length')).toBe(String(Buffer.byteLength(get?.text ?? '')));
  }
});

test('a malformed id in a path is 400 and names the parameter', async () => {
  const known = ['0189', 'x'.repeat(300), '%00', '01890000-0000-7000-8000-00000000000g'];
  for (const [n, { method, path }] of scoped.filter(({ path }) => path.includes(':')).entries()) {
    for (const [, name = ''] of path.matchAll(/:(\w+)/g)) {
      // One reader reads the ids of all routes.
      for (const id of n < 3 ? ['x', ...known] : ['x']) {
        const reply = await client.request(
          String(method),
          fill(path.replace(`:${name}`, id), unknownIds),
          anyBody(String(method)),
        );
        expect({ path, id, status: reply.status, code: reply.error.code }).toEqual({
          path,
          id,
          status: 400,
          code: 'BAD_REQUEST',
        });
        expect(reply.error.message.replaceAll('_', '').toLowerCase()).toContain(name.toLowerCase());
      }
    }
  }
});

test('buildings have several paths', async () => {
  const [one, ...others] = await Promise.all([
    client.get('/locations/buildings'),
    client.at('/v1').get('/locations/buildings'),
    client.at('/v1').get('/buildings'),
    client.get('/buildings'),
  ]);
  expect(one.rows.map(({ name }) => name)).toContain('Tower');
  for (const other of others) expect(other).toMatchObject({ status: 200, rows: one.rows });
});

test('a media type may have parameters', async () => {
  const send = async (type: string) =>
    (await client.post('/paints', '{"name":"Grey"}', { 'content-type': type })).status;
  for (const type of [
    'application/json; profile=x',
    'application/json;profile="a/b"; charset=UTF-8',
    'application/merge-patch+json',
    'application/json;',
  ])
    expect([type, await send(type)]).toEqual([type, 201]);
  for (const type of [
    'application/json; charset=latin1',
    'application/json; profile=x; charset=utf-16',
    'application/json; charset=utf-8; charset=latin1',
  ])
    expect([type, await send(type)]).toEqual([type, 415]);
});

test('an unknown Expect header is ignored', async () => {
  const status = await new Promise((resolve, reject) => {
    const headers = { expect: 'x', authorization: `Bearer ${client.token}` };
    request(`${service.origin}/api/v1/paints`, { headers }, (response) =>
      resolve([response.resume().statusCode, typeof response.headers['x-request-id']]),
    )
      .on('error', reject)
      .end();
  });
  expect(status).toEqual([200, 'string']);
});

test('a malformed Host header is ignored', async () => {
  for (const path of ['/api/v1/paints', '/graphql?query={__typename}']) {
    const status = await new Promise((resolve, reject) => {
      const headers = { host: 'a b:c', authorization: `Bearer ${client.token}`, 'content-type': 'application/json' };
      request(service.origin + path, { headers }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect([path, status]).toEqual([path, expect.any(Number)]);
    expect(status).toBeLessThan(500);
  }
});
