import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createUser } from '../../src/auth/accounts.ts';
import type { User } from '../../src/database/generated/client/client.ts';
import { Browser, givePassword, password, publicOrigin } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { type Claims, callback, providerSettings, TestProvider } from './oidc-provider.ts';
import { startSignInService } from './sign-in-service.ts';

let provider: TestProvider;
let service: Service;
let acme: Tenant;
let ada: User;
let cleo: User;
beforeAll(async () => {
  provider = await TestProvider.start();
  service = await startService(providerSettings(provider.issuer));
  acme = await service.tenant('acme');
  [ada, , cleo] = acme.users as [User, User, User];
});
afterAll(async () => {
  await service.close();
  await provider.stop();
  jest.restoreAllMocks();
});

const locationOf = (response: Response) => response.headers.get('location') ?? '';
const personOf = async (browser: Browser) =>
  ((await browser.get('/auth/session')).json['data'] as { person: { id: string } } | null)?.person;

/** Starts the sign-in. @returns the provider's address */
async function setOut(browser: Browser, path = '/auth/oidc'): Promise<URL> {
  const response = await browser.open(path);
  expect(response.status).toBe(302);
  return new URL(locationOf(response));
}

/** Signs in at the provider, and follows the callback. @returns the address it redirects to */
async function signIn(browser: Browser, subject: string | null, claims: Claims = {}, path?: string): Promise<string> {
  if (subject !== null) provider.people.set(subject, claims);
  const back = await provider.visit((await setOut(browser, path)).href, subject);
  expect(back.startsWith(`${callback}?`)).toBe(true);
  const response = await browser.open(back, { 'sec-fetch-site': 'cross-site' });
  expect(response.status).toBe(302);
  return locationOf(response);
}

