import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Browser as Chromium } from 'playwright-core';
import { type Claims, providerSettings, TestProvider } from '../auth/oidc-provider.ts';
import { publicOrigin } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { launch } from './chromium.ts';
import { inChromium, Visitor } from './visitor.ts';

inChromium('the button on the sign-in page', () => {
  let provider: TestProvider;
  let service: Service;
  let acme: Tenant;
  let chromium: Chromium;
  /** What the provider says about Ada. */
  let claims: Claims;
  beforeAll(async () => {
    provider = await TestProvider.start();
    service = await startService(providerSettings(provider.issuer));
    acme = await service.tenant('acme');
    claims = { email: acme.users[0]?.email ?? '', email_verified: true };
    // The provider redirects to the public address; other hosts must not be contacted.
    chromium = await launch({
      [new URL(publicOrigin).host]: new URL(service.origin).host,
      '*.googleapis.com': '~NOTFOUND',
    });
  });
  afterAll(async () => {
    await chromium.close();
    await service.close();
    await provider.stop();
    jest.restoreAllMocks();
  });

  /** Clicks the button, and signs in on the provider's pages. */
  async function signInThere(visitor: Visitor, subject: string, theirs: Claims): Promise<void> {
    provider.people.set(subject, theirs);
    const { page } = visitor;
    await page.getByRole('link', { name: 'Sign in with Example ID' }).click();
    await page.getByPlaceholder('Enter any login').fill(subject);
    await page.getByPlaceholder('and password').fill('x');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  test('signs in at the provider and returns to the requested page', async () => {
    const visitor = await Visitor.create(chromium, { origin: publicOrigin });
    await visitor.open('/dashboard');
    await signInThere(visitor, 'ada-there', claims);
    await visitor.page.waitForURL(`${publicOrigin}/dashboard`);
    await visitor.page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    await visitor.page.getByRole('banner').getByText(acme.company.name).waitFor();
    await visitor.page.getByText('Low stock').waitFor();
    await visitor.close();
  });

  test('explains that a verified person has no account', async () => {
    const visitor = await Visitor.create(chromium, { origin: publicOrigin });
    await visitor.open('/sign-in');
    await signInThere(visitor, 'anonymous', { email: 'anonymous@acme.example', email_verified: true });
    await visitor.page.waitForURL(`${publicOrigin}/sign-in?error=not_a_member`);
    const alert = visitor.page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain("This email address doesn't belong to any company here");
    await visitor.open('/dashboard');
    await visitor.page.waitForURL(/\/sign-in/);
    await visitor.close();
  });

  test('allows another attempt after canceling', async () => {
    const visitor = await Visitor.create(chromium, { origin: publicOrigin });
    await visitor.open('/sign-in?return_to=/account');
    await visitor.page.getByRole('link', { name: 'Sign in with Example ID' }).click();
    await visitor.page.getByRole('link', { name: 'Cancel' }).click();
    await visitor.page.getByRole('alert').getByText('You canceled at your identity provider.').waitFor();
    await signInThere(visitor, 'ada-there', claims);
    await visitor.page.waitForURL((url) => url.origin === publicOrigin && url.pathname !== '/sign-in');
    await visitor.close();
  });
});
