import { Writable } from 'node:stream';
import { afterAll, describe, expect, test } from '@jest/globals';
import pino from 'pino';
import { isHttpOnThisMachine } from '../../src/auth/sessions/index.ts';
import { Browser, password } from '../support/browser.ts';
import { type Reply } from '../support/client.ts';
import { readSession, startSignInService } from './sign-in-service.ts';

const { service, acme, ada, cleo, startInstance, signIn, signedIn, addMember, close } = await startSignInService();
afterAll(close);

describe('signing in', () => {
  test('sets an HttpOnly cookie, and returns the session', async () => {
    const browser = new Browser(service.origin);
    expect((await browser.get('/auth/session')).json).toMatchObject({ data: null });
    const reply = await signIn(browser, ' ADA@acme.example', password);
    const { company } = acme;
    const main = { id: company.id, name: 'Company acme', slug: 'acme', is_sandbox: false };
    const sandbox = { id: company.sandbox.id, name: 'Company acme (sandbox)', slug: 'acme-sandbox', is_sandbox: true };
    const session = {
      person: {
        id: ada.id,
        full_name: 'Ada acme',
        email: 'ada@acme.example',
        has_password: true,
        two_factor_enabled: false,
        language: null,
        time_zone: null,
      },
      role: 'admin',
      company: { ...main, currency: 'USD', time_zone: 'UTC' },
      companies: [
        { ...main, role: 'admin' },
        { ...sandbox, role: 'admin' },
      ],
      expires_at: expect.any(String),
    };
    expect(reply).toMatchObject({ status: 200 });
    expect(reply.json).toEqual({ data: session, meta: { request_id: reply.headers.get('x-request-id') } });
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const [cookie = '', device, ...more] = reply.headers.getSetCookie();
    expect([device, ...more]).toEqual([expect.stringMatching(/^premises\.device_/)]);
    expect(cookie.split('; ').slice(1).sort()).toEqual(['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Lax']);
    expect(reply.text).not.toContain(/=([^.]+)/.exec(cookie)?.[1]);
    expect((Date.parse(String(reply.row['expires_at'])) - Date.now()) / 86_400_000).toBeCloseTo(7, 2);
    expect(await readSession(browser)).toEqual(session);
  });

  test('sets a secure cookie, except on this machine', async () => {
    const reply = await new Browser(await startInstance({ PUBLIC_URL: 'https://premises.example' })).post(
      '/auth/sign-in',
      {
        email: ada.email,
        password,
      },
    );
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Secure-[^]*; HttpOnly; Secure; SameSite=Lax$/),
      expect.stringMatching(/^__Secure-[^]*; HttpOnly; SameSite=Strict; Secure$/),
    ]);
    const here = ['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000', 'http://my.localhost'];
    const elsewhere = [
      'http://premises.example',
      'https://localhost',
      'http://localhost.example',
      'http://127.example',
    ];
    expect([...here, ...elsewhere].filter(isHttpOnThisMachine)).toEqual(here);
  });

  test('returns the same error for a wrong address and a wrong password', async () => {
    const replies: Reply[] = [];
    for (const [email, secret] of [
      [ada.email, 'not the password'],
      ['unknown@acme.example', password],
      [cleo.email, password],
      ['no address', password],
      [ada.email, 'x'.repeat(1000)],
    ] as const) {
      replies.push(await signIn(new Browser(service.origin), email, secret));
    }
    for (const reply of replies) {
      expect(reply).toMatchObject({
        status: 401,
        error: { code: 'INVALID_CREDENTIALS', message: replies[0]?.error.message },
      });
      expect(reply.headers.getSetCookie()).toEqual([]);
    }
  });

  test('takes as long for an unknown address as for a wrong password', async () => {
    const times: Record<string, number[]> = { [ada.email]: [], 'unknown@acme.example': [] };
    for (let n = 0; n < 9; n++) {
      for (const email of Object.keys(times)) {
        const start = performance.now();
        expect((await signIn(new Browser(service.origin), email, 'not the password')).status).toBe(401);
        times[email]?.push(performance.now() - start);
      }
    }
    // The fastest of each: other tests on the machine slow the middle one of either, but never shorten any.
    const [known = 0, unknown = 0] = Object.values(times).map((each) => Math.min(...each));
    expect(unknown / known).toBeGreaterThan(0.5);
    expect(unknown / known).toBeLessThan(2);
  });

  test.each<[number, unknown, Record<string, unknown> | undefined]>([
    [422, {}, { email: 'is required', password: 'is required' }],
    [422, { email: 7, password: '' }, { email: 'must be a string', password: 'must not be empty' }],
    [
      422,
      { email: 'a@b.example', password: 'x', rememberMe: true },
      // No field has a similar name.
      { rememberMe: 'is not a field here' },
    ],
    [400, [], undefined],
    [400, undefined, undefined],
    [400, '{', undefined],
  ])('responds %d to %j', async (status, body, details) => {
    expect(await new Browser(service.origin).post('/auth/sign-in', body)).toMatchObject({
      status,
      error: { status, ...(details && { details }) },
    });
  });

  test('is rejected for a person without a company', async () => {
    const { id } = await addMember(acme, 'leaver@acme.example');
    await service.database.prisma.user.deleteMany({ where: { id } });
    expect(await signIn(new Browser(service.origin), 'leaver@acme.example', password)).toMatchObject({
      status: 401,
      error: { code: 'INVALID_CREDENTIALS' },
    });
  });

  test('exposes no other routes or methods of better-auth', async () => {
    const browser = await signedIn();
    for (const path of [
      '/sign-up/email',
      '/sign-in/email',
      '/get-session',
      '/update-user',
      '/delete-user',
      '/change-email',
      '/list-sessions',
      '/list-accounts',
      '/ok',
      '/error',
      '/callback/oidc',
      '/oidc',
      '/reset-password',
    ]) {
      for (const method of ['GET', 'POST'])
        expect(await browser.request(method, `/auth${path}`, method === 'POST' ? { body: {} } : {})).toMatchObject({
          status: 404,
        });
    }
    const refused = await browser.delete('/auth/session');
    expect(refused).toMatchObject({ status: 405, error: { code: 'METHOD_NOT_ALLOWED' } });
    expect(refused.headers.get('allow')).toBe('GET, PATCH, HEAD, OPTIONS');
    expect((await browser.request('OPTIONS', '/auth/sign-in')).headers.get('allow')).toBe('POST, OPTIONS');
    expect((await browser.get('/auth/providers')).json).toMatchObject({ data: [] });
  });
});

test('the log contains no password, cookie or secret', async () => {
  const lines: string[] = [];
  const logger = pino(
    { level: 'trace' },
    new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) }),
  );
  const origin = await startInstance({}, logger);
  const browser = new Browser(origin);
  await browser.signIn(ada.email, 'a wrong password 123');
  await browser.signIn(ada.email, password);
  const [[, cookie = ''] = []] = browser.cookies;
  await browser.graphql('{ me { id } }');
  await browser.post('/auth/password', { current_password: password, new_password: 'too short' });
  await browser.get('/auth/callback/oidc', { code: 'a-code', state: 'a-state' });
  const { value: secret } = await service.database.prisma.secret.findUniqueOrThrow({ where: { name: 'cookies' } });
  expect(secret.length).toBeGreaterThan(40);
  expect(lines.length).toBeGreaterThan(5);
  for (const hidden of ['a wrong password 123', password, cookie.split('.')[0] ?? '', secret, 'a-code'])
    expect(lines.join('')).not.toContain(hidden);
});
