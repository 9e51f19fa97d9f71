import { afterAll, describe, expect, test } from '@jest/globals';
import { Browser, password, signInAll } from '../support/browser.ts';
import { readSession, startSignInService } from './sign-in-service.ts';

const { service, acme, other, ada, startInstance, signedIn, addMember, close } = await startSignInService();
afterAll(close);

let twinOrigin: Promise<string> | undefined;
/** A second instance with the same settings. */
const startTwin = () => (twinOrigin ??= startInstance({ TRUST_PROXY: 'true' }));

test('a person has at most 20 sessions, and a new one ends the oldest', async () => {
  const { id: personId } = await addMember(acme, 'everywhere@acme.example');
  const sessions = service.database.prisma.session;
  const oldest = await signedIn('everywhere@acme.example');
  const expiresAt = new Date(Date.now() + 3600_000);
  await sessions.createMany({
    data: Array.from({ length: 19 }, (_, n) => ({ personId, token: `token ${n}`, expiresAt })),
  });
  expect(await readSession(oldest)).not.toBeNull();
  const newest = await signedIn('everywhere@acme.example');
  expect([await readSession(oldest), await sessions.count({ where: { personId } })]).toEqual([null, 20]);
  expect(await readSession(newest)).not.toBeNull();
});

describe('a session', () => {
  test('reads and writes over GraphQL, with one extra statement', async () => {
    const browser = await signedIn();
    expect(await browser.graphql('mutation { createPaint(input: {name: "Blue"}) { name } }')).toMatchObject({
      data: { createPaint: { name: 'Blue' } },
      errors: [],
    });
    service.statements.length = 0;
    const { headers } = await browser.graphql('{ __typename }');
    expect(service.statements).toHaveLength(1);
    expect(headers.get('x-ratelimit-limit')).toBe('5000');
  });

  test('is required by session-only routes, and ignored when a token is sent', async () => {
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

  test('has the permissions of the role', async () => {
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

  test('ends with signing out, also for copies of the cookie', async () => {
    const browser = await signedIn();
    const copy = new Browser(service.origin, new Map(browser.cookies));
    const reply = await browser.post('/auth/sign-out', undefined);
    expect([reply.status, reply.text, ...browser.cookies.keys()]).toEqual([
      204,
      '',
      expect.stringMatching(/^premises\.device_/),
    ]);
    expect(await readSession(copy)).toBeNull();
    expect(await copy.graphql('{ __typename }')).toMatchObject({ status: 401 });
    expect((await browser.post('/auth/sign-out', {})).status).toBe(204);
  });

  test('with a missing or wrong signature is rejected without a query', async () => {
    const [[name = '', value = ''] = []] = (await signedIn()).cookies;
    const token = value.split('.')[0];
    const anonymous = await startInstance({ AUTH_SECRET: 'a secret of another service, long enough' });
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
      expect({ wrong, session: await readSession(browser) }).toEqual({ wrong, session: null });
      expect(service.statements).toEqual([]);
      expect((await browser.graphql('{ __typename }')).status).toBe(401);
    }
    expect(await readSession(new Browser(service.origin, new Map([[name, value]])))).not.toBeNull();
  });

  test('is valid on every instance that shares the database', async () => {
    const browser = await signedIn();
    expect(await readSession(new Browser(await startTwin(), browser.cookies))).toMatchObject({
      person: { id: ada.id },
    });
  });

  test('lasts seven days, and is extended once a day', async () => {
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
    expect(await readSession(browser)).toBeNull();
    await signedIn();
    expect(await prisma.session.findUnique({ where: { id } })).toBeNull();
  });
});
