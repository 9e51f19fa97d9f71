import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Browser as Chromium } from 'playwright-core';
import { createUser } from '../../src/auth/accounts.ts';
import type { User } from '../../src/database/generated/client/client.ts';
import { launch } from '../browser/chromium.ts';
import { inChromium, Visitor } from '../browser/visitor.ts';
import { Browser, publicOrigin } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { type Claims, callback, client, TestProvider } from './oidc-provider.ts';

let provider: TestProvider;
let service: Service;
let acme: Tenant;
let ada: User;
let cleo: User;
beforeAll(async () => {
  provider = await TestProvider.start();
  service = await startService(settings(provider.issuer));
  acme = await service.tenant('acme');
  [ada, , cleo] = acme.users as [User, User, User];
});
afterAll(async () => {
  await service.close();
  await provider.stop();
  jest.restoreAllMocks();
});

const settings = (OIDC_ISSUER: string) => ({
  OIDC_ISSUER,
  OIDC_CLIENT_ID: client.client_id,
  OIDC_CLIENT_SECRET: client.client_secret,
  OIDC_NAME: 'Example ID',
});
const locationOf = (response: Response) => response.headers.get('location') ?? '';
const personOf = async (browser: Browser) =>
  ((await browser.get('/auth/session')).json['data'] as { person: { id: string } } | null)?.person;

/** Sets out for the provider. */
async function setOut(browser: Browser, path = '/auth/oidc'): Promise<URL> {
  const response = await browser.open(path);
  expect(response.status).toBe(302);
  return new URL(locationOf(response));
}

/** Signs in at the provider as somebody, and comes back. @returns where that leads */
async function signIn(browser: Browser, subject: string | null, claims: Claims = {}, path?: string): Promise<string> {
  if (subject !== null) provider.people.set(subject, claims);
  const back = await provider.visit((await setOut(browser, path)).href, subject);
  expect(back.startsWith(`${callback}?`)).toBe(true);
  const response = await browser.open(back, { 'sec-fetch-site': 'cross-site' });
  expect(response.status).toBe(302);
  return locationOf(response);
}

