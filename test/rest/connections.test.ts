// Requests that a client library would not send, and what is no request at all.
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pino from 'pino';
import { createApp } from '../../src/app.ts';
import { createLimiter } from '../../src/auth/limits.ts';
import { readConfig } from '../../src/config.ts';
import { api } from '../../src/schema/index.ts';
import type { Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let token: string | undefined;
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PUBLIC_PER_HOUR: '60', RATE_LIMIT_LOOKUP_PER_HOUR: '60' });
  const { client } = await service.tenant();
  ({ token } = await client(['*'], { rateLimit: 100 }));
});
afterAll(() => service.close());

interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Sends text over a connection of its own, part after part, and reads all responses until the service closes it. */
async function send(parts: string | readonly string[], origin = service.origin): Promise<Response[]> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  const received = buffer(socket);
  for (const part of [parts].flat()) {
    socket.write(part, 'latin1');
    // Time enough to be read by itself.
    await sleep(50);
  }
  const responses: Response[] = [];
  for (let rest = (await received).toString('latin1'); rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n') + 4;
    const [first = '', ...lines] = rest.slice(0, end - 4).split('\r\n');
    const headers = new Headers(lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]));
    const next = end + Number(headers.get('content-length'));
    responses.push({ status: Number(first.split(' ')[1]), headers, body: rest.slice(end, next) });
    rest = rest.slice(next);
  }
  return responses;
}

/** A request of its own connection. */
const request = (line: string, headers: readonly string[] = [], body = '') =>
  `${[`${line} HTTP/1.1`, 'Host: a.example', ...headers].join('\r\n')}\r\n\r\n${body}`;

const get = 'GET /api/v1/paints';
const closing = 'Connection: close';
const json = 'Content-Type: application/json';
const chunked = [json, 'Transfer-Encoding: chunked'];
/** Guests need no token: their bodies are read. */
const register = 'POST /api/v1/public/expected-packages';

/** Checks what all responses of the API have in common. */
function expectCommonParts({ status, headers, body }: Response, expected: number, limit: string): void {
  expect({ status, body }).toMatchObject({ status: expected });
  expect(JSON.parse(body)).toEqual({
    error: { code: expect.stringMatching(/^[A-Z_]+$/), message: expect.stringMatching(/\.$/), status },
    meta: { request_id: headers.get('x-request-id') },
  });
  expect(headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('connection')).toBe('close');
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('access-control-expose-headers')).toContain('X-RateLimit-Limit');
  expect(headers.get('content-security-policy')).toContain(`default-src 'none'`);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(Math.abs(Date.parse(headers.get('date') ?? '') - Date.now())).toBeLessThan(60_000);
  expect(headers.get('x-ratelimit-limit')).toBe(limit);
  expect(Number(headers.get('x-ratelimit-remaining'))).toBeLessThanOrEqual(Number(limit));
  expect(Number(headers.get('x-ratelimit-reset')) * 1000).toBeGreaterThan(Date.now());
  expect(headers.get('ratelimit-policy')).toContain(`q=${limit}`);
}

