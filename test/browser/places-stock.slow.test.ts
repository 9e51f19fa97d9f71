import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { countTaps, openAs } from './place.ts';
import { inChromium } from './visitor.ts';

inChromium('stock and purchasing', () => {
  let service: Service;
  let browser: Browser;
  let tenant: Tenant;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    const client = await tenant.client();
    await client.post('/inventory', { name: 'Bulbs', quantity: 3, reorder_point: 10, unit_cost: 2.5 });
    await client.post('/inventory', { name: 'Tape', quantity: 9, reorder_point: 5 });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('go from low stock to received goods, with what is known filled in', async () => {
    const { prisma } = service.database;
    const people = await givePasswords(service, tenant);
    const visitor = await openAs(browser, service, people.executive, `/c/${tenant.company.slug}/stock`);
    const { page } = visitor;
    const part = (name: string) => page.getByRole('region', { name });
    await part('1. Low stock').getByText('Bulbs').waitFor();
    expect(await page.getByText('Tape').count()).toBe(0);
    expect(await page.getByLabel('Quantity of Bulbs').inputValue()).toBe('7');
    await countTaps(page);
    await page.getByRole('button', { name: 'Ask for 1 item' }).click();
    await part('2. Asked for').getByText('Waits for approval').waitFor();
    const requisition = await prisma.requisition.findFirstOrThrow({ include: { lineItems: true } });
    expect(requisition).toMatchObject({ title: 'Restock Bulbs', status: 'PENDING', requestedBy: tenant.users[1]?.id });
    expect(Number(requisition.totalAmount)).toBe(17.5);
    expect(await findViolationsEverywhere(page)).toEqual([]);
    // Asked for already: it is not asked for twice.
    await page.getByRole('button', { name: 'Ask for 0 items' }).waitFor();

    await page.getByRole('link', { name: 'Approvals' }).click();
    await page.getByRole('button', { name: 'Approve: Restock Bulbs' }).click();
    await page.getByRole('button', { name: 'Approve: confirm' }).click();
    await page.getByText('Nothing waits for your decision.').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Order: Restock Bulbs' }).click();
    await page.getByRole('button', { name: /^Send PO/ }).click();
    await page.getByRole('button', { name: /^Receive PO/ }).click();
    const arrived = page.getByRole('form', { name: /^Receive/ }).getByLabel('Bulbs');
    expect(await arrived.inputValue()).toBe('7');
    expect(await findViolationsEverywhere(page)).toEqual([]);
    // A part of it, then what is left.
    await arrived.fill('4');
    await page.getByRole('button', { name: 'Add to the stock' }).click();
    await page.getByText(/Goods of .* are in the stock/).waitFor();
    expect((await prisma.inventoryItem.findFirstOrThrow({ where: { name: 'Bulbs' } })).quantity).toBe(7);
    await page.getByRole('button', { name: /^Receive PO/ }).click();
    await expect(arrived.inputValue()).resolves.toBe('3');
    await page.getByRole('button', { name: 'Add to the stock' }).click();
    await part('3. Ordered').getByText('No order is on its way.').waitFor();
    expect((await prisma.inventoryItem.findFirstOrThrow({ where: { name: 'Bulbs' } })).quantity).toBe(10);
    expect((await prisma.purchaseOrder.findFirstOrThrow()).status).toBe('RECEIVED');
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });
});
