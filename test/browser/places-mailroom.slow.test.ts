import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { findViolationsEverywhere } from './axe.ts';
import { launch } from './chromium.ts';
import { countTaps, openAs } from './place.ts';
import { inChromium, Visitor } from './visitor.ts';

inChromium('the mailroom', () => {
  let service: Service;
  let browser: Browser;
  let tenant: Tenant;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    const { company } = tenant;
    const guest = { company_slug: company.slug, guest_name: 'Gus', guest_email: 'gus@example.com', quantity: 1 };
    for (const [description, tracking_number] of [
      ['A cello', 'PARCEL-0001'],
      ['A bow', 'PARCEL-0002'],
    ])
      await service.anonymous.post('/public/expected-packages', { ...guest, description, tracking_number });
    const client = await tenant.client();
    const shipment = { type: 'inbound', status: 'shipped', tracking_number: 'SHIP 77', recipient: 'Dora' };
    await client.post('/shipping', { ...shipment, description: 'Paper' });
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('receives a parcel with one scan, wherever the focus is', async () => {
    const { prisma } = service.database;
    const people = await givePasswords(service, tenant);
    const visitor = await openAs(browser, service, people.member, `/c/${tenant.company.slug}/mailroom`);
    const { page } = visitor;
    const shelf = page.getByRole('region', { name: /^On the shelf/ });
    await shelf.getByText('Nothing waits here').waitFor();
    const scan = async (code: string) => {
      await page.keyboard.type(code, { delay: 2 });
      await page.keyboard.press('Enter');
    };
    await countTaps(page);
    // The focus is nowhere: one scan is all.
    await scan('parcel0001');
    await shelf.getByText('A cello').waitFor();
    expect(await countTaps(page)).toBe(0);
    const stored = await prisma.expectedPackage.findFirstOrThrow({ where: { description: 'A cello' } });
    expect(stored.status).toBe('RECEIVED');
    expect(await prisma.scanEvent.count({ where: { processingStatus: 'PROCESSED' } })).toBe(1);

    // It is on a button; two scanners' bursts follow each other without waiting for answers.
    await shelf.getByRole('button', { name: /Hand over/ }).focus();
    await scan('PARCEL-0002');
    await scan('ship77');
    await shelf.getByText('A bow').waitFor();
    await page.getByText('Paper for Dora').first().waitFor();
    expect((await prisma.shipment.findFirstOrThrow()).status).toBe('DELIVERED');

    // Again, and one that nobody expects.
    await scan('PARCEL-0002');
    await page.getByText('Received before').waitFor();
    await scan('NOBODY1');
    const recipient = page.getByLabel('Recipient');
    await recipient.waitFor();
    // Another field has the focus: it keeps its keys.
    await recipient.click();
    await page.keyboard.type('Ben');
    expect(await recipient.inputValue()).toBe('Ben');
    expect(await page.getByLabel('Tracking number or barcode').inputValue()).toBe('');
    await page.keyboard.press('Enter');
    await page.getByText('NOBODY1 for Ben').waitFor();
    expect(await prisma.shipment.count({ where: { recipient: 'Ben', status: 'DELIVERED' } })).toBe(1);

    expect(await findViolationsEverywhere(page)).toEqual([]);
    await countTaps(page);
    await shelf.getByRole('button', { name: 'Hand over to Gus: A cello' }).click();
    await page.getByText('A cello handed over to Gus.').waitFor();
    expect(await countTaps(page)).toBe(1);
    const status = async () =>
      (await prisma.expectedPackage.findFirstOrThrow({ where: { description: 'A cello' } })).status;
    expect(await status()).toBe('COLLECTED');
    await page.getByRole('button', { name: 'Undo' }).click();
    await shelf.getByText('A cello').waitFor();
    expect(await status()).toBe('RECEIVED');
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('says what happened when a scan does not arrive', async () => {
    const visitor = await Visitor.create(browser, service);
    const { page } = visitor;
    const [, , { email = '' } = {}] = tenant.users;
    await visitor.signIn(email);
    await page.waitForURL(/dashboard|\/c\//);
    await visitor.open(`/c/${tenant.company.slug}/mailroom`);
    await page.getByRole('region', { name: /^On the shelf/ }).waitFor();
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('mutation Receive') ? route.abort() : route.fallback(),
    );
    await page.keyboard.type('LOST1');
    await page.keyboard.press('Enter');
    await page.getByText('LOST1 was not received').waitFor();
    await visitor.close();
  });
});
