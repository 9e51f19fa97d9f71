import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Browser, password } from '../support/browser.ts';
import { readSession, startSignInService } from './sign-in-service.ts';

const { service, acme, ada, startInstance, newAddress, signIn, signedIn, addMember, close } =
  await startSignInService();
afterAll(close);

const cookieName = 'premises.session_token';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The token in a browser's session cookie. */
const tokenOf = ({ cookies }: Browser) => decodeURIComponent(cookies.get(cookieName) ?? '').split('.')[0] ?? '';

/** A browser with a session cookie that is signed with a secret. */
function forge(origin: string, token: string, secret: string): Browser {
  const signature = createHmac('sha256', secret).update(token).digest('base64');
  return new Browser(origin, new Map([[cookieName, encodeURIComponent(`${token}.${signature}`)]]));
}

describe('a session that is stored', () => {
  test('does not let anybody sign in, even with the secret that is stored beside it', async () => {
    const { prisma } = service.database;
    const token = tokenOf(await signedIn());
    const { value: secret } = await prisma.secret.findUniqueOrThrow({ where: { name: 'cookies' } });
    const stored = await prisma.session.findMany({ select: { token: true } });
    expect(stored).toContainEqual({ token: sha256(token) });
    expect(JSON.stringify(await prisma.session.findMany())).not.toContain(token);
    for (const { token } of stored) expect(await readSession(forge(service.origin, token, secret))).toBeNull();
    expect(await readSession(forge(service.origin, token, secret))).toMatchObject({ person: { id: ada.id } });
  });

  test('goes on when its token is hashed by the migration', async () => {
    const { prisma } = service.database;
    await addMember(acme, 'early@acme.example');
    const browser = await signedIn('early@acme.example');
    const token = tokenOf(browser);
    const { id } = await prisma.session.findUniqueOrThrow({ where: { token: sha256(token) } });
    const others = await prisma.session.findMany({ where: { id: { not: id } } });
    await prisma.session.deleteMany({ where: { id: { not: id } } });
    await prisma.session.update({ where: { id }, data: { token } });
    expect(await readSession(browser)).toBeNull();
    const path = '../../prisma/migrations/20261122184000_hash_session_tokens/migration.sql';
    await prisma.$executeRawUnsafe(readFileSync(new URL(path, import.meta.url), 'utf8'));
    await prisma.session.createMany({ data: others });
    expect(await readSession(browser)).toMatchObject({ person: { email: 'early@acme.example' } });
  });
});

describe('another AUTH_SECRET', () => {
  const [first, second] = ['the first secret of the service, long enough', 'the second secret of it, long enough too'];
  const env = { TRUST_PROXY: 'true' };

  test('keeps sessions and devices while the previous one is accepted, and ends the others with it', async () => {
    const email = 'rotated@acme.example';
    await addMember(acme, email);
    const onFirst = await startInstance({ ...env, AUTH_SECRET: first });
    const [used, unused, leaving] = [new Browser(onFirst), new Browser(onFirst), new Browser(onFirst)];
    for (const browser of [used, unused, leaving]) expect((await signIn(browser, email, password)).status).toBe(200);
    const old = new Map(used.cookies);

    const onBoth = await startInstance({ ...env, AUTH_SECRET: second, AUTH_SECRET_PREVIOUS: first });
    const during = new Browser(onBoth, used.cookies);
    const { headers } = await during.get('/auth/session');
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^premises\.session_token=.*; Path=\/; Max-Age=604\d{3}; HttpOnly; SameSite=Lax$/),
    ]);
    expect((await during.get('/auth/session')).headers.getSetCookie()).toEqual([]);
    // Signing out with a cookie of the previous secret ends the session too.
    const left = new Browser(onBoth, new Map(leaving.cookies));
    expect((await left.post('/auth/sign-out', undefined)).status).toBe(204);
    expect(await readSession(leaving)).toBeNull();

    const onSecond = await startInstance({ ...env, AUTH_SECRET: second });
    expect(await readSession(new Browser(onSecond, during.cookies))).toMatchObject({ person: { email } });
    expect(await readSession(new Browser(onSecond, unused.cookies))).toBeNull();
    expect(await readSession(new Browser(onSecond, old))).toBeNull();
  });

  test('extends sessions that the previous one has signed', async () => {
    const { prisma } = service.database;
    const email = 'extended@acme.example';
    const { id: personId } = await addMember(acme, email);
    const browser = new Browser(await startInstance({ ...env, AUTH_SECRET: first }));
    await signIn(browser, email, password);
    const expiresAt = new Date(Date.now() + 5 * 86_400_000);
    await prisma.session.updateMany({ where: { personId }, data: { expiresAt } });
    const onBoth = await startInstance({ ...env, AUTH_SECRET: second, AUTH_SECRET_PREVIOUS: first });
    const { headers } = await new Browser(onBoth, browser.cookies).get('/auth/session');
    expect(headers.getSetCookie()).toEqual([expect.stringMatching(/^premises\.session_token=.*Max-Age=604800;/)]);
    const [extended] = await prisma.session.findMany({ where: { personId } });
    expect(((extended?.expiresAt.getTime() ?? 0) - Date.now()) / 86_400_000).toBeCloseTo(7, 2);
    const onSecond = await startInstance({ ...env, AUTH_SECRET: second });
    expect(await readSession(new Browser(onSecond, browser.cookies))).toMatchObject({ person: { email } });
  });

  test('knows the browsers that the previous one knew', async () => {
    const email = 'known@acme.example';
    await addMember(acme, email);
    const known = new Browser(await startInstance({ ...env, AUTH_SECRET: first }));
    await signIn(known, email, password);
    known.cookies.delete(cookieName);
    const onBoth = await startInstance({ ...env, AUTH_SECRET: second, AUTH_SECRET_PREVIOUS: first });
    const address = newAddress();
    for (let n = 0; n < 10; n++) await signIn(new Browser(onBoth), email, 'a wrong password', address);
    expect((await signIn(new Browser(onBoth), email, password, address)).status).toBe(429);
    expect((await signIn(new Browser(onBoth, known.cookies), email, password, address)).status).toBe(200);
    const onSecond = await startInstance({ ...env, AUTH_SECRET: second });
    expect((await signIn(new Browser(onSecond, known.cookies), email, password, address)).status).toBe(200);
  });
});
