import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { findViolations } from './axe.ts';
import { launch } from './chromium.ts';
import { inChromium, phone, Visitor } from './visitor.ts';

inChromium('the pages', () => {
  let service: Service;
  let browser: Browser;
  let admin: string;
  let link: string;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    const tenant = await service.tenant();
    ({ admin } = await givePasswords(service, tenant));
    const program = await tenant.client();
    await program.post('/service-requests', { title: 'One' });
    const guest = { company_slug: tenant.company.slug, guest_name: 'Gus', guest_email: 'gus@example.com' };
    link = `/packages/${String((await service.anonymous.post('/public/expected-packages', guest)).row['tracking_token'])}`;
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  /** Checks pages in a browser of its own. @param visit opens them */
  async function checkPages(
    colorScheme: 'light' | 'dark',
    visit: (visitor: Visitor, check: (path: string, shown: string) => Promise<void>, found: string[]) => Promise<void>,
  ): Promise<void> {
    const visitor = await Visitor.create(browser, service, { colorScheme, viewport: phone, reducedMotion: 'reduce' });
    const { page } = visitor;
    const found: string[] = [];
    const check = async (path: string, shown: string) => {
      if (!page.url().endsWith(path)) await visitor.open(path);
      await page.getByText(shown).locator('visible=true').first().waitFor();
      found.push(...(await findViolations(page)).map((violation) => `${path} (${shown}): ${violation}`));
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > phone.width) found.push(`${path} (${shown}) is ${width} wide`);
    };
    await visit(visitor, check, found);
    expect([...found, ...visitor.consoleErrors]).toEqual([]);
    await visitor.close();
  }

  const colorSchemes = ['light', 'dark'] as const;

  test.each(colorSchemes)('of guests are accessible in %s colors, and fit a phone', (colorScheme) =>
    checkPages(colorScheme, async (visitor, check) => {
      const { page } = visitor;
      await check('/', 'Register a delivery');
      await page.getByRole('link', { name: 'For developers' }).click();
      await check('/developers', 'REST reference');
      await page.getByRole('link', { name: 'curl' }).click();
      await check('/tutorials/curl', `API=${service.origin}/api/v1`);
      await check('/docs', 'Search operations');
      await page.getByText('Create a service request', { exact: true }).click();
      await page.getByRole('button', { name: 'Send request' }).waitFor();
      await check('/docs', 'Request body');
      await check('/packages', 'Your name');
      await page.getByRole('button', { name: 'Register delivery' }).click();
      await check('/packages', 'Your name is required.');
      await check(link, 'On its way');
      await check('/sign-in', 'Password');
      await visitor.signIn(admin, 'not this one');
      await check('/sign-in', 'Incorrect email or password.');
      await check('/forgot-password', 'Email me a link');
    }),
  );

  test.each(colorSchemes)('of people are accessible in %s colors, and fit a phone', (colorScheme) =>
    checkPages(colorScheme, async (visitor, check, found) => {
      const { page } = visitor;
      await visitor.signIn(admin);
      await page.waitForURL('**/c/*');
      await visitor.open('/dashboard');
      await page.getByText('View as table').click();
      await check('/dashboard', 'Low stock');
      await check('/ai-usage', 'Cost per month');
      await check('/account', 'Current password');
      await page.getByText('Requests per hour').first().waitFor();
      await page.getByRole('button', { name: 'Create token' }).click();
      await check('/account', 'Service requests');
      await page.getByRole('textbox', { name: 'Name' }).fill('One');
      await page.getByLabel('Full access', { exact: true }).check();
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByRole('button', { name: 'Copy', exact: true }).hover();
      await check('/account', 'Copy your token now');
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'Revoke token: One' }).first().click();
      await page.getByRole('button', { name: 'Revoke token', exact: true }).hover();
      await check('/account', "This can't be undone");
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await check('/account', 'This browser');
      await visitor.open('/graphql');
      await page.getByText('No token needed.').waitFor();
      await visitor.run('LatestRequests');
      await page.locator('.result-window').getByText('totalCount').first().waitFor();
      // Our additions to GraphiQL must pass every rule. Its own colors of comments and line numbers have too little
      // contrast, and its draggable tabs contain small buttons.
      found.push(...(await findViolations(page, { exclude: ['.graphiql-container'] })));
      found.push(
        ...(await findViolations(page, '.graphiql-container', ['color-contrast', 'nested-interactive', 'target-size'])),
      );
    }),
  );

  test.each(colorSchemes)('of admins are accessible in %s colors, and fit a phone', (colorScheme) =>
    checkPages(colorScheme, async (visitor, check) => {
      const { page } = visitor;
      await visitor.signIn(admin);
      await page.waitForURL('**/c/*');
      await check('/people', '3 users');
      await page.getByLabel('Full name').fill('Dora Diaz');
      await page.getByLabel('Email', { exact: true }).fill('dora@axe.example');
      await page.getByRole('button', { name: 'Invite user' }).click();
      const invitation = (await page.getByLabel('Invitation link').textContent()) ?? '';
      await check('/people', 'Pending invitations');
      await page
        .getByRole('button', { name: /^Create password reset link: / })
        .last()
        .click();
      const reset = await page.getByLabel('Link', { exact: true }).inputValue();
      await check('/people', 'once, within an hour');
      await page.getByRole('button', { name: 'Done' }).click();
      await check(`/reset-password${new URL(reset).hash}`, "You'll be signed out everywhere");
      await check('/company', 'Separate approval');
      await check('/security-log', 'Signed in');
      await check('/webhooks', 'No webhooks yet.');
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByLabel('Selected resources').check();
      await page.getByRole('textbox', { name: 'Name' }).fill('CRM');
      await page.getByRole('textbox', { name: 'URL' }).fill('ftp://crm.example');
      await page.getByLabel('Paints').check();
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await check('/webhooks', 'must be an http or https URL');
      await page.getByRole('textbox', { name: 'URL' }).fill('https://crm.example/premises');
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByRole('button', { name: 'Copy', exact: true }).hover();
      await check('/webhooks', 'Copy the secret now');
      await page.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'Send test event: CRM' }).click();
      await page.getByRole('button', { name: /^Send again: test of / }).waitFor();
      await page.getByText('Deliveries of a time range').click();
      await page.getByRole('button', { name: 'Edit CRM' }).click();
      await page.getByRole('textbox', { name: 'Filter' }).fill('{ nonsense: { eq: 1 } }');
      await page.getByRole('button', { name: 'Save webhook' }).click();
      await check('/webhooks', 'Field "nonsense" is not defined');
      await page.getByRole('form').getByRole('button', { name: 'Cancel' }).click();
      await check('/webhooks', 'Deliveries of the last 30 days');
      await page.getByRole('button', { name: 'Delete webhook: CRM' }).click();
      await page.getByRole('button', { name: 'Delete webhook', exact: true }).hover();
      await check('/webhooks', 'is deleted');
      await page.getByRole('button', { name: 'Delete webhook', exact: true }).click();
      await page.getByText('CRM was deleted.').waitFor();
      await check(`/invitation${new URL(invitation).hash}`, 'Choose a password');
    }),
  );
});
