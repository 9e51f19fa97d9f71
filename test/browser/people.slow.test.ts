import { readFile, stat } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords, password } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { type MailServer, startMailServer } from '../support/smtp.ts';
import { launch } from './chromium.ts';
import { inChromium, phone, Visitor } from './visitor.ts';

inChromium('the pages of admins', () => {
  let service: Service;
  let browser: Browser;
  let mails: MailServer;
  let tenant: Tenant;
  let people: Awaited<ReturnType<typeof givePasswords>>;
  beforeAll(async () => {
    mails = await startMailServer();
    [service, browser] = await Promise.all([startService({ SMTP_URL: mails.url }), launch()]);
    tenant = await service.tenant();
    people = await givePasswords(service, tenant);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await mails?.close();
  });

  test('let them invite, change roles and deactivate, which signs out', async () => {
    const admin = await Visitor.create(browser, service, { viewport: phone });
    await admin.signIn(people.admin);
    await admin.page.waitForURL('**/c/*');
    await admin.follow('People');
    await admin.page.getByText('3 users').waitFor();
    await admin.page.getByLabel('Full name').fill('Dora Diaz');
    await admin.page.getByLabel('Email', { exact: true }).fill(people.member);
    const respond = await admin.delayRequests('graphql', 'mutation InviteUser');
    await admin.page.getByRole('button', { name: 'Invite user' }).click();
    const search = admin.page.getByLabel('Search by name or email');
    await search.focus();
    await respond();
    await admin.page.getByText(/is already a member/).waitFor();
    // Who has gone on meanwhile stays there.
    expect(await search.evaluate((input) => input === document.activeElement)).toBe(true);
    await admin.page.getByLabel('Email', { exact: true }).fill('dora@people.example');
    await admin.page.getByLabel('Role', { exact: true }).selectOption('Executive');
    await admin.page.getByRole('button', { name: 'Invite user' }).click();
    const link = (await admin.page.getByLabel('Invitation link').textContent()) ?? '';
    await admin.page.getByText('An invitation is emailed to dora@people.example').waitFor();
    await admin.page.getByText('Pending invitations').waitFor();
    await mails.received(1);
    expect(mails.messages[0]).toMatchObject({ recipients: ['dora@people.example'] });
    // Only the email holds the link that proves whose address it is.
    const { hash } = new URL(link);
    const mailed = /#[\w-]+/.exec(mails.messages[0]?.text ?? '')?.[0] ?? '';
    expect(mailed).toHaveLength(hash.length);
    expect(mailed).not.toBe(hash);

    // The links name the public address, which a proxy would lead to the service.
    const dora = await Visitor.create(browser, service);
    await dora.open('/invitation#incomplete');
    await dora.page.getByRole('alert').waitFor();
    // Only the part after the # differs.
    await dora.page.goto(`${service.origin}/invitation${mailed}`);
    await dora.page.getByText('invited as Dora Diaz').waitFor();
    await dora.page.getByLabel('Choose a password').fill('my name is Diaz');
    await dora.page.getByRole('button', { name: 'Accept and sign in' }).click();
    await dora.page.getByText(/must not contain your name/).waitFor();
    await dora.page.getByLabel('Choose a password').fill(password);
    await dora.page.getByRole('button', { name: 'Accept and sign in' }).click();
    await dora.page.waitForURL('**/c/*');
    expect(await dora.page.getByRole('link', { name: 'People' }).count()).toBe(0);
    await dora.open('/people');
    await dora.page.getByText('Only admins can open this page.').waitFor();
    await dora.page.goto(`${service.origin}/invitation${hash}`);
    await dora.page.getByRole('heading', { name: 'Invitation', level: 1 }).waitFor();
    await dora.page.getByText('This invitation has expired, or was accepted or withdrawn.').waitFor();

    await admin.page.reload();
    await admin.page.getByText('4 users').waitFor();
    // A revocation that ends late leaves the link of another invitation, which isn't shown again.
    const invite = async (name: string) => {
      await admin.page.getByLabel('Full name').fill(name);
      await admin.page.getByLabel('Email', { exact: true }).fill(`${name}@people.example`);
      await admin.page.getByRole('button', { name: 'Invite user' }).click();
      await admin.page.getByText(`emailed to ${name}@people.example`).waitFor();
    };
    await invite('Eve');
    const revoke = await admin.delayRequests('graphql', 'mutation RevokeInvitation');
    await admin.page.getByRole('button', { name: 'Revoke invitation: eve@people.example' }).dblclick();
    await invite('Fay');
    await revoke();
    await admin.page.getByText('The invitation of eve@people.example was revoked.').waitFor();
    expect(await admin.page.getByLabel('Invitation link').count()).toBe(1);
    expect(await admin.page.getByRole('alert').count()).toBe(0);
    await search.fill('Dora');
    await admin.page.getByText('1 user', { exact: true }).waitFor();
    // Keys choose a role; only the button changes it.
    const role = admin.page.getByLabel('Role of Dora Diaz');
    await role.focus();
    await admin.page.keyboard.press('ArrowDown');
    await admin.page.keyboard.press('ArrowUp');
    await admin.page.keyboard.press('ArrowUp');
    expect(await role.inputValue()).toBe('MEMBER');
    const { prisma } = service.database;
    const stored = () => prisma.user.findFirstOrThrow({ where: { email: 'dora@people.example' } });
    expect((await stored()).role).toBe('EXECUTIVE');
    await admin.page.getByRole('button', { name: 'Make Dora Diaz member' }).click();
    await admin.page.getByText('Dora Diaz is now member.').waitFor();
    expect((await stored()).role).toBe('MEMBER');
    await admin.page.getByRole('button', { name: 'Deactivate: Dora Diaz' }).click();
    await admin.page.getByText('Dora Diaz was deactivated and is signed out.').waitFor();
    await admin.page.getByRole('button', { name: 'Reactivate: Dora Diaz' }).waitFor();
    await dora.open('/dashboard');
    await dora.page.waitForURL('**/sign-in?**');

    await admin.page.getByRole('button', { name: 'Erase: Dora Diaz' }).click();
    const dialog = admin.page.getByRole('dialog');
    await dialog.getByText(/are replaced in the records, the logs and the notifications/).waitFor();
    await dialog.getByLabel('To confirm, enter their email: dora@people.example').fill('dora@people.test');
    await dialog.getByRole('button', { name: 'Erase' }).click();
    await dialog.getByText("must be the user's email address").waitFor();
    await dialog.getByLabel(/To confirm/).fill('dora@people.example');
    await dialog.getByRole('button', { name: 'Erase' }).click();
    await admin.page.getByText('Dora Diaz was erased.').waitFor();
    expect(await prisma.user.count({ where: { email: 'dora@people.example' } })).toBe(0);

    await admin.follow('Security log');
    // The filter has options of the same names.
    const events = admin.page.getByRole('list', { name: 'Events' }).getByRole('listitem');
    await events.getByText('User deactivated').first().waitFor();
    await events.getByText('from: executive · to: member').waitFor();
    await admin.page.getByLabel('Action').selectOption('Role changed');
    await admin.page.waitForFunction(() => document.querySelectorAll('ul[aria-label="Events"] li').length === 1);
    expect(await events.first().textContent()).toContain('from: executive · to: member');
    const download = admin.page.waitForEvent('download');
    await admin.page.getByRole('button', { name: 'Download CSV' }).click();
    const file = await readFile(await (await download).path(), 'utf8');
    expect(file.split('\r\n').slice(1, -1)).toEqual([expect.stringContaining(',role_changed,')]);
    await admin.page.getByRole('searchbox', { name: 'Search' }).fill('nobody has this');
    await admin.page.getByText('No such events.').waitFor();
    await admin.page.getByRole('searchbox', { name: 'Search' }).fill('EXECUTIVE');
    await admin.page.waitForFunction(() => document.querySelectorAll('ul[aria-label="Events"] li').length === 1);
    await admin.page.getByLabel('From').fill('2100-01-01');
    await admin.page.getByText('No such events.').waitFor();
    expect([...admin.consoleErrors, ...dora.consoleErrors]).toEqual([]);
    await dora.close();
    await admin.close();
  });

  test('let them change the company, and everybody end their other sessions', async () => {
    const [one, two] = [await Visitor.create(browser, service), await Visitor.create(browser, service)];
    for (const visitor of [one, two]) {
      await visitor.signIn(people.admin);
      await visitor.page.waitForURL('**/c/*');
    }
    await one.open('/company');
    await one.page.getByLabel('Name', { exact: true }).fill('Renamed Works');
    await one.page.getByLabel('Separate approval').check();
    await one.page.getByLabel('Currency').selectOption('EUR');
    await one.page.getByLabel('Time zone').selectOption('Pacific/Kiritimati');
    await one.page.getByLabel('Sender name').fill('Works Desk');
    await one.page.getByLabel('Reply-to address').fill('nobody@localhost');
    await one.page.getByRole('button', { name: 'Save' }).click();
    await one.page.getByText('Reply-to address must be an email address.', { exact: true }).waitFor();
    expect(await one.page.getByLabel('Reply-to address').evaluate((input) => input === document.activeElement)).toBe(
      true,
    );
    await one.page.getByLabel('Reply-to address').fill('desk@works.example');
    await one.page.getByRole('button', { name: 'Save' }).click();
    await one.page.getByText('Saved.').waitFor();
    await one.page.reload();
    await one.page.getByRole('banner').getByText('Renamed Works').waitFor();
    expect(await one.page.getByLabel('Separate approval').isChecked()).toBe(true);
    expect(await one.page.getByLabel('Time zone').inputValue()).toBe('Pacific/Kiritimati');
    expect(await one.page.getByLabel('Reply-to address').inputValue()).toBe('desk@works.example');
    // Amounts are in its currency, and its day is up to 14 hours ahead of UTC.
    await one.open('/dashboard');
    await one.page.getByText('€0.00').first().waitFor();
    await one.page.getByRole('button', { name: 'Last 7 days' }).click();
    const today = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);
    await one.page.waitForURL(`**/dashboard?**endDate=${today}`);

    await one.open('/account');
    await one.page.getByText('This browser').waitFor();
    await one.page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await one.page.getByText('You were signed out everywhere else.').waitFor();
    await two.open('/dashboard');
    await two.page.waitForURL('**/sign-in?**');

    // A sign-in of more than an hour ago creates no token.
    await service.database.prisma.session.updateMany({ data: { createdAt: new Date(Date.now() - 3_601_000) } });
    await one.page.getByRole('button', { name: 'Create token' }).click();
    await one.page.getByRole('textbox', { name: 'Name' }).fill('Later');
    await one.page.getByLabel('Full access', { exact: true }).check();
    await one.page.getByRole('button', { name: 'Create token' }).click();
    const dialog = one.page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByText('You signed in more than an hour ago. Sign in again to create a token.').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill(password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    const token = await one.page.getByLabel('Token', { exact: true }).inputValue();
    await one.page.getByRole('button', { name: 'Done' }).click();
    await one.page
      .getByText(`Ends in ${token.slice(-4)}`)
      .first()
      .waitFor();
    expect([...one.consoleErrors, ...two.consoleErrors]).toEqual([]);
    for (const visitor of [one, two]) await visitor.close();
  });

  test('search the security log once they stop typing', async () => {
    const admin = await Visitor.create(browser, service);
    const { page } = admin;
    await admin.signIn(people.admin);
    await page.waitForURL('**/c/*');
    await admin.open('/security-log');
    await page.getByRole('list', { name: 'Events' }).waitFor();
    const searches: string[] = [];
    await page.route('**/graphql', (route) => {
      searches.push(route.request().postData() ?? '');
      return route.continue();
    });
    await page.getByRole('searchbox', { name: 'Search' }).focus();
    const text = 'nothing that any event contains';
    await page.keyboard.type(text);
    await page.getByText('No such events.').waitFor();
    expect(searches.at(-1)).toContain(text);
    // One, unless the machine pauses between two keys.
    expect(searches.length).toBeLessThan(4);
    expect(admin.consoleErrors).toEqual([]);
    await admin.close();
  });

  test('ask admins who would take away their own access', async () => {
    const { prisma } = service.database;
    const tenant = await service.tenant('alone');
    const { admin: email } = await givePasswords(service, tenant);
    // Another admin, so that the last one is not the reason for anything.
    const [self, other] = tenant.users;
    await prisma.user.updateMany({ where: { id: other?.id }, data: { role: 'ADMIN' } });
    const stored = () => prisma.user.findFirstOrThrow({ where: { id: self?.id } });
    const visitor = await Visitor.create(browser, service, { viewport: phone });
    const { page } = visitor;
    await visitor.signIn(email);
    await page.waitForURL('**/c/*');
    await visitor.open('/people');
    await page.getByLabel(`Role of ${self?.fullName}`).selectOption('Member');
    await page.getByRole('button', { name: `Make ${self?.fullName} member` }).click();
    const dialog = page.getByRole('dialog', { name: 'Make yourself member?' });
    await dialog.getByText(/another admin has to/).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: `Deactivate: ${self?.fullName}` }).click();
    await page.getByRole('dialog', { name: 'Deactivate yourself?' }).getByRole('button', { name: 'Cancel' }).click();
    expect(await stored()).toMatchObject({ role: 'ADMIN', deactivatedAt: null });
    await page.getByRole('button', { name: `Make ${self?.fullName} member` }).click();
    await dialog.getByRole('button', { name: 'Change my role' }).click();
    await page.waitForFunction(() => !document.querySelector('[role=dialog]'));
    expect(await stored()).toMatchObject({ role: 'MEMBER' });
    await visitor.close();
  });

  test('let people set a forgotten password with an emailed link', async () => {
    const { prisma } = service.database;
    const { email, fullName } = tenant.users[1] ?? { email: '', fullName: '' };
    const visitor = await Visitor.create(browser, service, { viewport: phone });
    const { page } = visitor;
    await visitor.open('/sign-in');
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    const before = mails.messages.length;
    for (const address of ['nobody@people.example', email]) {
      await page.getByLabel('Email').fill(address);
      await page.getByRole('button', { name: 'Email me a link' }).click();
      await page.getByText(`If ${address} has an account, an email with a link is on its way.`).waitFor();
    }
    await mails.received(before + 1);
    const mail = mails.messages.slice(before).find(({ recipients }) => recipients.includes(email));
    await visitor.open(`/reset-password${/#[\w-]+/.exec(mail?.text ?? '')?.[0] ?? ''}`);
    await page.getByText(`For ${fullName} (${email}).`).waitFor();
    await page.getByLabel('New password').fill(`I am ${fullName}`);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText(/must not contain your name/).waitFor();
    await page.getByLabel('New password').fill(`another ${password}`);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Your password is set').waitFor();
    await visitor.signIn(email, `another ${password}`);
    await page.waitForURL('**/c/*');
    expect(await prisma.person.count({ where: { email, emailVerifiedAt: { not: null } } })).toBe(1);
    expect(mails.messages).toHaveLength(before + 1);
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('let them export and delete the company', async () => {
    const tenant = await service.tenant('closing');
    const people = await givePasswords(service, tenant);
    const admin = await Visitor.create(browser, service, { viewport: phone, acceptDownloads: true });
    await admin.signIn(people.admin);
    await admin.page.waitForURL('**/c/*');
    await admin.open('/company');
    const [download] = await Promise.all([
      admin.page.waitForEvent('download'),
      admin.page.getByRole('button', { name: 'Export data' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^closing-.*\.zip$/);
    expect((await stat(await download.path())).size).toBeGreaterThan(1000);

    const name = admin.page.getByLabel('To confirm, enter the company code: closing');
    await name.fill('close');
    await admin.page.getByLabel('Your password').fill(password);
    // By keyboard.
    await admin.page.keyboard.press('Enter');
    await admin.page.getByText('Company code does not match the company.').waitFor();
    expect(await name.evaluate((input) => input === document.activeElement)).toBe(true);
    await name.fill('closing');
    await admin.page.keyboard.press('Enter');
    await admin.page.waitForURL('**/sign-in');
    expect(await service.database.prisma.company.count({ where: { slug: 'closing' } })).toBe(0);
    expect(admin.consoleErrors.filter((text) => !/422/.test(text))).toEqual([]);
    await admin.close();
  });
});
