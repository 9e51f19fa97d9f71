import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { givePasswords, openSession, password } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { previousTotp, totp } from '../support/totp.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { inChromium, phone, Visitor } from './visitor.ts';

/** A form that somebody fills in, and what shows that it is saved. */
interface Form {
  readonly path: string;
  readonly fill: (page: Page, text: string) => Promise<void>;
  /** The button that submits it. */
  readonly submit: string;
  readonly saved: (page: Page, text: string) => Promise<void>;
}

const forms: Readonly<Record<string, Form>> = {
  token: {
    path: '/account',
    async fill(page, text) {
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill(text);
      await page.getByLabel('Read-only access').check();
    },
    submit: 'Create token',
    async saved(page, text) {
      await page.getByRole('dialog', { name: 'Token created' }).getByRole('button', { name: 'Done' }).click();
      await page.getByText(text).first().waitFor();
    },
  },
  password: {
    path: '/account',
    async fill(page) {
      await page.getByLabel('Current password').fill(password);
      await page.getByLabel('New password', { exact: true }).fill(password);
      await page.getByLabel('Confirm new password').fill(password);
    },
    submit: 'Change password',
    saved: (page) => page.getByText('Password changed.').waitFor(),
  },
  webhook: {
    path: '/webhooks',
    async fill(page, text) {
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill(text);
      await page.getByRole('textbox', { name: 'URL' }).fill('https://crm.example/premises');
    },
    submit: 'Create webhook',
    async saved(page, text) {
      await page.getByRole('dialog', { name: 'Webhook created' }).getByRole('button', { name: 'Done' }).click();
      await page.getByText(text).first().waitFor();
    },
  },
  invitation: {
    path: '/people',
    async fill(page, text) {
      await page.getByLabel('Full name').fill(text);
      await page.getByLabel('Email', { exact: true }).fill('dora@expired.example');
    },
    submit: 'Invite user',
    async saved(page, text) {
      await page.getByText('Send this link to dora@expired.example.').waitFor();
      await page.getByText(text).waitFor();
    },
  },
  settings: {
    path: '/company',
    fill: (page, text) => page.getByLabel('Sender name').fill(text),
    submit: 'Save company settings',
    async saved(page, text) {
      await page.getByText('Saved.').waitFor();
      await page.reload();
      await page.getByLabel('Name', { exact: true }).waitFor();
      expect(await page.getByLabel('Sender name').inputValue()).toBe(text);
    },
  },
};

inChromium('a session that ends while somebody types', () => {
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

  const expireSessions = () =>
    service.database.prisma.session.updateMany({ data: { expiresAt: new Date(Date.now() - 1) } });
  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Sign in again' });
  const submit = (page: Page, { submit: name }: Form) => page.getByRole('button', { name, exact: true }).click();
  async function signInAgain(page: Page): Promise<void> {
    await dialogOf(page).getByLabel('Password', { exact: true }).fill(password);
    await dialogOf(page).getByRole('button', { name: 'Sign in' }).click();
  }

  /** Fills in a form, ends the session and submits it. */
  async function typeUntilExpired(page: Page, form: Form, text: string): Promise<void> {
    // What is read last: if the session had ended by then, it would be what asks to sign in.
    const unread = page.waitForResponse(
      async (response) =>
        /json/.test(response.headers()['content-type'] ?? '') &&
        (await response.text().catch(() => '')).includes('"unread"'),
    );
    await page.goto(service.origin + form.path);
    await form.fill(page, text);
    await unread;
    await expireSessions();
    await submit(page, form);
    await dialogOf(page).getByText('Your session has ended.').waitFor();
  }

  test.each(Object.entries(forms))('loses nothing of the form for a %s', async (_name, form) => {
    const { page, consoleErrors, close } = await visit(people.admin);
    await typeUntilExpired(page, form, 'Typed for long');
    // It is nowhere but on the page.
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(stored).not.toContain('Typed for long');
    expect(stored).not.toContain(password);
    await dialogOf(page).getByLabel('Password', { exact: true }).fill('not this one');
    await dialogOf(page).getByRole('button', { name: 'Sign in' }).click();
    await dialogOf(page).getByText('Incorrect password.').waitFor();
    await signInAgain(page);
    await form.saved(page, 'Typed for long');
    expect(consoleErrors).toEqual([]);
    await close();
  });

  test('leaves the text after the dialog was closed, and takes a code', async () => {
    const { page, consoleErrors, close } = await visit(people.executive);
    const form = forms['token'] as Form;
    await typeUntilExpired(page, form, 'Closed first');
    expect(await findViolationsEverywhere(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('alert').getByText("You've been signed out").waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Closed first');
    // Meanwhile they set up an authenticator app in another browser.
    const other = await openSession(service, tenant.users[1]?.id ?? '');
    const { key } = (await other.post('/auth/two-factor', { password })).json['data'] as { key: string };
    await other.post('/auth/two-factor/confirm', { code: await previousTotp(key) });
    await submit(page, form);
    await signInAgain(page);
    await dialogOf(page).getByLabel('Code').fill(totp(key));
    await dialogOf(page).getByRole('button', { name: 'Sign in' }).click();
    await form.saved(page, 'Closed first');
    expect(consoleErrors).toEqual([]);
    await close();
  });

  test('goes on when the same person signs in in another tab, in the company of the page', async () => {
    const { page, consoleErrors, close } = await visit(people.member);
    const form = forms['token'] as Form;
    await typeUntilExpired(page, form, 'In two tabs');
    // Their next session would work on the sandbox.
    const { id, sandbox } = tenant.company;
    const where = { email: people.member };
    await service.database.prisma.person.update({ where, data: { lastCompanyId: sandbox.id } });
    const second = await page.context().newPage();
    await second.goto(`${service.origin}/sign-in`);
    await second.getByLabel('Email').fill(people.member);
    await second.getByLabel('Password', { exact: true }).fill(password);
    await second.getByRole('button', { name: 'Sign in' }).click();
    await form.saved(page, 'In two tabs');
    expect(await service.database.prisma.apiToken.count({ where: { name: 'In two tabs', companyId: id } })).toBe(1);

    // Typed text of one person is not left for another.
    await typeUntilExpired(page, form, 'Not for others');
    await second.goto(`${service.origin}/sign-in`);
    await second.getByLabel('Email').fill(people.admin);
    await second.getByLabel('Password', { exact: true }).fill(password);
    await second.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(people.admin).first().waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).count()).toBe(0);
    expect(await service.database.prisma.apiToken.count({ where: { name: 'Not for others' } })).toBe(0);
    expect(consoleErrors).toEqual([]);
    await close();
  });

  test('does not matter to what guests enter', async () => {
    const { page, close } = await visit(people.admin);
    await page.goto(`${service.origin}/packages?company=${tenant.company.slug}`);
    await page.getByLabel('Your name').fill('Gus');
    await page.getByLabel('Your email').fill('gus@expired.example');
    await expireSessions();
    await page.getByRole('button', { name: 'Register delivery' }).click();
    await page.getByRole('heading', { name: 'Delivery registered' }).waitFor();
    await close();
  });

  /** Signs somebody in. */
  async function visit(email: string): Promise<Visitor> {
    const visitor = await Visitor.create(browser, service, { viewport: phone });
    await visitor.signIn(email);
    await visitor.page.waitForURL('**/c/*');
    return visitor;
  }
});