describe('an OpenID provider', () => {
  test('is offered by name, and asked for an identity and nothing else', async () => {
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

  test('signs in a member whose address it vouches for, and keeps none of its tokens', async () => {
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

  test('knows them again by its subject, whatever their address is by then', async () => {
    const browser = new Browser(service.origin);
    expect(await signIn(browser, 'cleo-there', { email: cleo.email, email_verified: true })).toBe(`${publicOrigin}/`);
    expect(await signIn(browser, 'cleo-there', { email: 'cleo@married.example', email_verified: false })).toBe(
      `${publicOrigin}/`,
    );
    expect(await personOf(browser)).toMatchObject({ id: cleo.id, email: cleo.email });
  });

  test.each<[string, string, string, Claims]>([
    [
      'whom nobody here has made',
      'not_a_member',
      'anonymous',
      { email: 'anonymous@acme.example', email_verified: true, name: 'A Stranger' },
    ],
    [
      'whose address it does not vouch for',
      'email_not_verified',
      'liar-1',
      { email: 'ben@acme.example', email_verified: false },
    ],
    ['whose address it says nothing about', 'email_not_verified', 'liar-2', { email: 'ben@acme.example' }],
    [
      'whose address it vouches for with a word that is not true',
      'email_not_verified',
      'liar-3',
      { email: 'ben@acme.example', email_verified: 'false' },
    ],
    ['who has no address', 'email_not_verified', 'nameless', { email_verified: true }],
  ])('does not sign in somebody %s', async (_what, error, subject, claims) => {
    const { prisma } = service.database;
    const before = [await prisma.person.count(), await prisma.account.count(), await prisma.session.count()];
    const browser = new Browser(service.origin);
    expect(await signIn(browser, subject, claims)).toBe(`${publicOrigin}/sign-in?error=${error}`);
    expect(await personOf(browser)).toBeUndefined();
    expect([await prisma.person.count(), await prisma.account.count(), await prisma.session.count()]).toEqual(before);
  });

  test('does not sign in somebody who belongs to no company any longer', async () => {
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
      'that it did not sign',
      (identity) =>
        identity.replace(/\.[^.]+$/, (signature) =>
          signature.split('').reverse().join('').replace('.', '').replace(/^/, '.'),
        ),
    ],
    ['that nobody signed', (identity) => `${encoded({ alg: 'none' })}.${encoded(parts(identity)[1])}.`],
    [
      'with more than it signed',
      (identity) =>
        identity.replace(
          /\.([^.]+)\./,
          `.${encoded({ ...parts(identity)[1], email: 'ada@acme.example', email_verified: true })}.`,
        ),
    ],
    ['that was made for another visit', () => stolen],
  ])('is not believed an identity %s', async (_what, tamper) => {
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

  test('may be told no', async () => {
    expect(await signIn(new Browser(service.origin), null)).toBe(`${publicOrigin}/sign-in?error=cancelled`);
  });
});

describe('coming back', () => {
  test('is for the browser that set out, once', async () => {
    provider.people.set('ada-there', { email: ada.email, email_verified: true });
    const [mine, theirs] = [new Browser(service.origin), new Browser(service.origin)];
    const back = await provider.visit((await setOut(mine)).href, 'ada-there');
    await setOut(theirs);
    // Somebody is led to the address that another browser was to come back to.
    expect(locationOf(await theirs.open(back))).toBe(`${publicOrigin}/sign-in?error=failed`);
    expect(await personOf(theirs)).toBeUndefined();

    const again = await provider.visit((await setOut(mine)).href, 'ada-there');
    expect(locationOf(await mine.open(again))).toBe(`${publicOrigin}/`);
    const copy = new Browser(service.origin, new Map(mine.cookies));
    expect(locationOf(await copy.open(again))).toBe(`${publicOrigin}/sign-in?error=failed`);
  });

  test.each(['', '?code=x', '?code=x&state=y', '?error=access_denied', '?state=y&error=server_error', '?code=%00'])(
    'with %j, which nobody was sent back with, leads to the sign-in',
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

  test('leads to pages of ours alone', async () => {
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

inChromium('the button on the page for signing in', () => {
  let chromium: Chromium;
  beforeAll(async () => {
    // The provider sends people back to the public address, and whoever is not the service is not to be asked at all.
    chromium = await launch({
      [new URL(publicOrigin).host]: new URL(service.origin).host,
      '*.googleapis.com': '~NOTFOUND',
    });
  });
  afterAll(() => chromium.close());

  /** Presses it, and signs in at the provider's own pages. */
  async function signInThere(visitor: Visitor, subject: string, claims: Claims): Promise<void> {
    provider.people.set(subject, claims);
    const { page } = visitor;
    await page.getByRole('link', { name: 'Sign in with Example ID' }).click();
    await page.getByPlaceholder('Enter any login').fill(subject);
    await page.getByPlaceholder('and password').fill('x');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  test('leads to the provider, and back to where one wanted to go, signed in', async () => {
    const visitor = await Visitor.arrive(chromium, { origin: publicOrigin });
    await visitor.open('/dashboard');
    await signInThere(visitor, 'ada-there', { email: ada.email, email_verified: true });
    await visitor.page.waitForURL(`${publicOrigin}/dashboard`);
    await visitor.page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    await visitor.page.getByRole('banner').getByText(acme.company.name).waitFor();
    await visitor.page.getByText('Low stock').waitFor();
    await visitor.leave();
  });

  test('tells a person whom the provider vouches for that nobody here knows them', async () => {
    const visitor = await Visitor.arrive(chromium, { origin: publicOrigin });
    await visitor.open('/sign-in');
    await signInThere(visitor, 'anonymous', { email: 'anonymous@acme.example', email_verified: true });
    await visitor.page.waitForURL(`${publicOrigin}/sign-in?error=not_a_member`);
    const alert = visitor.page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain("This email address doesn't belong to any company here");
    await visitor.open('/dashboard');
    await visitor.page.waitForURL(/\/sign-in/);
    await visitor.leave();
  });

  test('leaves whoever changes their mind where they can try again', async () => {
    const visitor = await Visitor.arrive(chromium, { origin: publicOrigin });
    await visitor.open('/sign-in?return_to=/account');
    await visitor.page.getByRole('link', { name: 'Sign in with Example ID' }).click();
    await visitor.page.getByRole('link', { name: 'Cancel' }).click();
    await visitor.page.getByRole('alert').getByText('You canceled at your identity provider.').waitFor();
    await signInThere(visitor, 'ada-there', { email: ada.email, email_verified: true });
    await visitor.page.waitForURL((url) => url.origin === publicOrigin && url.pathname !== '/sign-in');
    await visitor.leave();
  });
});

describe('a provider that cannot be reached', () => {
  test('holds up nobody else, and is asked again', async () => {
    const other = await TestProvider.start();
    await other.stop();
    const late = await startService(settings(other.issuer));
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

  test('is one too that calls itself otherwise', async () => {
    const impostor = await startService(settings(provider.issuer.replace('127.0.0.1', 'localhost')));
    expect((await setOut(new Browser(impostor.origin))).href).toBe(
      `${publicOrigin}/sign-in?error=provider_unavailable`,
    );
    await impostor.close();
  });
});
