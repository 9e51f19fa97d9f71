import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { countTaps, openAs } from './place.ts';
import { inChromium } from './visitor.ts';

inChromium('the inbox of approvals', () => {
  let service: Service;
  let browser: Browser;
  let tenant: Tenant;
  let people: Awaited<ReturnType<typeof givePasswords>>;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    people = await givePasswords(service, tenant);
    const client = await tenant.client();
    const line_items = [{ description: 'Chair', quantity: 4, unit_price: 80 }];
    await client.post('/procurement/requisitions', { title: 'Four chairs', status: 'pending', line_items });
    await client.post('/procurement/requisitions', { title: 'A draft' });
    await client.post('/procurement/orders', { number: 'PO-7', line_items });
    await client.post('/procurement/invoices', { invoice_number: 'INV-9', amount: 320 });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const openInbox = (email: string) => openAs(browser, service, email, `/c/${tenant.company.slug}/approvals`);

  test('decides on requisitions, orders and invoices with two clicks each', async () => {
    const { prisma } = service.database;
    const visitor = await openInbox(people.executive);
    const { page } = visitor;
    await page.getByText('3 decisions to make').waitFor();
    expect(await page.getByText('A draft').count()).toBe(0);
    expect(await findViolationsEverywhere(page)).toEqual([]);
    const decide = async (button: string, confirm: string) => {
      await countTaps(page);
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByRole('button', { name: `${confirm}: confirm` }).click();
      await page.getByRole('button', { name: button, exact: true }).waitFor({ state: 'detached' });
      expect(await countTaps(page)).toBe(2);
    };
    await decide('Approve: Four chairs', 'Approve');
    await page.getByText('2 decisions to make').waitFor();
    expect((await prisma.requisition.findFirstOrThrow({ where: { title: 'Four chairs' } })).status).toBe('APPROVED');
    // Somebody has changed the order since it was shown: nobody approves what they did not see.
    await page.getByRole('button', { name: 'Approve and send: PO-7' }).click();
    await (await tenant.client()).patch(`/procurement/orders/${(await prisma.purchaseOrder.findFirstOrThrow()).id}`, {
      notes: 'Twice as many',
    });
    await page.getByRole('button', { name: 'Approve and send: confirm' }).click();
    await page.getByText(/Couldn't decide/).waitFor();
    expect((await prisma.purchaseOrder.findFirstOrThrow()).status).toBe('DRAFT');
    await page.reload();
    await decide('Approve and send: PO-7', 'Approve and send');
    await decide('Void: INV-9', 'Void');
    await page.getByText('Nothing waits for your decision.').waitFor();
    expect((await prisma.purchaseOrder.findFirstOrThrow()).status).toBe('SENT');
    expect((await prisma.invoice.findFirstOrThrow()).status).toBe('VOID');
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('has nothing for those who may not decide', async () => {
    await (await tenant.client()).post('/procurement/requisitions', { title: 'More chairs', status: 'pending' });
    const visitor = await openInbox(people.member);
    await visitor.page.getByText('Nothing waits for your decision.').waitFor();
    expect(await visitor.page.getByRole('link', { name: 'Approvals' }).count()).toBe(0);
    await visitor.close();
  });

  test('says how many more wait than it looks at, and leads to all of them', async () => {
    const { prisma } = service.database;
    await prisma.invoice.createMany({
      data: Array.from({ length: 61 }, (_, n) => ({
        ...{ companyId: tenant.company.id, invoiceNumber: `MANY-${n}`, amount: 10, status: 'PENDING' as const },
      })),
    });
    const visitor = await openInbox(people.executive);
    const { page } = visitor;
    await page.getByText('61 invoices wait, of which the oldest 50 are looked at here.', { exact: false }).waitFor();
    expect(await findViolationsEverywhere(page)).toEqual([]);
    await page.getByRole('link', { name: 'Show all invoices' }).click();
    await page.getByText('61 rows').waitFor();
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });
});
