import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from '@jest/globals';

import { type Browser, openSession, password, publicOrigin } from '../support/browser.ts';
import { type Row } from '../support/client.ts';
import { readCompany, readSession, startSignInService } from './sign-in-service.ts';

const { service, acme, ada, close } = await startSignInService();
afterAll(close);

describe('a page of another origin', () => {
  /** The headers of browsers for requests of other origins. */
  const crossOrigin: [what: string, headers: Record<string, string>][] = [
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another site, without an origin', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', origin: '' }],
    ['another port', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }],
    [
      'a frame of another site',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', origin: '' },
    ],
    ['another origin that only says so', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
    ['a sandboxed frame', { 'sec-fetch-site': '', origin: 'null' }],
    ['our origin over another scheme', { 'sec-fetch-site': '', origin: 'https://localhost:4000' }],
  ];
  /** Sends a request with a browser's cookies and only these headers; empty ones are left out. */
  async function send(browser: Browser, method: string, path: string, headers: Record<string, string>, body?: unknown) {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const given = Object.entries({
      cookie,
      ...headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }).filter(([, value]) => value !== '');
    // `fetch` sets some of these headers itself.
    const sent = request(service.origin + path, { method, headers: Object.fromEntries(given) }).end(
      body === undefined ? undefined : JSON.stringify(body),
    );
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const answer = await text(response);
    return { status: response.statusCode, json: answer.startsWith('{') ? (JSON.parse(answer) as Row) : undefined };
  }
  const query = { query: '{ paints { totalCount } }' };
  const inAddress = `/graphql?query=${encodeURIComponent(query.query)}`;

  test.each(crossOrigin)('(%s) is not signed in, even with a cookie', async (_what, headers) => {
    const browser = await openSession(service, ada.id);
    const before = [...browser.cookies];
    expect(await send(browser, 'POST', '/graphql', headers, query)).toMatchObject({
      status: 401,
      json: { errors: [{ extensions: { code: 'INVALID_TOKEN' } }] },
    });
    expect(await send(browser, 'GET', inAddress, headers)).toMatchObject({ status: 401 });
    expect(await send(browser, 'GET', '/api/v1/dashboard/analytics', headers)).toMatchObject({
      status: 401,
      json: { error: { code: 'INVALID_TOKEN' } },
    });
    expect(
      await send(browser, 'POST', '/api/v1/ai-usage', headers, { action: 'aggregate', month: '2026-01-01' }),
    ).toMatchObject({ status: 401 });
    expect(await send(browser, 'GET', '/auth/session', headers)).toMatchObject({ status: 200, json: { data: null } });
    for (const [method, path, body] of [
      ['POST', '/auth/sign-in', { email: ada.email, password }],
      ['POST', '/auth/sign-out', {}],
      ['PATCH', '/auth/session', { company_id: acme.company.sandbox.id }],
      ['POST', '/auth/password', { current_password: password, new_password: 'an unknown user chose this' }],
    ] as const) {
      expect(await send(browser, method, path, headers, body)).toMatchObject({
        status: 403,
        json: { error: { code: 'FORBIDDEN' } },
      });
    }
    expect([...browser.cookies]).toEqual(before);
    expect(await readCompany(browser)).toBe('acme');
    // A token is valid from any origin.
    const { token } = await acme.client();
    expect(
      await send(browser, 'POST', '/graphql', { ...headers, authorization: `Bearer ${token}` }, query),
    ).toMatchObject({ status: 200 });
  });

  test('changes nothing when the browser sends no origin headers', async () => {
    const browser = await openSession(service, ada.id);
    expect(await send(browser, 'POST', '/graphql', {}, query)).toMatchObject({ status: 401 });
    expect(await send(browser, 'POST', '/auth/sign-out', {}, {})).toMatchObject({ status: 403 });
    expect(await readSession(browser)).not.toBeNull();
  });

  test.each<[string, Record<string, string>]>([
    ['a page of ours', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }],
    [
      'an address that was typed',
      { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ],
    [
      'a link that was followed',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ],
    ['our origin over plain HTTP', { origin: publicOrigin }],
    ['a browser that tells nothing of a GET', {}],
  ])('is not %s', async (_what, headers) => {
    const browser = await openSession(service, ada.id);
    expect(await send(browser, 'GET', inAddress, headers)).toMatchObject({
      status: 200,
      json: { data: { paints: expect.anything() } },
    });
    expect(await send(browser, 'GET', '/auth/session', headers)).toMatchObject({
      json: { data: { person: { id: ada.id } } },
    });
  });

  test('cannot read responses', async () => {
    const reply = await (await openSession(service, ada.id)).get(
      '/auth/session',
      {},
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    );
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull();
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  });
});

test('a page of any origin may call the public API, without a cookie', async () => {
  const { headers } = await service.anonymous.request('OPTIONS', '/public/expected-packages', {
    headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' },
  });
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('access-control-allow-credentials')).toBeNull();
});
