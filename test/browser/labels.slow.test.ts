// Labels of rows, and addresses for calendar programs: what leaves the pages for paper and other programs.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Download } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { countTaps, openAs } from './place.ts';
import { inChromium } from './visitor.ts';

const bytesOf = async (download: Download) => readFile(await download.path());

inChromium('labels and calendar addresses', () => {
  let service: Service;
  let browser: Browser;
  let tenant: Tenant;
  let people: Awaited<ReturnType<typeof givePasswords>>;
  let assetId: string;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    people = await givePasswords(service, tenant);
    const client = await tenant.client();
    for (const asset_name of ['Lift 1', 'Lift 2', 'Saw'])
      assetId = String((await client.post('/assets', { asset_name })).row['id']);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('are saved for the selected rows and for one, by a template', async () => {
    const client = await tenant.client();
    const visitor = await openAs(browser, service, people.admin, `/c/${tenant.company.slug}/assets`);
    const { page } = visitor;
    const labels = page.getByRole('button', { name: 'Labels' });
    await page.getByRole('table', { name: 'Assets' }).getByText('Lift 2').waitFor();
    await page.getByLabel('Select the rows in view').click();
    await labels.click();
    // Without a template, it leads to the form of one.
    await page.getByRole('menuitem', { name: 'Create a label template first' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    expect(await findViolationsEverywhere(page)).toEqual([]);
    for (const template of [
      { name: 'Round', label_size: 'huge' },
      { name: 'Small', label_size: '63x34 mm', is_default: true },
    ])
      await client.post('/mailroom/label-templates', template);
    await page.reload();
    await page.getByRole('table', { name: 'Assets' }).getByText('Lift 2').waitFor();
    await page.getByLabel('Select the rows in view').click();
    await countTaps(page);
    await labels.click();
    await page.getByText('3 labels, by template').waitFor();
    const saved = page.waitForEvent('download');
    // The default template is the first one.
    await page.getByRole('menuitem').first().click();
    const download = await saved;
    expect(await countTaps(page)).toBe(2);
    expect(download.suggestedFilename()).toBe('labels.pdf');
    expect((await bytesOf(download)).subarray(0, 5).toString()).toBe('%PDF-');

    // One that is no size, and a network that is gone.
    await labels.click();
    await page.getByRole('menuitem', { name: 'Round (huge)' }).click();
    await page.getByText("Couldn't make the labels: The label size", { exact: false }).waitFor();
    await visitor.open(`/c/${tenant.company.slug}/assets/${assetId}`);
    await page.route('**/labels?*', (route) => route.abort());
    await labels.click();
    await page.getByRole('menuitem', { name: 'Small' }).click();
    await page.getByText("Can't reach the server", { exact: false }).waitFor();
    await page.unroute('**/labels?*');
    const release = await visitor.delayRequests('labels?*');
    await labels.click();
    const later = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Small' }).click();
    await page.locator('button[data-loading]', { hasText: 'Labels' }).waitFor();
    await release();
    expect((await bytesOf(await later)).subarray(0, 5).toString()).toBe('%PDF-');
    expect(visitor.consoleErrors.filter((text) => !text.includes('ERR_FAILED'))).toEqual([]);
    await visitor.close();
  });

  test('a calendar address is shown once, copied, read by programs, and revoked', async () => {
    const visitor = await openAs(browser, service, people.admin, `/c/${tenant.company.slug}/lease-timeline`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = visitor;
    const part = page.getByRole('region', { name: 'In your calendar' });
    await part.waitFor();
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('mutation CreateCalendarFeed') ? route.abort() : route.fallback(),
    );
    await part.getByRole('button', { name: 'Create calendar address' }).click();
    await page.getByText("Couldn't make an address", { exact: false }).waitFor();
    await page.unroute('**/graphql');
    const release = await visitor.delayRequests('graphql', 'mutation CreateCalendarFeed');
    await part.getByRole('button', { name: 'Create calendar address' }).click();
    await part.locator('button[data-loading]').waitFor();
    await release();
    const dialog = page.getByRole('dialog', { name: 'Calendar address' });
    const address = await dialog.getByLabel('Address').inputValue();
    expect(address).toMatch(/\/calendars\/[\w-]+\.ics$/);
    await dialog.getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
    expect(await findViolationsEverywhere(page)).toEqual([]);
    const { pathname } = new URL(address);
    const read = async () => {
      const response = await fetch(service.origin + pathname);
      return [response.status, (await response.text()).slice(0, 15)];
    };
    expect(await read()).toEqual([200, 'BEGIN:VCALENDAR']);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.getByText(address).count()).toBe(0);
    await part.getByRole('button', { name: /^Revoke the address/ }).click();
    await page.getByText('The address is revoked', { exact: false }).waitFor();
    await part.getByRole('button', { name: /^Revoke/ }).waitFor({ state: 'detached' });
    expect((await read())[0]).toBe(404);
    expect(visitor.consoleErrors.filter((text) => !text.includes('ERR_FAILED'))).toEqual([]);
    await visitor.close();
  });
});