test.each([
  ['no HTTP', 400, 'Hello\r\n\r\n'],
  ['TLS', 400, '\x16\x03\x01\x02\x00\x01\x00'],
  ['the preface of HTTP/2', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an unknown version', 400, 'GET /api/v1/paints HTTP/1.2\r\nHost: a\r\n\r\n'],
  ['an unknown method', 400, request('FOO /api/v1/paints')],
  ['a tunnel', 400, request('CONNECT a.example:443')],
  ['a space in the address', 400, request('GET /api/v1/pa ints')],
  ['an address that is not in ASCII', 400, request('GET /api/v1/paints/\xc3\xa4')],
  ['a relative address', 400, request('GET api/v1/paints')],
  ['an invalid percent-encoding', 400, request('GET /api/v1/public/expected-packages/status?email=%zz', [closing])],
  ['a space in the name of a header', 400, request(get, ['A b: c'])],
  ['a space after the name of a header', 400, request(get, ['A : c'])],
  ['NUL in a header', 400, request(get, ['A: b\0c'])],
  ['a header over two lines', 400, request(get, ['A: b', ' c'])],
  ['lines that end with LF alone', 400, request(get, [closing]).replaceAll('\r', '')],
  ['an invalid length', 400, request('POST /api/v1/paints', ['Content-Length: x'])],
  ['a negative length', 400, request('POST /api/v1/paints', ['Content-Length: -1'])],
  ['two lengths', 400, request('POST /api/v1/paints', ['Content-Length: 1', 'Content-Length: 2'])],
  ['a length and chunks', 400, request('POST /api/v1/paints', ['Content-Length: 3', ...chunked], '0\r\n\r\n')],
  ['chunks and a length', 400, request('POST /api/v1/paints', [...chunked, 'Content-Length: 3'], '0\r\n\r\n')],
  ['two Host headers', 400, request(get, ['Host: b.example', closing])],
  ['two Host headers of HTTP/1.0', 400, 'GET /api/v1/paints HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['an address with a host, and two Host headers', 400, request('GET http://a/v1/paints', ['Host: b', closing])],
  ['no Host header', 400, `${get} HTTP/1.1\r\n${closing}\r\n\r\n`],
  ['no Host header of HTTP/0.9', 400, `${get}\r\n\r\n`],
  ['a body that is no JSON', 400, request(register, [json, closing, 'Content-Length: 2'], '{x')],
  ['an invalid chunk', 400, [request(register, chunked), '2\r\n{}\r\nzz\r\n']],
  ['a long extension of a chunk', 400, [request(register, chunked), `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`]],
  ['a body over 16 KiB', 413, request(register, [json, 'Content-Length: 20000'], 'x')],
  ['chunks over 16 KiB', 413, request(register, chunked, `4e20\r\n${'x'.repeat(20_000)}\r\n0\r\n\r\n`)],
  ['a compressed body', 415, request(register, [json, 'Content-Encoding: gzip', closing, 'Content-Length: 2'], '{}')],
  ['headers of 70,000 bytes', 431, request(get, [`X-Long: ${'x'.repeat(70_000)}`])],
  ['1,001 headers', 431, request(get, [...Array(999).fill('A: b'), closing])],
  ['30,000 headers', 431, request(get, [closing, ...Array(30_000).fill('A:b')])],
  ['an address of 70,000 bytes', 431, request(`${get}?search=${'x'.repeat(70_000)}`)],
  ['trailers of 70,000 bytes', 431, [request(register, chunked), `2\r\n{}\r\n0\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`]],
])('%s: %i with the envelope, the request id and the rate limit', async (_, expected, text) => {
  const [response, ...more] = await send(text);
  if (response) expectCommonParts(response, expected, '60');
  expect({ response, more }).toEqual({ response: expect.anything(), more: [] });
});

test('a request without one host is 400 everywhere, in the form of errors there', async () => {
  for (const path of ['/api/v1/paints', '/graphql', '/auth/session', '/healthz', '/']) {
    for (const hosts of ['', 'Host: a.example\r\nHost: b.example\r\n', 'Host: a.example\r\nhost: a.example\r\n']) {
      const [response] = await send(`GET ${path} HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
      expect([path, response?.status]).toEqual([path, 400]);
      expect(response?.headers.get('x-request-id')).toMatch(/^[\w-]+$/);
      const { error, errors } = JSON.parse(response?.body ?? '') as Row & { errors?: Row[] };
      const message = expect.stringContaining('Host header');
      if (path === '/graphql') expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_REQUEST' } }]);
      else expect(error).toEqual({ code: 'BAD_REQUEST', status: 400, message });
    }
  }
});

test('a body that is not valid is refused with the id, the rate limit and the form of errors of its request', async () => {
  const headers = [...chunked, `Authorization: Bearer ${token}`, 'X-Request-Id: 5dc34e38-73c9-4b9f-ab62-fd1ef8c4ba5a'];
  const [rest, ...more] = await send([request('POST /api/v1/paints', headers), 'zz\r\n']);
  if (rest) expectCommonParts(rest, 400, '100');
  expect(rest?.headers.get('x-request-id')).toBe('5dc34e38-73c9-4b9f-ab62-fd1ef8c4ba5a');
  const [graphql, ...others] = await send([request('POST /graphql', headers), '2\r\n{}\r\nzz\r\n']);
  expect([graphql?.status, graphql?.headers.get('x-ratelimit-limit')]).toEqual([400, '100']);
  expect(JSON.parse(graphql?.body ?? '')).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
  expect([...more, ...others]).toEqual([]);
});

test('what is no request is refused after the responses to the requests before it', async () => {
  const headers = [`Authorization: Bearer ${token}`];
  const read = request(get, headers);
  const responses = await send(`${read}${read}Hello\r\n\r\n`);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 400]);
  const streamed = request('GET /api/v1/users', [...headers, 'Accept: text/csv']);
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
  socket.write(`${streamed}Hello\r\n\r\n`);
  // The last chunk of the stream comes before the refusal.
  expect((await buffer(socket)).toString()).toMatch(/^HTTP\/1\.1 200 [^]*\r\n0\r\n\r\nHTTP\/1\.1 400 [^]*\}\}$/);
});

test('a request is answered once, also where its body turns out to be invalid afterwards', async () => {
  const responses = await send([request('POST /api/v1/paints', chunked), 'zz\r\n']);
  expect(responses.map(({ status }) => status)).toEqual([401]);
});

test('all headers count, and an address may name the host', async () => {
  const many = [...Array<string>(997).fill('A: b'), `Authorization: Bearer ${token}`, closing];
  for (const address of [
    '/api/v1/paints',
    'http://b.example/api/v1/paints',
    'HTTPS://b.example:8443/v1/paints?limit=1',
  ]) {
    const [response] = await send(request(`GET ${address}`, many));
    expect([address, response?.status]).toEqual([address, 200]);
  }
});

test('what is refused is in the log, under its request id', async () => {
  const { database } = service;
  const lines: Row[] = [];
  const write = (line: Buffer, _encoding: string, done: () => void) => {
    lines.push(JSON.parse(String(line)) as Row);
    done();
  };
  const limiter = createLimiter(database, undefined);
  const app = await createApp({
    api,
    config: readConfig({}),
    database,
    limiter,
    logger: pino(new Writable({ write })),
  });
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const [response] = await send('Hello\r\n\r\n', origin);
  await app.close();
  await limiter.close();
  const reqId = response?.headers.get('x-request-id');
  expect(lines.filter(({ msg }) => msg === 'refused')).toMatchObject([{ reqId, status: 400 }]);
});
