import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords, password } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { previousTotp, totp } from '../support/totp.ts';
import { findViolations } from './axe.ts';
import { launch } from './chromium.ts';
import { inChromium, phone, Visitor } from './visitor.ts';

inChromium('two-factor authentication', () => {
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

  test.each([
    ['light', 'executive'],
    ['dark', 'member'],
  ] as const)('is set up, used and reset with the keyboard, on a phone in %s colors', async (colorScheme, role) => {
    const options = { colorScheme, viewport: phone, reducedMotion: 'reduce' } as const;
    const visitor = await Visitor.create(browser, service, options);
    const { page } = visitor;
    const found: string[] = [];
    const check = async (shown: string) => {
      await page.getByText(shown).first().waitFor();
      found.push(...(await findViolations(page)).map((violation) => `${shown}: ${violation}`));
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > phone.width) found.push(`${shown} is ${width} wide`);
    };
    await visitor.signIn(people[role]);
    await page.waitForURL('**/c/*');
    await visitor.open('/account');
    await page.getByRole('button', { name: 'Set up authenticator app' }).press('Enter');
    await page.getByLabel('Your password').fill('a wrong password');
    await page.keyboard.press('Enter');
    await check('Password is incorrect.');
    await page.getByLabel('Your password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    await check('1. Scan this code');
    expect(await visitor.focused()).toBe('1. Scan this code with your app');
    const key = ((await page.getByLabel('Key', { exact: true }).textContent()) ?? '').replaceAll(' ', '');
    const codes = ((await page.getByLabel('Backup codes').textContent()) ?? '').split('\n');
    expect(codes).toHaveLength(10);
    await page.getByRole('textbox', { name: 'Code' }).fill('000000');
    await page.keyboard.press('Enter');
    await check('Code is incorrect.');
    await page.getByRole('textbox', { name: 'Code' }).fill(await previousTotp(key));
    await page.keyboard.press('Enter');
    await check('Two-factor authentication is on.');
    expect(await visitor.focused()).toBe('Two-factor authentication');

    await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
    await page.waitForURL('**/sign-in');
    await visitor.signIn(people[role]);
    await check('one of your backup codes');
    await page.keyboard.type('000000');
    await page.keyboard.press('Enter');
    await check('Incorrect code.');
    await page.getByRole('textbox', { name: 'Code' }).fill(totp(key));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/c/*');

    await visitor.open('/account');
    await page.getByRole('button', { name: 'New backup codes' }).click();
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await check('Your earlier backup codes no longer work.');
    expect((await page.getByLabel('Backup codes').textContent())?.split('\n')).not.toEqual(codes);

    const admin = await Visitor.create(browser, service, options);
    await admin.signIn(people.admin);
    await admin.page.waitForURL('**/c/*');
    await admin.open('/people');
    await admin.page.getByText('Two-factor', { exact: true }).waitFor();
    found.push(...(await findViolations(admin.page)));
    await admin.page.getByRole('button', { name: /^Reset two-factor sign-in: / }).press('Enter');
    await admin.page.getByText(/can sign in with their password alone/).waitFor();
    await admin.open('/security-log');
    await admin.page.getByRole('listitem').getByText('Two factor reset').first().waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Set up authenticator app' }).waitFor();
    expect([...found, ...visitor.consoleErrors, ...admin.consoleErrors]).toEqual([]);
    await admin.close();
    await visitor.close();
  });
});
