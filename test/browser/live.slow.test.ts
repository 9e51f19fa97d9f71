// What others change appears by itself, by one stream for all tabs of a browser.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page, Request } from 'playwright-core';
import { givePasswords } from '../support/browser.ts';
import type { Client } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { launch } from './chromium.ts';
import { openAs } from './place.ts';
import { inChromium, type Visitor } from './visitor.ts';

/** Within how long (ms) a change is shown. Without a stream it is 30 s. */
const soonMs = 3000;

inChromium('pages that show what others change', () => {
  let service: Service;
  let browser: Browser;
  let client: Client;
  let visitor: Visitor;
  /** A tab that the tests share. */
  let page: Page;
  /** The streams that are open, of all tabs. */
  const streams = new Set<Request>();
  let path: string;
  let names = 0;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    const tenant = await service.tenant();
    const { admin } = await givePasswords(service, tenant);
    client = await tenant.client();
    path = `/c/${tenant.company.slug}/vendors`;
    visitor = await openAs(browser, service, admin);
    ({ page } = visitor);
    const context = page.context();
    context.on('request', (request) => {
      if (request.headers()['accept'] !== 'text/event-stream') return;
      streams.add(request);
      // The requests of a closed tab end without a word.
      const end = () => streams.delete(request);
      request.frame().page().once('close', end);
    });
    context.on('requestfinished', (request) => streams.delete(request));
    context.on('requestfailed', (request) => streams.delete(request));
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  /** Somebody else adds a vendor. @returns its name */
  async function addVendor() {
    const name = `Vendor ${++names}`;
    await client.post('/vendors', { company_name: name });
    return name;
  }
  const see = (page: Page, name: string, timeout = soonMs) =>
    page.getByText(name, { exact: true }).waitFor({ timeout });
  async function openList(tab: Page) {
    await tab.goto(service.origin + path);
    await tab.getByRole('heading', { name: 'Vendors', level: 1 }).waitFor();
  }
  const hasStream = () => until('a stream is open', () => streams.size === 1);

  test('one tab holds the stream, all show the change, and another one takes over', async () => {
    await openList(page);
    await hasStream();
    const other = await page.context().newPage();
    await openList(other);
    // Longer than it takes until a tab asks for a stream.
    await other.waitForTimeout(3000);
    expect(streams.size).toBe(1);
    expect([...streams][0]?.frame().page()).toBe(page);
    const first = await addVendor();
    await Promise.all([see(page, first), see(other, first)]);

    expect(visitor.consoleErrors).toEqual([]);
    await page.close();
    await hasStream();
    expect([...streams][0]?.frame().page()).toBe(other);
    await see(other, await addVendor());
    // What is changed in a row is shown too, by a list that was read before.
    const { id } = await service.database.prisma.vendor.findFirstOrThrow({ where: { companyName: first } });
    await client.patch(`/vendors/${id}`, { company_name: 'Renamed' });
    await see(other, 'Renamed');
    page = other;
  });

  test('what others change is read once a second at most, and not for what is not shown', async () => {
    let reads = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes('query List')) reads += 1;
    });
    await client.post('/paints', { name: 'Sage' });
    await page.waitForTimeout(2000);
    expect(reads).toBe(0);
    const began = Date.now();
    let last = '';
    for (let n = 0; n < 20; n++) last = await addVendor();
    await see(page, last);
    expect(reads).toBeLessThanOrEqual(Math.ceil((Date.now() - began) / 1000) + 1);
  });

  test('without a stream, lists are read every half minute', async () => {
    await page.clock.install();
    let attempts = 0;
    await page.route('**/graphql', (route) => {
      if (route.request().headers()['accept'] !== 'text/event-stream') return route.fallback();
      attempts += 1;
      return route.abort();
    });
    await openList(page);
    await until('the stream has failed', () => attempts > 0);
    const name = await addVendor();
    await page.clock.fastForward(20_000);
    await page.waitForTimeout(500);
    expect(await page.getByText(name, { exact: true }).count()).toBe(0);
    await page.clock.fastForward(12_000);
    await see(page, name);

    // Once there is a stream, what was missed is read at once.
    await page.unroute('**/graphql');
    const missed = await addVendor();
    await page.clock.fastForward(30_000);
    await hasStream();
    await see(page, missed);
    await see(page, await addVendor());
  });

  test('the stream ends at sign-out', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    await until('the stream has ended', () => streams.size === 0);
  });
});
