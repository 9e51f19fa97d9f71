import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { countTaps, openAs } from './place.ts';
import { inChromium } from './visitor.ts';

/** A number of days after today; the companies of tests are in UTC. */
const dayAfter = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

inChromium('what is planned', () => {
  let service: Service;
  let browser: Browser;
  let tenant: Tenant;
  let people: Awaited<ReturnType<typeof givePasswords>>;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    people = await givePasswords(service, tenant);
    const client = await tenant.client();
    const asset = (await client.post('/assets', { asset_name: 'Lift 2' })).row['id'];
    const job = { maintenance_type: 'inspection', scheduled_date: dayAfter(0), description: 'Yearly' };
    await client.post(`/assets/${asset}/maintenance`, job);
    const lease = (
      await client.post('/leases', {
        name: 'Warehouse',
        lessor: 'Acme',
        start_date: dayAfter(-90),
        end_date: dayAfter(200),
      })
    ).row['id'];
    await client.post(`/leases/${lease}/payments`, { due_date: dayAfter(-1), amount: 1200 });
    await client.post(`/leases/${lease}/dates`, { date: dayAfter(20), type: 'renewal_option' });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const openPlace = (place: string) => openAs(browser, service, people.admin, `/c/${tenant.company.slug}/${place}`);

  test('shows the maintenance of a month, and takes what is done', async () => {
    const { prisma } = service.database;
    const visitor = await openPlace('asset-calendar');
    const { page } = visitor;
    await page.getByRole('table', { name: 'Month' }).getByText('Lift 2').waitFor();
    expect(await page.locator('td[aria-current=date]').getByText('Lift 2').count()).toBe(1);
    expect(await findViolationsEverywhere(page)).toEqual([]);
    await countTaps(page);
    await page.getByRole('button', { name: 'Done: Lift 2' }).click();
    await page.getByText('Lift 2 is done.').waitFor();
    expect(await countTaps(page)).toBe(1);
    expect((await prisma.assetMaintenance.findFirstOrThrow()).status).toBe('COMPLETED');
    await page.getByRole('button', { name: 'Later month' }).click();
    await page.getByText('Nothing is planned in this month').waitFor();
    await page.getByRole('button', { name: 'This month' }).click();
    await page.getByRole('table', { name: 'Month' }).getByText('Lift 2').waitFor();
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('shows leases over time, and what is due', async () => {
    const { prisma } = service.database;
    const visitor = await openPlace('lease-timeline');
    const { page } = visitor;
    const running = page.getByRole('region', { name: 'Running leases' });
    await running.getByRole('link', { name: 'Warehouse' }).waitFor();
    await page.getByRole('region', { name: 'Dates and notices' }).getByText('renewal option').waitFor();
    const due = page.getByRole('region', { name: 'Payments due' });
    await due.getByText('Late').waitFor();
    expect(await findViolationsEverywhere(page)).toEqual([]);
    await due.getByRole('button', { name: /^Paid: Warehouse/ }).click();
    await due.getByText('Nothing is due soon.').waitFor();
    expect((await prisma.leasePayment.findFirstOrThrow()).status).toBe('PAID');
    await page.getByRole('button', { name: 'Undo' }).click();
    await due.getByText('Late').waitFor();
    expect((await prisma.leasePayment.findFirstOrThrow()).status).toBe('PENDING');
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });
});