describe('an OpenID provider', () => {
  test('completes sign-ins that started before AUTH_SECRET was replaced', async () => {
    const { startInstance, ada, close } = await startSignInService();
    const [first, second] = ['the first secret of the service, long enough', 'the second of it, long enough too'];
    const env = { ...providerSettings(provider.issuer), PUBLIC_URL: publicOrigin };
    const browser = new Browser(await startInstance({ ...env, AUTH_SECRET: first }));
    const claims = { email: ada.email, email_verified: true, name: 'Ada' };
    provider.people.set('ada-elsewhere', claims);
    const back = await provider.visit((await setOut(browser)).href, 'ada-elsewhere');
    const onBoth = await startInstance({ ...env, AUTH_SECRET: second, AUTH_SECRET_PREVIOUS: first });
    const moved = new Browser(onBoth, browser.cookies);
    await moved.open(back, { 'sec-fetch-site': 'cross-site' });
    expect(await personOf(moved)).toMatchObject({ id: ada.id });
    await close();
  });

  test('is offered by name, and only asked for the identity', async () => {
    const browser = new Browser(service.origin);
    expect((await browser.get('/auth/providers')).json).toMatchObject({
      data: [{ id: 'oidc', name: 'Example ID', url: '/auth/oidc' }],
    });
    const address = await setOut(browser);
    expect(address.origin).toBe(provider.issuer);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      client_id: 'premises',
      response_type: 'code',
      redirect_uri: callback,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^.{20,}$/),
      nonce: expect.stringMatching(/^.{20,}$/),
    });
  });

  test('signs in a member with a verified address, without storing its tokens', async () => {
    const browser = new Browser(service.origin);
    expect(
      await signIn(
        browser,
        'ada-there',
        { email: 'ADA@acme.example', email_verified: true, name: 'Another Name' },
        '/auth/oidc?return_to=/account?tab=tokens',
      ),
    ).toBe(`${publicOrigin}/account?tab=tokens`);
    expect(await personOf(browser)).toEqual({
      id: ada.id,
      full_name: 'Ada acme',
      email: 'ada@acme.example',
      has_password: false,
      two_factor_enabled: false,
      language: null,
      time_zone: null,
    });
    expect((await browser.graphql('{ me { company { slug } } }')).data).toEqual({ me: { company: { slug: 'acme' } } });
    const [account, ...more] = await service.database.prisma.account.findMany({ where: { personId: ada.id } });
    expect(more).toEqual([]);
    expect(account).toEqual({
      id: expect.any(String),
      personId: ada.id,
      providerId: 'oidc',
      accountId: `${provider.issuer} ada-there`,
      password: null,
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
    });
    expect(await service.database.prisma.verification.count({ where: { value: { contains: 'ada' } } })).toBe(0);
  });

  test('marks the browser as known, so that guesses at the password do not lock it out', async () => {
    const { id: personId, email } = ada;
    const browser = new Browser(service.origin);
    await signIn(browser, 'ada-there', { email, email_verified: true });
    expect([...browser.cookies.keys()].filter((name) => name.includes('premises.device_'))).toHaveLength(1);
    await givePassword(service, personId);
    const unknownDevice = new Browser(service.origin);
    for (let n = 0; n < 10; n++) expect((await unknownDevice.signIn(email, 'wrong password')).status).toBe(401);
    expect((await unknownDevice.signIn(email, password)).status).toBe(429);
    expect((await browser.signIn(email, password)).status).toBe(200);
    await service.database.prisma.account.deleteMany({ where: { personId, providerId: 'credential' } });
  });

  test('recognizes a person by subject after their address changed', async () => {
    const browser = new Browser(service.origin);
    expect(await signIn(browser, 'cleo-there', { email: cleo.email, email_verified: true })).toBe(`${publicOrigin}/`);
    expect(await signIn(browser, 'cleo-there', { email: 'cleo@married.example', email_verified: false })).toBe(
      `${publicOrigin}/`,
    );
    expect(await personOf(browser)).toMatchObject({ id: cleo.id, email: cleo.email });
  });

  test.each<[string, string, string, Claims]>([
    [
      'without an account',
      'not_a_member',
      'anonymous',
      { email: 'anonymous@acme.example', email_verified: true, name: 'Someone Else' },
    ],
    [
      'whose address is not verified',
      'email_not_verified',
      'unverified-1',
      { email: 'ben@acme.example', email_verified: false },
    ],
    ['whose address has no verified claim', 'email_not_verified', 'unverified-2', { email: 'ben@acme.example' }],
    [
      'whose verified claim is the text "false"',
      'email_not_verified',
      'unverified-3',
      { email: 'ben@acme.example', email_verified: 'false' },
    ],
    ['without an address', 'email_not_verified', 'nameless', { email_verified: true }],
  ])('does not sign in a person %s', async (_what, error, subject, claims) => {
    const { prisma } = service.database;
    const before = [await prisma.person.count(), await prisma.account.count(), await prisma.session.count()];
    const browser = new Browser(service.origin);
    expect(await signIn(browser, subject, claims)).toBe(`${publicOrigin}/sign-in?error=${error}`);
    expect(await personOf(browser)).toBeUndefined();
    expect([await prisma.person.count(), await prisma.account.count(), await prisma.session.count()]).toEqual(before);
  });

  test('does not sign in a person who no longer belongs to a company', async () => {
    const { prisma } = service.database;
    const { id } = await createUser(prisma, {
      companyId: acme.company.id,
      email: 'gone@acme.example',
      fullName: 'Gone',
      role: 'MEMBER',
    });
    await prisma.user.deleteMany({ where: { id } });
    const browser = new Browser(service.origin);
    expect(await signIn(browser, 'gone', { email: 'gone@acme.example', email_verified: true })).toBe(
      `${publicOrigin}/sign-in?error=not_a_member`,
    );
    expect(await personOf(browser)).toBeUndefined();
  });

  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const parts = (identity: string) =>
    identity
      .split('.')
      .map((part, n) =>
        n < 2 ? (JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>) : {},
      );
  let stolen = '';
  test.each<[string, (identity: string) => string]>([
    [
      'with a wrong signature',
      (identity) =>
        identity.replace(/\.[^.]+$/, (signature) =>
          signature.split('').reverse().join('').replace('.', '').replace(/^/, '.'),
        ),
    ],
    ['without a signature', (identity) => `${encoded({ alg: 'none' })}.${encoded(parts(identity)[1])}.`],
    [
      'with added claims',
      (identity) =>
        identity.replace(
          /\.([^.]+)\./,
          `.${encoded({ ...parts(identity)[1], email: 'ada@acme.example', email_verified: true })}.`,
        ),
    ],
    ['of another sign-in', () => stolen],
    ['missing', () => ''],
  ])('is rejected with an ID token %s', async (_what, tamper) => {
    const sane = provider.tamper;
    const claims = { email: ada.email, email_verified: true };
    provider.tamper = (identity) => (stolen = identity);
    expect(await signIn(new Browser(service.origin), 'ada-there', claims)).toBe(`${publicOrigin}/`);
    provider.tamper = tamper;
    const browser = new Browser(service.origin);
    expect(await signIn(browser, 'ada-there', claims)).toBe(`${publicOrigin}/sign-in?error=failed`);
    expect(await personOf(browser)).toBeUndefined();
    provider.tamper = sane;
  });

  test('can be canceled', async () => {
    expect(await signIn(new Browser(service.origin), null)).toBe(`${publicOrigin}/sign-in?error=cancelled`);
  });
});

