import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords, password } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { launch } from './chromium.ts';
import { inChromium, Visitor } from './visitor.ts';

inChromium('signing in', () => {
  let service: Service;
  let browser: Browser;
  let tenant: Tenant;
  let people: Awaited<ReturnType<typeof givePasswords>>;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    people = await givePasswords(service, tenant);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('returns to the requested page, and signs out again', async () => {
    const visitor = await Visitor.create(browser, service);
    const { page } = visitor;
    await visitor.open('/dashboard');
    await page.waitForURL('**/sign-in?return_to=%2Fdashboard');
    await visitor.open('/account');
    await page.waitForURL('**/sign-in?return_to=%2Faccount');
    await visitor.signIn(people.member);
    await page.waitForURL('**/account');
    await page.getByText(people.member).waitFor();
    // Scripts cannot read the session.
    expect(await page.evaluate(() => document.cookie)).toBe('');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    await visitor.open('/account');
    await page.waitForURL('**/sign-in?return_to=%2Faccount');
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test.each([
    ['en-US', 'Email', 'Password', 'Sign in'],
    ['de-CH', 'E-Mail', 'Passwort', 'Anmelden'],
  ])('takes what is typed and pressed before its scripts are there, in %s', async (locale, email, secret, button) => {
    const visitor = await Visitor.create(browser, service, { locale });
    const { page } = visitor;
    const releaseFirst = await visitor.delayRequests('assets/*.js');
    const release = await visitor.delayRequests('assets/base-*.js');
    await page.goto(`${service.origin}/sign-in`, { waitUntil: 'commit' });
    await page.getByLabel(email).fill(people.member);
    await page.getByLabel(secret, { exact: true }).fill(password);
    // A browser would send the form by itself, with the password in the address.
    expect(await page.getByRole('button', { name: button }).isDisabled()).toBe(true);
    void releaseFirst();
    await page.getByRole('button', { name: button }).click();
    // Shown in the meantime, as the person has chosen it.
    await page.getByRole('combobox').selectOption('dark');
    expect(page.url()).toBe(`${service.origin}/sign-in`);
    void release();
    await page.waitForURL('**/c/*');
    expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark');
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('loads the scripts of the form with its first use', async () => {
    const visitor = await Visitor.create(browser, service);
    const { page } = visitor;
    const scripts = new Set<string>();
    page.on('request', (request) => scripts.add(/\/assets\/([a-z]+)-.*\.js$/.exec(request.url())?.[1] ?? ''));
    await page.goto(`${service.origin}/sign-in`, { waitUntil: 'networkidle' });
    expect(scripts).toContain('wake');
    expect(scripts).not.toContain('base');
    await page.getByLabel('Email').pressSequentially(people.member);
    // React has taken over the field, in which the person is typing.
    await page.waitForFunction(() =>
      Object.keys(document.querySelector('input') ?? {}).some((key) => key.startsWith('__reactProps')),
    );
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/c/*');
    expect(scripts).toContain('base');
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('announces a wrong password, and allows another attempt', async () => {
    const visitor = await Visitor.create(browser, service);
    const { page } = visitor;
    await visitor.open('/sign-in?return_to=//elsewhere.example/');
    await visitor.signIn(people.member, 'incorrect horse');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('Incorrect email or password.');
    expect(await alert.evaluate((box) => box === document.activeElement)).toBe(true);
    await visitor.signIn(people.member);
    // Always one of our own pages.
    await page.waitForURL(`${service.origin}/c/*`);
    await visitor.close();
  });

  test('leads to the start if the return address is invalid', async () => {
    const visitor = await Visitor.create(browser, service);
    await visitor.open(`/sign-in?return_to=${encodeURIComponent('http://[')}`);
    await visitor.signIn(people.member);
    await visitor.page.getByRole('heading', { name: /^Hello, / }).waitFor();
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('allows changing the password and the company', async () => {
    const visitor = await Visitor.create(browser, service);
    const { page } = visitor;
    await visitor.signIn(people.executive);
    await page.waitForURL('**/c/*');
    await visitor.open('/account');
    await page.getByLabel('Active company').selectOption({ label: `${tenant.company.name} (sandbox) (executive)` });
    await page.getByText('Test data', { exact: true }).waitFor();
    const change = async (current: string) => {
      await page.getByLabel('Current password').fill(current);
      await page.getByLabel('New password', { exact: true }).fill(`new ${password}`);
      await page.getByLabel('Confirm new password').fill(`new ${password}`);
      await page.getByRole('button', { name: 'Change password' }).click();
    };
    await change('not this one');
    await page.getByText('Current password is incorrect.').waitFor();
    expect(await page.getByLabel('Current password').evaluate((field) => field === document.activeElement)).toBe(true);
    await change(password);
    await page.getByText('Password changed.').waitFor();
    expect(await visitor.focused()).toBe('Change password');
    // The current session continues.
    await visitor.open('/dashboard');
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('is requested again after the session expired', async () => {
    const visitor = await Visitor.create(browser, service);
    const { page } = visitor;
    await visitor.signIn(people.member);
    await page.waitForURL('**/c/*');
    await visitor.open('/account');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Too late');
    await page.getByLabel('Read-only access').check();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await page.reload();
    await page.waitForURL('**/sign-in?return_to=%2Faccount');
    await visitor.signIn(people.member);
    await page.waitForURL('**/account');
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('is possible again with a link that an admin hands over', async () => {
    const tenant = await service.tenant('forgetful');
    const people = await givePasswords(service, tenant);
    const admin = await Visitor.create(browser, service);
    await admin.signIn(people.admin);
    await admin.page.waitForURL('**/c/*');
    await admin.open('/people');
    const name = tenant.users[2]?.fullName ?? '';
    await admin.page.getByRole('button', { name: `Create password reset link: ${name}` }).click();
    const link = await admin.page.getByLabel('Link', { exact: true }).inputValue();
    await admin.page.getByRole('button', { name: 'Done' }).click();
    await admin.page.getByRole('dialog').waitFor({ state: 'hidden' });

    const member = await Visitor.create(browser, service);
    await member.open('/sign-in');
    // The service sends no email.
    expect(await member.page.getByRole('link', { name: 'Forgot password?' }).count()).toBe(0);
    await member.open(`/reset-password${new URL(link).hash}`);
    await member.page.getByText(`For ${name} (${people.member}).`).waitFor();
    await member.page.getByLabel('New password').fill(`another ${password}`);
    await member.page.getByRole('button', { name: 'Set password' }).click();
    await member.page.getByText('Your password is set').waitFor();
    await member.signIn(people.member, `another ${password}`);
    await member.page.waitForURL('**/c/*');
    await member.open(`/reset-password${new URL(link).hash}`);
    await member.page.getByText(/expired/).waitFor();
    expect([...admin.consoleErrors, ...member.consoleErrors]).toEqual([]);
    await member.close();
    await admin.close();
  });

  test('is shared by all tabs, as is the company', async () => {
    const visitor = await Visitor.create(browser, service);
    const { page, origin } = visitor;
    await visitor.signIn(people.admin);
    await page.waitForURL('**/c/*');
    const [account, graphiql] = [await page.context().newPage(), await page.context().newPage()];
    await graphiql.goto(`${origin}/graphql`);
    await graphiql.getByText(`${tenant.company.name} · Signed in as`).waitFor();
    await account.goto(`${origin}/account`);
    const sandbox = tenant.company.sandbox.name;
    await account.getByLabel('Active company').selectOption({ label: `${sandbox} (admin)` });
    await page.getByRole('banner').getByText(sandbox).waitFor();
    await graphiql.getByText(`${sandbox} · Signed in as`).waitFor();
    await account.getByRole('banner').getByText(sandbox).waitFor();
    await account.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in?return_to=%2Fc%2F*');
    await graphiql.getByText('Or add an API token in the Headers tab.').waitFor();
    // The back button does not show the page either.
    await account.waitForURL('**/sign-in');
    await account.goBack();
    await account.waitForURL('**/sign-in?return_to=%2Faccount');
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('is not available to pages of other origins', async () => {
    const visitor = await Visitor.create(browser, service);
    const { page } = visitor;
    await visitor.signIn(people.admin);
    await page.waitForURL('**/c/*');
    const tokens = () => service.database.prisma.apiToken.count();
    const before = await tokens();

    const form = `<form id=f method=post enctype=text/plain action="${service.origin}/auth/sign-out"><input name=a value=b></form>`;
    const elsewhere = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end(form),
    ).listen(0);
    const { port } = elsewhere.address() as AddressInfo;
    // Another port is a different origin of the same site, so the browser sends the cookie; another host is a different
    // site.
    for (const host of ['127.0.0.1', 'localhost']) {
      await page.goto(`http://${host}:${port}/`);
      const answers: number[] = [];
      page.on('response', (response) => {
        if (response.url().startsWith(service.origin) && response.request().method() !== 'OPTIONS')
          answers.push(response.status());
      });
      const outcomes = await page.evaluate(async (origin) => {
        const query = 'mutation { createApiToken(input: { name: "stolen", scopes: ["*"] }) { token } }';
        const body = JSON.stringify({ query });
        const json = { 'content-type': 'application/json' };
        const tries: [path: string, init: RequestInit][] = [
          ['/graphql?query={me{id}}', {}],
          ['/graphql?query={me{id}}', { mode: 'no-cors' }],
          [`/graphql?query=${encodeURIComponent(query)}`, {}],
          ['/graphql', { method: 'POST', body, headers: json }],
          ['/graphql', { method: 'POST', body, mode: 'no-cors' }],
          ['/auth/session', {}],
          ['/auth/session', { method: 'PATCH', body: '{}', headers: json }],
          ['/auth/sign-out', { method: 'POST', mode: 'no-cors' }],
          ['/api/v1/dashboard/analytics', {}],
        ];
        const read = async ([path, init]: (typeof tries)[number]) => {
          const response = await fetch(origin + path, { credentials: 'include', ...init });
          return response.type === 'opaque' ? 'opaque' : response.text();
        };
        return Promise.all(tries.map((one) => read(one).catch(() => 'blocked')));
      }, service.origin);
      expect(outcomes.filter((outcome) => outcome !== 'blocked' && outcome !== 'opaque')).toEqual([]);
      expect(answers.filter((status) => status < 400 && status !== 200)).toEqual([]);
      page.removeAllListeners('response');
      // A followed link carries the cookie; it can read, but not change anything.
      const followed = await page.goto(
        `${service.origin}/graphql?query=${encodeURIComponent('mutation { createApiToken(input: { name: "stolen", scopes: ["*"] }) { token } }')}`,
      );
      expect(followed?.status()).toBe(200); // GraphiQL, which runs no query by itself
      await page.goto(`http://${host}:${port}/`);
      await Promise.all([
        page.waitForURL(`${service.origin}/auth/sign-out`),
        page.evaluate(() => document.querySelector('form')?.submit()),
      ]);
    }
    elsewhere.close();
    expect(await tokens()).toBe(before);
    // Still signed in.
    await visitor.open('/dashboard');
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    await visitor.close();
  });
});
