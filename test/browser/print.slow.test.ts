// Pages on paper: no navigation, no buttons, whole tables, and links as text.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { launch } from './chromium.ts';
import { openAs } from './place.ts';
import { inChromium, type Visitor } from './visitor.ts';

inChromium('on paper', () => {
  let service: Service;
  let browser: Browser;
  let tenant: Tenant;
  let visitor: Visitor;
  let page: Page;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    tenant = await service.tenant();
    const people = await givePasswords(service, tenant);
    const companyId = tenant.company.id;
    await service.database.prisma.vendor.createMany({
      data: Array.from({ length: 230 }, (_, n) => ({ companyId, companyName: `Vendor ${String(n).padStart(3, '0')}` })),
    });
    visitor = await openAs(browser, service, people.admin);
    page = visitor.page;
  });
  afterAll(async () => {
    await visitor?.close();
    await browser?.close();
    await service?.close();
  });

  /** Opens a page, and shows it as it is printed. @param text of it, to wait for */
  async function print(path: string, text: string): Promise<void> {
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
    await visitor.open(`/c/${tenant.company.slug}/${path}`);
    await page.getByText(text).first().waitFor();
    await page.emulateMedia({ media: 'print' });
  }

  /** What is on paper that says nothing there, and links that look like ones. */
  const findNeedless = () =>
    page.evaluate(() => {
      const isShown = (element: Element) => element.getClientRects().length > 0;
      const found = [...document.querySelectorAll('nav, header, button, [role=dialog], .skip-link')].filter(
        (element) => isShown(element) && !element.closest('th') && !element.matches('[role=tab]'),
      );
      const links = [...document.querySelectorAll('main a')].filter((link) => {
        const { color, textDecorationLine } = getComputedStyle(link);
        return (
          isShown(link) &&
          (textDecorationLine !== 'none' || color !== getComputedStyle(link.parentElement ?? link).color)
        );
      });
      const cut = [...document.querySelectorAll('main *')].filter(
        (element) =>
          isShown(element) &&
          element.scrollHeight > element.clientHeight + 4 &&
          /auto|scroll/.test(getComputedStyle(element).overflowY),
      );
      return [...found, ...links, ...cut].map((element) => element.outerHTML.slice(0, 120));
    });

  test('a list has all of its rows', async () => {
    await print('vendors?sort=companyName', 'Vendor 003');
    await page.getByText('Vendor 229').waitFor();
    expect(await page.getByRole('table', { name: 'Vendors' }).locator('tbody tr').count()).toBe(230);
    expect(await findNeedless()).toEqual([]);
    // Dark on white, whatever the screen has.
    expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe('rgb(0, 0, 0)');
    const pdf = await page.pdf({ format: 'A4' });
    const sheets = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g) ?? [];
    expect(sheets.length).toBeGreaterThan(3);
    // Those that are not loaded yet are, before it is printed.
    await page.emulateMedia({ media: 'screen' });
    await page.reload();
    await page.evaluate(() => {
      window.print = () => void (document.title = `printed ${document.title}`);
    });
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('menuitem', { name: 'Print' }).click();
    await page.waitForFunction(() => document.title.startsWith('printed'));
  });

  test('a row, a request and an answer are whole', async () => {
    const client = await tenant.client();
    const description = Array.from({ length: 40 }, (_, n) => `Line ${n} of what is wrong.`).join('\n');
    const request = (await client.post('/service-requests', { title: 'Broken lift', description })).row;
    await client.post(`/service-requests/${String(request['id'])}/comments`, { comment: 'Seen by the technician.' });
    const [vendor] = (await client.get('/vendors', { search: 'Vendor 100' })).rows;
    await print(`vendors/${String(vendor?.['id'])}`, 'Vendor 100');
    expect(await page.getByRole('table', { name: 'Vendor 100' }).isVisible()).toBe(true);
    expect(await findNeedless()).toEqual([]);

    await print(`requests/${String(request['id'])}`, 'Seen by the technician.');
    await page.getByText('Line 39 of what is wrong.').filter({ visible: true }).waitFor();
    expect(await page.locator('form:visible').count()).toBe(0);
    expect(await findNeedless()).toEqual([]);

    const query = 'query Names { vendors(first: 100, sort: COMPANY_NAME, order: ASC) { nodes { companyName } } }';
    const saved = await service.database.prisma.savedQuery.create({
      data: {
        companyId: tenant.company.id,
        userId: tenant.users[0]?.id ?? '',
        name: 'All vendors',
        query,
        isShared: true,
      },
    });
    await print(`saved-queries/${saved.id}`, 'Vendor 001');
    const table = page.getByRole('table').filter({ hasText: 'Vendor 001' });
    expect((await table.boundingBox())?.height).toBeGreaterThan(1500);
    expect(await findNeedless()).toEqual([]);
    expect(visitor.consoleErrors).toEqual([]);
  });
});
