import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createDemo } from '../../src/seed/index.ts';
import { coordinator, jonas, type Person, tomas } from '../../src/seed/people.ts';
import { type Service, startService } from '../support/service.ts';
import { launch } from './chromium.ts';
import { inChromium, phone, Visitor } from './visitor.ts';

/** The folder for the README's pictures; unset unless new ones are wanted: npm run screenshots. */
const folder = process.env.PREMISES_PICTURES;
const take = (page: Page, name: string) => page.screenshot({ path: folder && join(folder, `${name}.png`) });

const wide = { width: 1280, height: 860 };
const company = 'Larkfield Instruments';
const ofDemo = { company: { slug: 'demo' } };
const attached = { state: 'attached' } as const;

inChromium('pictures of the demo company for the README', () => {
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

  const createVisitor = (options: BrowserContextOptions) =>
    Visitor.create(browser, service, { reducedMotion: 'reduce', ...options });
  /** Opens a page for somebody. */
  async function openPage(path: string, options: BrowserContextOptions, person: Person = coordinator) {
    const visitor = await createVisitor(options);
    await visitor.enter(service, person.email);
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

  test('requests on a board', async () => {
    const visitor = await openPage('/c/demo/requests?view=board', { viewport: wide });
    const { page } = visitor;
    const column = (name: string) => page.getByRole('region', { name });
    for (const [name, status] of [
      ['Pending', 'PENDING'],
      ['In progress', 'IN_PROGRESS'],
    ] as const) {
      const count = await service.database.prisma.serviceRequest.count({ where: { ...ofDemo, status } });
      expect(count).toBeGreaterThan(1);
      await column(name)
        .getByRole('heading', { name: `${name} ${count}` })
        .waitFor();
      expect(await column(name).getByRole('link').count()).toBe(count);
    }
    await column('Completed').getByRole('link').nth(3).waitFor();
    await take(page, 'requests');
    await leave(visitor);
  });

  test('a request with what has been said and done', async () => {
    const { id } = await service.database.prisma.serviceRequest.findFirstOrThrow({
      where: { ...ofDemo, title: 'Projector image is yellow' },
    });
    const visitor = await openPage(`/c/demo/requests/${id}`, { viewport: wide });
    const { page } = visitor;
    const stream = page.getByRole('list', { name: 'What has happened' });
    await stream.getByText(/^Priya Nair spent [\d.]+ hours?: /).waitFor();
    const comments = await service.database.prisma.comment.count({ where: { serviceRequestId: id } });
    expect(comments).toBeGreaterThan(2);
    expect(await stream.locator('p.long').count()).toBe(comments);
    await take(page, 'request');
    await leave(visitor);
  });

  test('desks of a week', async () => {
    const { id } = await service.database.prisma.building.findFirstOrThrow({ where: { ...ofDemo, code: 'HH' } });
    const visitor = await openPage(`/c/demo/desk-plan?view=week&building=${id}`, { viewport: wide });
    const { page } = visitor;
    const table = page.getByRole('table', { name: 'Desks of the week' });
    await table.getByText('Kofi Mensah').first().waitFor();
    expect(await table.getByRole('columnheader').count()).toBe(8);
    expect(await table.getByRole('row').count()).toBe(1 + 14);
    await page.getByLabel('Building').locator('option:checked', { hasText: 'Harbour House' }).waitFor(attached);
    await take(page, 'desks');
    await leave(visitor);
  });

  test('leases over time', async () => {
    const visitor = await openPage('/c/demo/lease-timeline', { viewport: wide });
    const { page } = visitor;
    for (const name of ['Harbour House, all floors', 'Delivery van LK 204'])
      await page.getByRole('link', { name, exact: true }).waitFor();
    await page.getByRole('button', { name: /^Paid/ }).first().waitFor();
    await take(page, 'leases');
    await leave(visitor);
  });

  test('the day of a technician, on a phone', async () => {
    const visitor = await openPage('/c/demo/my-day', { viewport: phone }, tomas);
    const { page } = visitor;
    const requests = await service.database.prisma.serviceRequest.findMany({
      where: { ...ofDemo, status: { not: 'COMPLETED' }, assignee: { email: tomas.email } },
    });
    expect(requests.length).toBeGreaterThan(1);
    for (const { title } of requests) await page.getByRole('link', { name: title }).waitFor();
    await take(page, 'my-day');
    await leave(visitor);
  });

  test('reporting a problem, on a phone', async () => {
    const { id } = await service.database.prisma.building.findFirstOrThrow({ where: { ...ofDemo, code: 'OP' } });
    const visitor = await openPage(`/c/demo/report?building=${id}&floor=0&room=Gym`, { viewport: phone }, jonas);
    const { page } = visitor;
    await page.getByLabel('What is the problem?').fill('No hot water in the showers');
    await page.getByRole('button', { name: 'Follow: Showers only run cold' }).waitFor();
    await take(page, 'report');
    await leave(visitor);
  });

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
