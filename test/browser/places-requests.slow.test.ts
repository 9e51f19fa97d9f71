// The page of requests, on which they are assigned and moved on, by keyboard too.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { countTaps, openAs } from './place.ts';
import type { Visitor } from './visitor.ts';
import { inChromium } from './visitor.ts';

inChromium('the page of requests', () => {
  let service: Service;
  let tenant: Tenant;
  let browser: Browser;
  let visitor: Visitor;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    const { admin } = await givePasswords(service, tenant);
    const client = await tenant.client();
    for (const [title, priority] of [
      ['Lamp', 'normal'],
      ['Lift', 'urgent'],
      ['Door', 'low'],
    ])
      await client.post('/service-requests', { title, priority });
    const screen = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' } as const;
    visitor = await openAs(browser, service, admin, undefined, screen);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const base = () => `/c/${tenant.company.slug}/requests`;
  const rowOf = (title: string) => service.database.prisma.serviceRequest.findFirstOrThrow({ where: { title } });
  async function openRequests() {
    await visitor.open(base());
    await visitor.page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
    await visitor.page.locator('[data-request]').first().waitFor();
  }
  const focusedTitle = () => visitor.page.evaluate(() => document.activeElement?.textContent);

  test('triages in two keys', async () => {
    const { page } = visitor;
    const admin = tenant.users[0];
    await openRequests();
    await page.getByText('3 requests').waitFor();
    // The most urgent is first.
    expect(await page.locator('[data-request]').allTextContents()).toEqual(['Lift', 'Lamp', 'Door']);
    await countTaps(page);
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Assign to me' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(`Lift is assigned to ${admin?.fullName}.`).waitFor();
    expect((await rowOf('Lift')).assignedTo).toBe(admin?.id);

    await page.keyboard.press('j');
    expect(await focusedTitle()).toBe('Lamp');
    await page.keyboard.press('s');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Lamp: In progress.').waitFor();
    // Two keys each, and nothing else.
    expect(await countTaps(page)).toBe(0);
    expect((await rowOf('Lamp')).status).toBe('IN_PROGRESS');
    await page.keyboard.press('k');
    expect(await focusedTitle()).toBe('Lift');
    // What was done can be taken back.
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('Taken back.').waitFor();
    expect((await rowOf('Lamp')).status).toBe('PENDING');
    expect(await findViolationsEverywhere(page)).toEqual([]);
  });

  test('moves cards of the board by key, and keeps its state in the address', async () => {
    const { page } = visitor;
    await openRequests();
    await page.getByText('Board', { exact: true }).click();
    await page.waitForURL('**/requests?view=board');
    const column = page.getByRole('region', { name: 'In progress' });
    await page.getByRole('heading', { name: 'Pending 3' }).waitFor();
    await page.getByRole('link', { name: 'Door' }).focus();
    await page.keyboard.press('s');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await column.getByRole('link', { name: 'Door' }).waitFor();
    await page.getByText('Door: In progress.').waitFor();
    expect((await rowOf('Door')).status).toBe('IN_PROGRESS');
    expect(await findViolationsEverywhere(page)).toEqual([]);

    await page.keyboard.press('/');
    await page.keyboard.type('Li');
    await page.waitForURL('**/requests?view=board&search=Li');
    await page.getByRole('heading', { name: 'Pending 1' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Pending 1' }).waitFor();
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('Li');
    await page.goBack();
  });

  test('shows somebody else to be faster, and changes nothing', async () => {
    const { page } = visitor;
    await openRequests();
    await page.getByRole('link', { name: 'Lamp' }).focus();
    await page.keyboard.press('s');
    await page.getByRole('dialog').waitFor();
    const { id } = await rowOf('Lamp');
    await (await tenant.client()).patch(`/service-requests/${id}`, { priority: 'high' });
    await page.keyboard.press('Enter');
    await page.getByText(/Couldn't change Lamp/).waitFor();
    expect(await rowOf('Lamp')).toMatchObject({ status: 'PENDING', priority: 'HIGH' });
  });

  test('shows its keys, which can be switched off', async () => {
    const { page } = visitor;
    await openRequests();
    await page.getByRole('link', { name: 'Lift' }).focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(await findViolationsEverywhere(page)).toEqual([]);
    await page.getByLabel('Use single keys in this browser').click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Lift' }).focus();
    await page.keyboard.press('j');
    expect(await focusedTitle()).toBe('Lift');
    await page.reload();
    await page.getByRole('link', { name: 'Lift' }).focus();
    await page.keyboard.press('j');
    expect(await focusedTitle()).toBe('Lift');
    await page.getByRole('button', { name: 'Keys' }).click();
    await page.getByLabel('Use single keys in this browser').click();
    expect(visitor.consoleErrors).toEqual([]);
  });
});
