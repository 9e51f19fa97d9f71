import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pino from 'pino';
import { createApp } from '../../src/app.ts';
import { createUser } from '../../src/auth/accounts.ts';
import { createLimiter } from '../../src/auth/limits.ts';
import { type AttemptLimit, networkOf, signInLimits } from '../../src/auth/sessions/brute-force.ts';
import { isHttpOnThisMachine } from '../../src/auth/sessions/index.ts';
import { setPassword } from '../../src/auth/sessions/passwords.ts';
import { createToken } from '../../src/auth/tokens.ts';
import { readConfig } from '../../src/config.ts';
import type { User } from '../../src/database/generated/client/client.ts';
import { openDatabase } from '../../src/database/index.ts';
import { migrate } from '../../src/database/migrate.ts';
import { readMigrations } from '../../src/database/schema-engine.ts';
import { Client, type Reply, type Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { Browser, password, publicOrigin, signInAll } from './browser.ts';

let service: Service;
let acme: Tenant;
let other: Tenant;
let ada: User;
let ben: User;
let cleo: User;
/** What to do when all is over. */
const closers: (() => unknown)[] = [];
beforeAll(async () => {
  service = await startService({ TRUST_PROXY: 'true' });
  acme = await service.tenant('acme');
  other = await service.tenant('other');
  [ada, ben, cleo] = acme.users as [User, User, User];
  await setPassword(service.database.prisma, ada.id, password);
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
  await service.close();
});

/** Another instance of the service, on the same database. */
async function instance(env: Record<string, string> = {}, logger = pino({ level: 'silent' })): Promise<string> {
  const { database } = service;
  const config = readConfig(env);
  const limiter = createLimiter(database);
  const app = await createApp({ config, database, limiter, logger });
  await app.listen({ host: '127.0.0.1', port: 0 });
  closers.push(
    () => app.close(),
    () => limiter.close(),
  );
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

/** One with the same settings. */
let twinOrigin: Promise<string> | undefined;
const twin = () => (twinOrigin ??= instance({ TRUST_PROXY: 'true' }));

/** Every test guesses from an address of its own. */
let addresses = 0;
const elsewhere = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` });
const guess = (browser: Browser, email: string, secret: string, headers: Record<string, string>) =>
  browser.post('/auth/sign-in', { email, password: secret }, headers);

/** A browser in which somebody is signed in. */
async function signedIn(email = ada.email, secret = password): Promise<Browser> {
  const browser = new Browser(service.origin);
  expect((await guess(browser, email, secret, elsewhere())).status).toBe(200);
  return browser;
}
const memberOf = async ({ company }: Tenant, email: string, role: 'ADMIN' | 'MEMBER' = 'MEMBER') => {
  const user = await createUser(service.database.prisma, { companyId: company.id, email, fullName: 'Somebody', role });
  await setPassword(service.database.prisma, user.id, password);
  return user;
};
const whoAmI = async (browser: Browser) => (await browser.get('/auth/session')).json['data'] as Row | null;
const companyOf = async (browser: Browser) =>
  (await browser.graphql<{ me: { company: { slug: string } } | null }>('{ me { company { slug } } }')).data?.me?.company
    .slug;

describe('signing in', () => {
  test('hands out a cookie that scripts do not see, and tells who it is', async () => {
    const browser = new Browser(service.origin);
    expect((await browser.get('/auth/session')).json).toMatchObject({ data: null });
    const reply = await guess(browser, ' ADA@acme.example', password, elsewhere());
    const { company } = acme;
    const main = { id: company.id, name: 'Company acme', slug: 'acme', is_sandbox: false };
    const sandbox = { id: company.sandbox.id, name: 'Company acme (sandbox)', slug: 'acme-sandbox', is_sandbox: true };
    const session = {
      person: { id: ada.id, full_name: 'Ada acme', email: 'ada@acme.example', has_password: true },
      role: 'admin',
      company: main,
      companies: [
        { ...main, role: 'admin' },
        { ...sandbox, role: 'admin' },
      ],
      expires_at: expect.any(String),
    };
    expect(reply).toMatchObject({ status: 200 });
    expect(reply.json).toEqual({ data: session, meta: { request_id: reply.headers.get('x-request-id') } });
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const [cookie = '', ...more] = reply.headers.getSetCookie();
    expect(more).toEqual([]);
    expect(cookie.split('; ').slice(1).sort()).toEqual(['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Lax']);
    expect(reply.text).not.toContain(/=([^.]+)/.exec(cookie)?.[1]);
    expect((Date.parse(String(reply.row['expires_at'])) - Date.now()) / 86_400_000).toBeCloseTo(7, 2);
    expect(await whoAmI(browser)).toEqual(session);
  });

  test('hands out a cookie for HTTPS alone, unless it is on this machine', async () => {
    const reply = await new Browser(await instance({ PUBLIC_URL: 'https://premises.example' })).post('/auth/sign-in', {
      email: ada.email,
      password,
    });
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Secure-[^]*; HttpOnly; Secure; SameSite=Lax$/),
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

  test('says the same whatever was wrong', async () => {
    const replies: Reply[] = [];
    for (const [email, secret] of [
      [ada.email, 'not the password'],
      ['nobody@acme.example', password],
      [cleo.email, password],
      ['no address', password],
      [ada.email, 'x'.repeat(1000)],
    ] as const) {
      replies.push(await guess(new Browser(service.origin), email, secret, elsewhere()));
    }
    for (const reply of replies) {
      expect(reply).toMatchObject({
        status: 401,
        error: { code: 'INVALID_CREDENTIALS', message: replies[0]?.error.message },
      });
      expect(reply.headers.getSetCookie()).toEqual([]);
    }
  });

  test('takes as long for an address that nobody has as for a wrong password', async () => {
    const times: Record<string, number[]> = { [ada.email]: [], 'nobody@acme.example': [] };
    for (let n = 0; n < 5; n++) {
      for (const email of Object.keys(times)) {
        const start = performance.now();
        expect((await guess(new Browser(service.origin), email, 'not the password', elsewhere())).status).toBe(401);
        times[email]?.push(performance.now() - start);
      }
    }
    const [known = 0, unknown = 0] = Object.values(times).map((each) => each.sort((a, b) => a - b)[2]);
    expect(unknown / known).toBeGreaterThan(0.5);
    expect(unknown / known).toBeLessThan(2);
  });

  test.each<[number, unknown, Record<string, string> | undefined]>([
    [422, {}, { email: 'is required', password: 'is required' }],
    [422, { email: 7, password: '' }, { email: 'must be text', password: 'is required' }],
    [422, { email: 'a@b.example', password: 'x', rememberMe: true }, { rememberMe: 'is not a field here' }],
    [400, [], undefined],
    [400, undefined, undefined],
    [400, '{', undefined],
  ])('answers %d to %j', async (status, body, details) => {
    expect(await new Browser(service.origin).post('/auth/sign-in', body)).toMatchObject({
      status,
      error: { status, ...(details && { details }) },
    });
  });

  test('is not for whoever belongs to no company', async () => {
    const { id } = await memberOf(acme, 'leaver@acme.example');
    await service.database.prisma.user.deleteMany({ where: { id } });
    expect(await guess(new Browser(service.origin), 'leaver@acme.example', password, elsewhere())).toMatchObject({
      status: 401,
      error: { code: 'INVALID_CREDENTIALS' },
    });
  });

  test('offers nothing else of the library, and no other methods', async () => {
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

describe('a session', () => {
  test('reads and writes over GraphQL, at the price of one statement and the limit', async () => {
    const browser = await signedIn();
    expect(await browser.graphql('mutation { createPaint(input: {name: "Blue"}) { name } }')).toMatchObject({
      data: { createPaint: { name: 'Blue' } },
      errors: [],
    });
    service.statements.length = 0;
    const { headers } = await browser.graphql('{ __typename }');
    expect(service.statements).toHaveLength(2);
    expect(headers.get('x-ratelimit-limit')).toBe('5000');
  });

  test('is what session-only routes ask for, and not taken where a token is', async () => {
    const browser = (await signedIn()).at('/api/v1');
    expect((await browser.get('/dashboard/analytics')).status).toBe(200);
    expect(await browser.get('/service-requests')).toMatchObject({ status: 401, error: { code: 'INVALID_TOKEN' } });
    const { token } = await acme.client();
    expect((await browser.get('/service-requests', {}, { authorization: `Bearer ${token}` })).status).toBe(200);
    expect(await browser.get('/dashboard/analytics', {}, { authorization: `Bearer ${token}` })).toMatchObject({
      status: 401,
      error: { code: 'INVALID_TOKEN' },
    });
  });

  test('may do what the role may', async () => {
    const { admin, executive, member } = await signInAll(service, other);
    for (const [browser, role, scopes, status] of [
      [admin, 'ADMIN', ['*'], 200],
      [executive, 'EXECUTIVE', ['*'], 200],
      [member, 'MEMBER', ['*:read', '*:write'], 403],
    ] as const) {
      const { data, errors } = await browser.graphql('mutation { createPaint(input: {name: "Red"}) { name } }');
      expect({ data, errors }).toEqual({ data: { createPaint: { name: 'Red' } }, errors: [] });
      expect((await browser.graphql('{ me { role scopes } paints { nodes { name } } }')).data).toMatchObject({
        me: { role, scopes },
      });
      expect((await browser.get('/ai-usage')).status).toBe(status);
    }
  });

  test('ends with signing out, for whoever kept the cookie too', async () => {
    const browser = await signedIn();
    const copy = new Browser(service.origin, new Map(browser.cookies));
    const reply = await browser.post('/auth/sign-out', undefined);
    expect({ status: reply.status, text: reply.text, cookies: browser.cookies.size }).toEqual({
      status: 204,
      text: '',
      cookies: 0,
    });
    expect(await whoAmI(copy)).toBeNull();
    expect(await copy.graphql('{ __typename }')).toMatchObject({ status: 401 });
    expect((await browser.post('/auth/sign-out', {})).status).toBe(204);
  });

  test('that nobody signed, or somebody else, is none, and costs no look-up', async () => {
    const [[name = '', value = ''] = []] = (await signedIn()).cookies;
    const token = value.split('.')[0];
    const anonymous = await instance({ AUTH_SECRET: 'a secret of another service, long enough' });
    const forged = await new Browser(anonymous).post('/auth/sign-in', { email: ada.email, password });
    const [, foreign = ''] = /=([^;]+)/.exec(forged.headers.getSetCookie()[0] ?? '') ?? [];
    for (const wrong of [
      token,
      `${token}.`,
      `${token}.AAAA`,
      value.replace(/^./, (c) => (c === 'a' ? 'b' : 'a')),
      value.replace(/\.(.)/, (_, c) => (c === 'a' ? '.b' : '.a')),
      foreign,
      '%',
      '',
    ]) {
      const browser = new Browser(service.origin, new Map([[name, String(wrong)]]));
      service.statements.length = 0;
      expect({ wrong, session: await whoAmI(browser) }).toEqual({ wrong, session: null });
      expect(service.statements).toEqual([]);
      expect((await browser.graphql('{ __typename }')).status).toBe(401);
    }
    expect(await whoAmI(new Browser(service.origin, new Map([[name, value]])))).not.toBeNull();
  });

  test('counts with every instance that shares the database, and the secret they made with it', async () => {
    const browser = await signedIn();
    expect(await whoAmI(new Browser(await twin(), browser.cookies))).toMatchObject({ person: { id: ada.id } });
  });

  test('lasts seven days, and as long again once it is a day old', async () => {
    const { prisma } = service.database;
    const browser = await signedIn();
    const { id } = await prisma.session.findFirstOrThrow({ orderBy: { id: 'desc' } });
    const remaining = async () =>
      (await prisma.session.findUniqueOrThrow({ where: { id } })).expiresAt.getTime() - Date.now();
    const inDays = (days: number) =>
      prisma.session.update({ where: { id }, data: { expiresAt: new Date(Date.now() + days * 86_400_000) } });

    await inDays(6.1);
    expect((await browser.graphql('{ __typename }')).headers.getSetCookie()).toEqual([]);
    expect((await remaining()) / 86_400_000).toBeCloseTo(6.1, 2);
    await inDays(5.9);
    expect((await browser.graphql('{ __typename }')).headers.getSetCookie()).toEqual([
      expect.stringMatching(/Max-Age=604800;.*HttpOnly/),
    ]);
    expect((await remaining()) / 86_400_000).toBeCloseTo(7, 2);
    await inDays(-0.001);
    expect((await browser.graphql('{ __typename }')).status).toBe(401);
    expect(await whoAmI(browser)).toBeNull();
    await signedIn();
    expect(await prisma.session.findUnique({ where: { id } })).toBeNull();
  });
});

describe('the active company', () => {
  test('is any of those one belongs to, and the next sign-in begins there', async () => {
    const email = 'two@acme.example';
    const there = await memberOf(acme, email);
    await memberOf(other, email, 'ADMIN');
    const browser = await signedIn(email);
    await browser.graphql('mutation { createPaint(input: {name: "Live paint"}) { id } }');
    expect(await companyOf(browser)).toBe('acme');
    expect((await whoAmI(browser))?.['companies']).toMatchObject([
      { slug: 'acme', role: 'member' },
      { slug: 'acme-sandbox', role: 'member' },
      { slug: 'other', role: 'admin' },
      { slug: 'other-sandbox', role: 'admin' },
    ]);

    const sandbox = await browser.patch('/auth/session', { company_id: acme.company.sandbox.id });
    expect(sandbox).toMatchObject({
      status: 200,
      row: { company: { slug: 'acme-sandbox', is_sandbox: true }, role: 'member' },
    });
    expect((await browser.graphql('{ paints(search: "Live paint") { totalCount } }')).data).toEqual({
      paints: { totalCount: 0 },
    });

    expect(await browser.patch('/auth/session', { company_id: other.company.id })).toMatchObject({
      status: 200,
      row: { company: { slug: 'other' }, role: 'admin' },
    });
    expect(await companyOf(browser)).toBe('other');
    expect(await companyOf(await signedIn(email))).toBe('other');
    expect((await browser.graphql<{ me: { id: string } }>('{ me { id } }')).data.me.id).toBe(there.id);
  });

  test('is one of the companies that are seen, and the only one whose rows are', async () => {
    const email = 'sees@acme.example';
    const { id } = await memberOf(acme, email);
    await memberOf(other, email);
    const anonymous = await service.tenant();
    for (const tenant of [acme, other, anonymous]) {
      for (const live of [true, false])
        await (await tenant.client(['*'], { live })).post('/locations/buildings', {
          name: `House of ${tenant.company.slug}`,
        });
    }
    const browser = await signedIn(email);
    const lists =
      '{ slug few: users(first: 1) { totalCount nodes { id } } users(offset: 1) { totalCount nodes { id } } buildings { totalCount edges { node { name users: serviceRequests { totalCount } } } } }';
    const look = async () => {
      const { data, errors } = await browser.graphql<{
        me: { companies: { slug: string }[] };
        companies: { totalCount: number; nodes: Row[] };
        companyAggregates: Row[];
      }>(
        `{ me { companies { slug } } companies(sort: SLUG, order: ASC) { totalCount nodes ${lists} } companyAggregates { count } }`,
      );
      expect(errors).toEqual([]);
      const {
        me,
        companies: { totalCount, nodes },
        companyAggregates,
      } = data;
      expect(nodes.map(({ slug }) => slug)).toEqual(me.companies.map(({ slug }) => slug).sort());
      expect([totalCount, companyAggregates]).toEqual([nodes.length, [{ count: nodes.length }]]);
      return nodes;
    };
    const none = {
      few: { totalCount: 0, nodes: [] },
      users: { totalCount: 0, nodes: [] },
      buildings: { totalCount: 0, edges: [] },
    };
    const users = await service.database.prisma.user.count({ where: { companyId: acme.company.id } });
    const all = {
      few: { totalCount: users, nodes: [expect.anything()] },
      users: { totalCount: users },
      buildings: { totalCount: 1, edges: [{ node: { name: 'House of acme' } }] },
    };
    expect(await look()).toMatchObject([
      { slug: 'acme', ...all },
      { slug: 'acme-sandbox', ...none },
      { slug: 'other', ...none },
      { slug: 'other-sandbox', ...none },
    ]);

    const one = (companyId: string) =>
      browser.graphql(`query ($id: ID!) { company(id: $id) ${lists} }`, { id: companyId });
    expect((await one(other.company.id)).data).toEqual({ company: { slug: 'other', ...none } });
    expect((await one(acme.company.id)).data).toMatchObject({ company: { slug: 'acme', ...all } });
    const never = await one(randomUUID());
    expect(never).toMatchObject({
      data: { company: null },
      errors: [{ path: ['company'], extensions: { code: 'NOT_FOUND', status: 404 } }],
    });
    for (const foreign of [anonymous.company.id, anonymous.company.sandbox.id])
      expect((await one(foreign)).errors).toEqual(never.errors);

    // A token sees one, whoever's it is; a membership that is gone takes the sight of the company along.
    const { token } = await createToken(service.database.prisma, {
      companyId: acme.company.id,
      userId: id,
      name: 'test',
      scopes: ['*:read'],
      live: true,
    });
    const program = new Client(service.origin, token);
    expect((await program.graphql('{ companies { nodes { slug } } }')).data).toEqual({
      companies: { nodes: [{ slug: 'acme' }] },
    });
    expect((await program.get('/companies')).rows).toMatchObject([{ slug: 'acme' }]);
    expect((await program.get(`/companies/${other.company.id}`)).status).toBe(404);
    await service.database.prisma.user.deleteMany({ where: { id, companyId: other.company.id } });
    expect((await look()).map(({ slug }) => slug)).toEqual(['acme', 'acme-sandbox', 'other-sandbox']);
    expect((await one(other.company.id)).errors).toEqual(never.errors);
  });

  test('is none of the others', async () => {
    const browser = await signedIn();
    for (const company_id of [other.company.id, randomUUID(), 'x', null, 7]) {
      expect(await browser.patch('/auth/session', { company_id })).toMatchObject({
        status: 422,
        details: { company_id: expect.any(String) },
      });
    }
    expect(await browser.patch('/auth/session', {})).toMatchObject({ status: 422 });
    expect(await new Browser(service.origin).patch('/auth/session', { company_id: acme.company.id })).toMatchObject({
      status: 401,
      error: { code: 'INVALID_TOKEN' },
    });
    expect(await companyOf(browser)).toBe('acme');
  });

  test('is lost with the membership, at once, and another can be chosen', async () => {
    const { prisma } = service.database;
    const email = 'moves@acme.example';
    const { id } = await memberOf(acme, email);
    await memberOf(other, email);
    const browser = await signedIn(email);
    expect(await companyOf(browser)).toBe('acme');

    await prisma.user.deleteMany({ where: { id, companyId: { in: [acme.company.id, acme.company.sandbox.id] } } });
    expect(await browser.graphql('{ paints { totalCount } }')).toMatchObject({
      status: 401,
      errors: [{ extensions: { code: 'INVALID_TOKEN' } }],
    });
    expect(await browser.at('/api/v1').get('/dashboard/analytics')).toMatchObject({ status: 401 });
    expect(await whoAmI(browser)).toMatchObject({
      company: null,
      role: null,
      companies: [{ slug: 'other' }, { slug: 'other-sandbox' }],
    });
    expect(await browser.patch('/auth/session', { company_id: acme.company.id })).toMatchObject({ status: 422 });
    expect(await browser.patch('/auth/session', { company_id: other.company.id })).toMatchObject({ status: 200 });
    expect(await companyOf(browser)).toBe('other');

    await prisma.user.deleteMany({ where: { id } });
    expect(await browser.graphql('{ paints { totalCount } }')).toMatchObject({ status: 401 });
    expect(await whoAmI(browser)).toMatchObject({ company: null, companies: [] });
  });

  test('and the role in it are those of now', async () => {
    const { id } = await memberOf(acme, 'risen@acme.example');
    const browser = (await signedIn('risen@acme.example')).at('/api/v1');
    expect((await browser.get('/ai-usage')).status).toBe(403);
    await service.database.prisma.user.updateMany({ where: { id }, data: { role: 'EXECUTIVE' } });
    expect((await browser.get('/ai-usage')).status).toBe(200);
  });
});

describe('changing the password', () => {
  const change = (browser: Browser, current_password: string, new_password: string) =>
    browser.post('/auth/password', { current_password, new_password });

  test('ends every other session of the person, and the old password', async () => {
    const email = 'changes@acme.example';
    await memberOf(acme, email);
    const [here, there, adas] = [await signedIn(email), await signedIn(email), await signedIn()];
    expect(await change(here, password, 'a better password')).toMatchObject({ status: 204, text: '' });
    expect([await whoAmI(here), await whoAmI(there), await whoAmI(adas)]).toEqual([
      expect.anything(),
      null,
      expect.anything(),
    ]);
    expect((await guess(new Browser(service.origin), email, password, elsewhere())).status).toBe(401);
    await signedIn(email, 'a better password');
  });

  test.each([
    ['a wrong one now', 'not the password', 'a better password', { current_password: 'is incorrect' }],
    ['one too short', password, '9 letters', { new_password: 'must be at least 10 characters' }],
    ['one too long', password, 'x'.repeat(129), { new_password: 'must be at most 128 characters' }],
    ['none', password, '', { new_password: 'is required' }],
  ])('is refused with %s', async (_what, current, next, details) => {
    const browser = await signedIn();
    expect(await change(browser, current, next)).toMatchObject({
      status: 422,
      error: { code: 'VALIDATION_ERROR', details },
    });
    expect(await whoAmI(browser)).not.toBeNull();
  });

  test('is for whoever is signed in, and has one', async () => {
    expect(await change(new Browser(service.origin), password, 'a better password')).toMatchObject({
      status: 401,
      error: { code: 'INVALID_TOKEN' },
    });
    const { id } = await memberOf(acme, 'none@acme.example');
    const browser = await signedIn('none@acme.example');
    await service.database.prisma.account.deleteMany({ where: { personId: id } });
    expect(await change(browser, password, 'a better password')).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT' },
    });
    expect(await whoAmI(browser)).toMatchObject({ person: { has_password: false } });
  });

  test('may be guessed ten times an hour', async () => {
    await memberOf(acme, 'guessed@acme.example');
    const browser = await signedIn('guessed@acme.example');
    for (let n = 0; n < 10; n++)
      expect((await change(browser, `guess number ${n}`, 'a better password')).status).toBe(422);
    const refused = await change(browser, password, 'a better password');
    expect(refused).toMatchObject({ status: 429, error: { code: 'RATE_LIMITED' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
  });
});

describe('a page of another origin', () => {
  /** What browsers say of a request that no page of ours sent. */
  const strangers: [what: string, headers: Record<string, string>][] = [
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
  /** Sends a request with a browser's cookies and just these headers; an empty one is not sent. */
  async function send(browser: Browser, method: string, path: string, headers: Record<string, string>, body?: unknown) {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const given = Object.entries({
      cookie,
      ...headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }).filter(([, value]) => value !== '');
    // `fetch` has its own mind about what it says of itself.
    const sent = request(service.origin + path, { method, headers: Object.fromEntries(given) }).end(
      body === undefined ? undefined : JSON.stringify(body),
    );
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const answer = await text(response);
    return { status: response.statusCode, json: answer.startsWith('{') ? (JSON.parse(answer) as Row) : undefined };
  }
  const query = { query: '{ paints { totalCount } }' };
  const inAddress = `/graphql?query=${encodeURIComponent(query.query)}`;

  test.each(strangers)('(%s) is nobody, whatever cookie comes along', async (_what, headers) => {
    const browser = await signedIn();
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
      ['POST', '/auth/password', { current_password: password, new_password: 'a anonymous chose this' }],
    ] as const) {
      expect(await send(browser, method, path, headers, body)).toMatchObject({
        status: 403,
        json: { error: { code: 'FORBIDDEN' } },
      });
    }
    expect([...browser.cookies]).toEqual(before);
    expect(await companyOf(browser)).toBe('acme');
    // A token speaks for itself, wherever it comes from.
    const { token } = await acme.client();
    expect(
      await send(browser, 'POST', '/graphql', { ...headers, authorization: `Bearer ${token}` }, query),
    ).toMatchObject({ status: 200 });
  });

  test('changes nothing where a browser says nothing at all', async () => {
    const browser = await signedIn();
    expect(await send(browser, 'POST', '/graphql', {}, query)).toMatchObject({ status: 401 });
    expect(await send(browser, 'POST', '/auth/sign-out', {}, {})).toMatchObject({ status: 403 });
    expect(await whoAmI(browser)).not.toBeNull();
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
    const browser = await signedIn();
    expect(await send(browser, 'GET', inAddress, headers)).toMatchObject({
      status: 200,
      json: { data: { paints: expect.anything() } },
    });
    expect(await send(browser, 'GET', '/auth/session', headers)).toMatchObject({
      json: { data: { person: { id: ada.id } } },
    });
  });

  test('could not read an answer either', async () => {
    const reply = await (await signedIn()).get(
      '/auth/session',
      {},
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    );
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull();
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('guessing', () => {
  test('ends after ten wrong ones for an e-mail address from one place', async () => {
    const from = elsewhere();
    await memberOf(acme, 'target@acme.example');
    const browser = new Browser(service.origin);
    // What is right does not count.
    for (let n = 0; n < 3; n++) expect((await guess(browser, 'target@acme.example', password, from)).status).toBe(200);
    for (let n = 0; n < 10; n++)
      expect((await guess(browser, 'target@acme.example', 'not the password', from)).status).toBe(401);
    const refused = await guess(browser, 'Target@acme.example', password, from);
    expect(refused).toMatchObject({ status: 429, error: { code: 'RATE_LIMITED' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect(refused.headers.getSetCookie()).toEqual([]);
    expect((await guess(browser, ada.email, password, from)).status).toBe(200);
    expect((await guess(browser, 'target@acme.example', password, elsewhere())).status).toBe(200);
  });

  test('is counted alike for addresses that nobody has', async () => {
    const from = elsewhere();
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++)
      statuses.push((await guess(new Browser(service.origin), 'ghost@acme.example', 'not the password', from)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
  });

  /** As if there had been that many wrong guesses: hashing takes its time. */
  async function wrongAlready(times: number, limit: AttemptLimit | undefined) {
    const limiter = createLimiter(service.database);
    for (let n = 0; limit && n < times; n++) await limiter.consume(...limit);
    await limiter.close();
  }
  const tally = (statuses: number[]) => [401, 429].map((status) => statuses.filter((each) => each === status).length);

  test('ends after sixty from one place, whoever is guessed at', async () => {
    const from = elsewhere();
    const browser = new Browser(service.origin);
    await wrongAlready(55, signInLimits('', from['x-forwarded-for'])[2]);
    const statuses = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        guess(browser, `many${n}@acme.example`, 'not the password', from).then(({ status }) => status),
      ),
    );
    expect(tally(statuses)).toEqual([5, 7]);
    expect((await guess(browser, ada.email, password, from)).status).toBe(429);
    expect((await guess(browser, ada.email, password, elsewhere())).status).toBe(200);
  });

  test('ends after a hundred for one e-mail address from anywhere', async () => {
    const browser = new Browser(service.origin);
    await wrongAlready(95, signInLimits('hunted@acme.example', '')[1]);
    const statuses = await Promise.all(
      Array.from({ length: 12 }, () =>
        guess(browser, 'hunted@acme.example', 'not the password', elsewhere()).then(({ status }) => status),
      ),
    );
    expect(tally(statuses)).toEqual([5, 7]);
  });

  test('is counted exactly by all instances together', async () => {
    const from = elsewhere();
    const origins = [service.origin, await twin()];
    const statuses = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        guess(new Browser(origins[n % 2] ?? ''), ben.email, `guess number ${n}`, from).then(({ status }) => status),
      ),
    );
    expect(tally(statuses)).toEqual([10, 30]);
  });

  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::ffff:203.0.113.9', '::ffff:203.0.113.9'],
  ])('from %s is from %s', (ip, place) => expect(networkOf(ip)).toBe(place));
});

test('the log holds no password, no cookie and no secret', async () => {
  const lines: string[] = [];
  const logger = pino(
    { level: 'trace' },
    new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) }),
  );
  const origin = await instance({}, logger);
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

describe('people', () => {
  test('are one for each e-mail address, however many companies make them at once', async () => {
    const { prisma } = service.database;
    const companies = [];
    for (let n = 0; n < 6; n++) companies.push((await service.tenant(`many-${n}`)).company);
    const made = await Promise.all(
      companies.map(({ id: companyId }) =>
        createUser(prisma, { companyId, email: 'one@person.example', fullName: 'One Person', role: 'MEMBER' }),
      ),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await prisma.person.findMany({ where: { email: 'one@person.example' } })).toMatchObject([
      { id: made[0]?.id, fullName: 'One Person' },
    ]);
    expect(await prisma.user.count({ where: { id: made[0]?.id } })).toBe(12);
  });

  test('are made for the users that a database already has', async () => {
    const migrations = await readMigrations();
    const signIn = migrations.migrationDirectories.findIndex(({ path }) => path.endsWith('_sign_in'));
    const database = await openDatabase({ dataDir: 'memory://' });
    closers.push(() => database.close());
    await migrate(database, { ...migrations, migrationDirectories: migrations.migrationDirectories.slice(0, signIn) });
    const [one, two, first, second, third] = Array.from({ length: 5 }, () => randomUUID());
    await database.query({
      text: `INSERT INTO companies (id, name, slug) VALUES ('${one}', 'One', 'one'), ('${two}', 'Two', 'two')`,
    });
    await database.query({
      text: `INSERT INTO users (company_id, id, full_name, email, created_at) VALUES
        ('${one}', '${first}', 'Ann', 'ann@x.example', '2026-01-01'), ('${two}', '${first}', 'Ann T.', 'ann@x.example', '2026-01-02'),
        ('${one}', '${second}', 'Bob', 'bob@x.example', '2026-01-01'), ('${two}', '${third}', 'Bob T.', 'bob@x.example', '2026-01-02')`,
    });
    await database.query({
      text: `INSERT INTO notes (company_id, id, title, user_id) VALUES ('${two}', '${randomUUID()}', 'By Bob', '${third}')`,
    });
    await migrate(database);
    expect(await database.prisma.person.findMany({ orderBy: { email: 'asc' } })).toMatchObject([
      { id: first, email: 'ann@x.example', fullName: 'Ann' },
      { id: second, email: 'bob@x.example', fullName: 'Bob' },
    ]);
    expect(
      (await database.prisma.user.findMany({ where: { companyId: two }, orderBy: { email: 'asc' } })).map(
        ({ id }) => id,
      ),
    ).toEqual([first, second]);
    expect(await database.prisma.note.findFirstOrThrow()).toMatchObject({ userId: second });
  });
});