describe('the callback', () => {
  test('works once, in the browser that started the sign-in', async () => {
    provider.people.set('ada-there', { email: ada.email, email_verified: true });
    const [mine, theirs] = [new Browser(service.origin), new Browser(service.origin)];
    const back = await provider.visit((await setOut(mine)).href, 'ada-there');
    await setOut(theirs);
    // An attacker sends another person to a callback address.
    expect(locationOf(await theirs.open(back))).toBe(`${publicOrigin}/sign-in?error=failed`);
    expect(await personOf(theirs)).toBeUndefined();

    const again = await provider.visit((await setOut(mine)).href, 'ada-there');
    expect(locationOf(await mine.open(again))).toBe(`${publicOrigin}/`);
    const copy = new Browser(service.origin, new Map(mine.cookies));
    expect(locationOf(await copy.open(again))).toBe(`${publicOrigin}/sign-in?error=failed`);
  });

  test.each(['', '?code=x', '?code=x&state=y', '?error=access_denied', '?state=y&error=server_error', '?code=%00'])(
    'with %j redirects to the sign-in page',
    async (query) => {
      const browser = new Browser(service.origin);
      const response = await browser.open(`/auth/callback/oidc${query}`);
      expect({ status: response.status, to: locationOf(response) }).toEqual({
        status: 302,
        to: `${publicOrigin}/sign-in?error=failed`,
      });
      expect(await personOf(browser)).toBeUndefined();
    },
  );

  test('redirects to our own pages only', async () => {
    for (const outside of ['https://evil.example', 'evil.example', 'javascript:alert(1)', '']) {
      expect(
        (await new Browser(service.origin).open(`/auth/oidc?return_to=${encodeURIComponent(outside)}`)).status,
      ).toBe(400);
    }
    for (const inside of ['//evil.example', '/\\evil.example', '/@evil.example']) {
      const to = await signIn(
        new Browser(service.origin),
        'ada-there',
        { email: ada.email, email_verified: true },
        `/auth/oidc?return_to=${encodeURIComponent(inside)}`,
      );
      expect(new URL(to).origin).toBe(publicOrigin);
    }
  });
});

describe('an unreachable provider', () => {
  test('does not affect other requests, and is retried', async () => {
    const other = await TestProvider.start();
    await other.stop();
    const late = await startService(providerSettings(other.issuer));
    const browser = new Browser(late.origin);
    expect((await browser.get('/auth/session')).status).toBe(200);
    expect((await setOut(browser)).href).toBe(`${publicOrigin}/sign-in?error=provider_unavailable`);
    expect(locationOf(await browser.open('/auth/callback/oidc?code=x&state=y'))).toBe(
      `${publicOrigin}/sign-in?error=provider_unavailable`,
    );
    await other.restart();
    expect((await setOut(browser)).origin).toBe(other.issuer);
    await late.close();
    await other.stop();
  });

  test('includes one that reports another issuer', async () => {
    const impostor = await startService(providerSettings(provider.issuer.replace('127.0.0.1', 'localhost')));
    expect((await setOut(new Browser(impostor.origin))).href).toBe(
      `${publicOrigin}/sign-in?error=provider_unavailable`,
    );
    await impostor.close();
  });
});
