// What a slow network shows of a list before the libraries of its page are there.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { createDemo } from '../../src/seed/index.ts';
import { nora } from '../../src/seed/people.ts';
import { type Service, startService } from '../support/service.ts';
import { findViolations } from './axe.ts';
import { launch } from './chromium.ts';
import { inChromium, Visitor } from './visitor.ts';

inChromium('a list on a slow network', () => {
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    await createDemo(service.database);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test.each([
    ['en', 'service-requests', 'Service requests'],
    ['de', 'service-requests', 'Serviceanfragen'],
    // With amounts, and without names of other rows.
    ['en', 'vendors', 'Vendors'],
  ])('shows its first rows, which the page then shows too: %s, %s', async (language, list, heading) => {
    await service.database.prisma.person.updateMany({ where: { email: nora.email }, data: { language } });
    const visitor = await Visitor.create(browser, service, { viewport: { width: 1280, height: 800 } });
    const { page } = visitor;
    await visitor.enter(service, nora.email);
    const release = await visitor.delayRequests('assets/base-*.js');
    await page.goto(`${service.origin}/c/demo/${list}`, { waitUntil: 'commit' });
    const early = page.locator('.early');
    await early.getByRole('heading', { name: heading, level: 1 }).waitFor();
    const address = await early.getByRole('link').first().getAttribute('href');
    expect(address).toMatch(new RegExp(`^/c/demo/${list}/[\\da-f-]{36}$`));
    const textsOf = (within: string) =>
      page.evaluate(
        (selector) =>
          [...document.querySelectorAll(`${selector} .rows tr`)].slice(0, 15).map((row) => {
            // What sorts has an arrow.
            const cells = [...row.querySelectorAll('th:not(.choice-cell), td:not(.choice-cell)')];
            return cells.map((cell) => cell.textContent.replace(/ [↑↓]?$/, ''));
          }),
        within,
      );
    const texts = await textsOf('.early');
    const placeOf = async (within: string) => (await page.locator(`${within} .rows`).boundingBox())?.y ?? Number.NaN;
    const place = await placeOf('.early');
    expect(await findViolations(page)).toEqual([]);
    void release();
    await early.waitFor({ state: 'detached' });
    // The head, and rows.
    expect(texts.length).toBeGreaterThan(10);
    expect(await textsOf('#root')).toEqual(texts);
    expect(Math.abs((await placeOf('#root')) - place)).toBeLessThan(4);
    expect(await page.locator('#root').isVisible()).toBe(true);
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('leaves a page alone that is there in time', async () => {
    const visitor = await Visitor.create(browser, service);
    const { page } = visitor;
    await visitor.enter(service, nora.email);
    await page.addInitScript(() => {
      new MutationObserver(() => {
        if (document.querySelector('.early')) console.error('early');
      }).observe(document, { childList: true, subtree: true });
    });
    await visitor.open('/c/demo/vendors');
    await page.locator('.rows a').first().waitFor();
    await page.waitForTimeout(3000);
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });
});
