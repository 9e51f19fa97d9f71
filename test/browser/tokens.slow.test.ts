import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { Client, type Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { launch } from './chromium.ts';
import { inChromium, phone, Visitor } from './visitor.ts';

const run = promisify(execFile);

inChromium('API tokens', () => {
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

  test('are created, shown once, used and revoked', async () => {
    const visitor = await Visitor.create(browser, service, { viewport: phone });
    const { page } = visitor;
    await visitor.signIn(people.member);
    await page.waitForURL('**/c/*');
    await visitor.open('/account');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await visitor.focused()).toBe('API tokens');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('The door display');
    await page.getByRole('button', { name: 'Create token' }).click();
    // The error is where the person looks, at the button.
    const missing = page.getByRole('alert').getByText('Select at least one permission.');
    await missing.waitFor();
    expect(await visitor.focused()).toContain('Select at least one permission.');
    const [error, button] = [
      await missing.boundingBox(),
      await page.getByRole('button', { name: 'Create token' }).boundingBox(),
    ];
    expect(Math.abs((error?.y ?? 0) - (button?.y ?? 1000))).toBeLessThan(150);
    expect(error?.y).toBeGreaterThan(0);
    expect(error?.y).toBeLessThan(phone.height);
    await page.getByLabel('Paints: read').check();
    await page.getByRole('textbox', { name: 'Name' }).fill('  ');
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText(/^Name .+\.$/).waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('The door display');
    // Users are read-only for tokens too.
    expect(await page.getByLabel('Users: read').count()).toBe(1);
    expect(await page.getByLabel('Users: write').count()).toBe(0);
    // A double click creates one token.
    const create = await visitor.delayRequests('graphql', 'mutation CreateToken');
    await page.getByRole('button', { name: 'Create token' }).dblclick();
    expect(await page.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    await create();

    const dialog = page.getByRole('dialog', { name: 'Token created' });
    const token = await dialog.getByLabel('Token', { exact: true }).inputValue();
    expect(token).toMatch(/^svc_live_\w{38}$/);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('value'))).toBe(token);
    const command = await dialog.getByLabel('Example command').textContent();
    const curl = async () => JSON.parse((await run('sh', ['-c', `${command} --silent`])).stdout) as Row;
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });
    // The focused element is gone; the focus does not return to the top of the page.
    expect(await visitor.focused()).toBe('API tokens');
    expect(await page.content()).not.toContain(token);
    await page.getByText('never used').waitFor();
    expect(await service.database.prisma.apiToken.count({ where: { name: 'The door display' } })).toBe(1);

    expect(await curl()).toMatchObject({ data: [], meta: { total: 0, limit: 3 } });
    const program = new Client(service.origin, token);
    expect((await program.get('/paints')).status).toBe(200);
    expect((await program.get('/service-requests')).status).toBe(403);
    await page.reload();
    await page.getByText('last used just now').waitFor();

    await page.getByRole('button', { name: 'Revoke token: The door display' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await visitor.focused()).toBe('Revoke token');
    expect((await program.get('/paints')).status).toBe(200);
    await page.getByRole('button', { name: 'Revoke token: The door display' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click();
    await page.getByText('The door display was revoked.').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await visitor.focused()).toBe('API tokens');
    expect((await program.get('/paints')).status).toBe(401);
    expect(await curl()).toMatchObject({ error: { code: 'INVALID_TOKEN', status: 401 } });
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('have rate limits set by an admin, who sees all tokens', async () => {
    const [, ben] = tenant.users;
    const visitor = await Visitor.create(browser, service);
    const { page } = visitor;
    const program = await tenant.client(['*']);
    expect(ben).toBeDefined();
    await visitor.signIn(people.admin);
    await page.waitForURL('**/c/*');
    await visitor.open('/account');
    const limit = page.getByLabel('Requests per hour for test');
    await limit.fill('2000000000');
    await limit.press('Enter');
    await page.getByText(/^Requests per hour must be between 1 and/).waitFor();
    await limit.fill('7');
    await limit.press('Enter');
    await page.getByText('Saved.').waitFor();
    expect(await limit.evaluate((field) => field === document.activeElement)).toBe(true);
    expect((await program.get('/paints')).headers.get('x-ratelimit-limit')).toBe('7');
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });
});
