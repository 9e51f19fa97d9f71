import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createDemo, type Demo } from '../../src/seed/index.ts';
import { type Service, startService } from '../support/service.ts';
import { launch } from './chromium.ts';
import { inChromium, phone, Visitor } from './visitor.ts';

/** The folder for the README's pictures; unset unless new ones are wanted: npm run screenshots. */
const folder = process.env.PREMISES_PICTURES;
const take = (page: Page, name: string) => page.screenshot({ path: folder && join(folder, `${name}.png`) });

const wide = { width: 1280, height: 860 };
const company = 'Larkfield Instruments';

inChromium('pictures of the demo company for the README', () => {
  let service: Service;
  let browser: Browser;
  let signIn: Demo['signIn'];
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    ({ signIn } = await createDemo(service.database));
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const createVisitor = (options: BrowserContextOptions) =>
    Visitor.create(browser, service, { reducedMotion: 'reduce', ...options });
  /** Opens a page for the coordinator. */
  async function openPage(path: string, options: BrowserContextOptions): Promise<Visitor> {
    const visitor = await createVisitor(options);
    await visitor.signIn(signIn.email, signIn.password);
    await visitor.page.waitForURL('**/c/*');
    await visitor.open(path);
    return visitor;
  }
  /** Waits until a chart has a number of bars that are not empty. */
  const bars = (page: Page, count: number) =>
    page.waitForFunction((count) => document.querySelectorAll('.recharts-bar-rectangle path').length === count, count);
  async function leave(visitor: Visitor): Promise<void> {
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  }

  test('the dashboard', async () => {
    const visitor = await openPage('/dashboard', { viewport: wide });
    const { page } = visitor;
    await page.getByText('View as table').waitFor();
    expect(await page.getByRole('banner').textContent()).toContain(company);
    type Requests = { total: number; created_per_day: { count: number }[] };
    const { data } = await visitor.fetch<{
      data: { service_requests: Requests; move_requests: Requests; inventory: { low_stock: number } };
    }>('/api/v1/dashboard/analytics');
    const { service_requests, move_requests, inventory } = data;
    expect([service_requests.total, move_requests.total, inventory.low_stock].every((number) => number > 0)).toBe(true);
    expect([
      await visitor.tile('Service requests'),
      await visitor.tile('Move requests'),
      await visitor.tile('Low stock'),
    ]).toEqual([service_requests.total, move_requests.total, inventory.low_stock]);
    const days = [service_requests, move_requests]
      .flatMap((requests) => requests.created_per_day)
      .filter(({ count }) => count > 0);
    await bars(page, days.length);
    await take(page, 'dashboard');
    await leave(visitor);
  });

  test('AI usage', async () => {
    const visitor = await openPage('/ai-usage', { viewport: { ...wide, height: 1000 } });
    const { page } = visitor;
    await page.getByText('View as table').waitFor();
    await page
      .getByRole('button', { name: /^Summarize: / })
      .first()
      .click();
    await page.getByText(/ summarized: \$\d/).waitFor();
    type Report = {
      total: { cost_usd: number; requests: number };
      features: { feature: string }[];
      feature_months: { cost_usd: number }[];
    };
    const start = new Date();
    start.setUTCMonth(start.getUTCMonth() - 5, 1);
    const { data } = await visitor.fetch<{ data: Report }>(
      `/api/v1/ai-usage?start=${start.toISOString().slice(0, 10)}`,
    );
    expect(data.features.length).toBeGreaterThan(2);
    expect([await visitor.tile('Requests'), await visitor.tile('Cost')]).toEqual([
      data.total.requests,
      Number(data.total.cost_usd.toFixed(4)),
    ]);
    expect(await page.getByRole('table', { name: 'By feature' }).getByRole('row').count()).toBe(
      1 + data.features.length,
    );
    await bars(page, data.feature_months.length);
    await page.evaluate(() => scrollTo(0, 0));
    await take(page, 'ai-usage');
    await leave(visitor);
  });

  test('GraphiQL with an example query', async () => {
    const visitor = await openPage('/graphql', { viewport: { width: 1280, height: 800 } });
    const { page } = visitor;
    await page.getByText(`${company} · Signed in as Nora Lindqvist. No token needed.`).waitFor();
    /** Runs a tab's example, and returns its data. */
    const run = async <T>(tab: string) => {
      await page.getByRole('tab', { name: tab }).click();
      return visitor.run<T>(tab);
    };
    const grouped = await run<{ serviceRequests: { byStatus: { key: { status: string }; count: number }[] } }>(
      'WhereTheWorkIs',
    );
    const open = grouped.serviceRequests.byStatus
      .filter(({ key: { status } }) => status !== 'COMPLETED')
      .reduce((sum, { count }) => sum + count, 0);
    const { serviceRequests } = await run<{ serviceRequests: { totalCount: number; nodes: { title: string }[] } }>(
      'LatestRequests',
    );
    expect(serviceRequests.totalCount).toBe(open);
    await page
      .locator('.result-window')
      .getByText(serviceRequests.nodes[0]?.title ?? '')
      .first()
      .waitFor();
    await take(page, 'graphiql');
    await leave(visitor);
  });

  test('creating a token, on a phone in dark mode', async () => {
    const visitor = await openPage('/account', { viewport: phone, colorScheme: 'dark' });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Create token' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('The door display');
    for (const box of ['Service requests: read', 'Move requests: read', 'Move requests: write'])
      await page.getByLabel(box).check();
    const [red = 255] =
      (await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).match(/\d+/g)?.map(Number) ?? [];
    expect(red).toBeLessThan(64);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(phone.width);
    await name.evaluate((field) => scrollTo({ top: field.getBoundingClientRect().top + scrollY - 90 }));
    await take(page, 'tokens');
    await leave(visitor);
  });

  test('tracking a package, on a phone', async () => {
    const visitor = await createVisitor({ viewport: phone });
    const { page } = visitor;
    await visitor.open('/packages?company=demo');
    await page.getByLabel('Your name').fill('Gus Kline');
    await page.getByLabel('Your email').fill('gus@example.com');
    await page.getByLabel('Contents').fill('A cello');
    await page.getByRole('button', { name: 'Register delivery' }).click();
    await page.getByRole('link', { name: 'Track package' }).click();
    await page.getByText('On its way').waitFor();
    expect(await page.locator('dl').textContent()).toBe(
      'RecipientGus Kline (gus@example.com)CompanyLarkfield InstrumentsContentsA cello',
    );
    await take(page, 'guest');
    await leave(visitor);
  });
});
