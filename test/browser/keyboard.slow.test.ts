// Everything by keyboard: Tab leads through each kind of page, and what opens is closed again where it was opened.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { createToken } from '../../src/auth/tokens.ts';
import { routes } from '../../src/pages/addresses.ts';
import { createDemo } from '../../src/seed/index.ts';
import { nora } from '../../src/seed/people.ts';
import { givePassword } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { launch } from './chromium.ts';
import { expectFocus, findKeyboardProblems, openAndClose, watchListeners } from './keyboard.ts';
import { Requests } from './requests.ts';
import { inChromium, phone, Visitor } from './visitor.ts';

const desk = { width: 1280, height: 800 };

/** Pages that are the same for guests and for those who are signed in. */
const isForGuests = (address: string) => /^\/(docs|tutorials)/.test(address);

/** The resources whose pages stand for those of all: with few rows, with choices and references, and with tabs. */
const collections = { paints: 'paint', leases: 'lease', vendors: 'vendor' } as const;

inChromium('by keyboard', () => {
  let service: Service;
  let browser: Browser;
  /** Rows in place of the parameters of addresses. */
  let ids: Readonly<Record<string, string>>;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    await createDemo(service.database);
    const { prisma } = service.database;
    const { id: companyId } = await prisma.company.findUniqueOrThrow({ where: { slug: 'demo' } });
    const { id: userId } = await prisma.user.findFirstOrThrow({ where: { companyId, email: nora.email } });
    await givePassword(service, userId);
    const own = { companyId, userId };
    await createToken(prisma, { ...own, live: true, name: 'Export', scopes: ['*:read'], rateLimit: 1000 });
    await prisma.webhook.create({
      data: { ...own, name: 'CRM', url: 'https://crm.example/hook', secret: 'x', position: '' },
    });
    const guest = { company_slug: 'demo', guest_name: 'Gus', guest_email: 'gus@example.com' };
    const { row } = await service.anonymous.post('/public/expected-packages', guest);
    const query = '{ vendors { nodes { id companyName } } }';
    const saved = await prisma.savedQuery.create({ data: { ...own, name: 'Vendors', query } });
    const board = await prisma.dashboard.create({ data: { ...own, name: 'Mine', tiles: { list: [] } } });
    const first = { where: { companyId }, select: { id: true } };
    const [request, move, reminder, item, lease, maintenance, paint, vendor, asset] = await Promise.all([
      prisma.serviceRequest.findFirstOrThrow(first),
      prisma.moveRequest.findFirstOrThrow(first),
      prisma.reminder.findFirstOrThrow(first),
      prisma.inventoryItem.findFirstOrThrow(first),
      prisma.lease.findFirstOrThrow(first),
      prisma.assetMaintenance.findFirstOrThrow(first),
      prisma.paint.findFirstOrThrow(first),
      prisma.vendor.findFirstOrThrow(first),
      prisma.asset.findFirstOrThrow(first),
    ]);
    ids = {
      '/packages/:token': String(row['tracking_token']),
      '/rows/service-requests/:id': request.id,
      '/rows/move-requests/:id': move.id,
      '/rows/reminders/:id': reminder.id,
      '/rows/inventory-items/:id': item.id,
      '/rows/leases/:id': lease.id,
      '/rows/asset-maintenance/:id': maintenance.id,
      '/c/:company/requests/:id': request.id,
      '/c/:company/saved-queries/:id': saved.id,
      '/c/:company/dashboards/:id': board.id,
      paints: paint.id,
      leases: lease.id,
      vendors: vendor.id,
      assets: asset.id,
    };
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  /** The pages of a route: its own, or one of each of some resources. */
  function pathsOf(address: string): string[] {
    const fill = (id: string | undefined) => {
      const path = address.replace(/:(id|token)\b/, () => id ?? ':missing').replace(':company', 'demo');
      if (path.includes(':missing')) throw new Error(`The test has no row for ${address}.`);
      return path;
    };
    if (!address.includes(':collection')) return [fill(ids[address])];
    return Object.keys(collections).map((name) => fill(ids[name]).replace(':collection', name));
  }

  /** A browser with one window, in which nothing moves. */
  async function openBrowser(viewport = desk): Promise<Visitor> {
    const visitor = await Visitor.create(browser, service, { viewport, reducedMotion: 'reduce' });
    await watchListeners(visitor.page);
    return visitor;
  }

  /** Walks over pages. @param isInApp whether each is opened as by a link of the page before */
  async function walk(visitor: Visitor, paths: readonly string[], isInApp: boolean): Promise<string[]> {
    const { page } = visitor;
    const requests = new Requests(page);
    const problems: string[] = [];
    for (const [index, path] of paths.entries()) {
      requests.clear();
      if (isInApp && index > 0) await visitor.go(path);
      else await visitor.open(path);
      await requests.waitForAnswers();
      // All operations look alike, and there are hundreds.
      if (path === '/docs') await page.getByLabel('Search operations').fill('paints');
      const found = await findKeyboardProblems(page);
      problems.push(...found.map((problem) => `${path} ${problem}`));
    }
    return [...problems, ...visitor.consoleErrors];
  }

  test('guests reach all of their pages', async () => {
    const visitor = await openBrowser();
    const paths = routes
      .filter(({ document, address }) => document === 'guests' || isForGuests(address))
      .flatMap(({ address }) => pathsOf(address));
    expect(paths.length).toBeGreaterThan(10);
    expect(await walk(visitor, paths, false)).toEqual([]);
    await visitor.close();
  });

  test('people reach all of theirs', async () => {
    const visitor = await openBrowser();
    await visitor.enter(service, nora.email);
    const paths = routes
      .filter(({ document, address }) => document === 'index' && !isForGuests(address))
      .flatMap(({ address }) => pathsOf(address));
    expect(paths.length).toBeGreaterThan(50);
    expect(await walk(visitor, paths, true)).toEqual([]);
    await visitor.close();
  });

  /** Opens a page of the demo company. @param shown a button that is there once it has loaded */
  async function openPage(visitor: Visitor, path: string, shown: string | RegExp): Promise<void> {
    await visitor.open(path);
    await visitor.page.getByRole('button', { name: shown }).first().waitFor();
  }

  test('menus and forms of a list open and close, before and after their scripts are there', async () => {
    const visitor = await openBrowser();
    const { page } = visitor;
    await visitor.enter(service, nora.email);
    await openPage(visitor, '/c/demo/paints', 'Columns');
    for (const name of ['Columns', 'Download'])
      for (const opened of [page.getByRole('menu'), page.getByRole('menu')])
        await openAndClose(page, page.getByRole('button', { name, exact: true }), opened);
    for (const name of ['Add filter', 'Views'])
      for (const opened of [page.getByRole('dialog'), page.getByRole('dialog')])
        await openAndClose(page, page.getByRole('button', { name, exact: true }), opened);
    await page.getByLabel('Select row').first().focus();
    await page.keyboard.press('Space');
    await openAndClose(page, page.getByRole('button', { name: 'Change …' }), page.getByRole('dialog'));
    await openPage(visitor, `/c/demo/assets/${ids['assets']}`, 'Labels');
    await openAndClose(page, page.getByRole('button', { name: 'Labels' }), page.getByRole('menu'));
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('dialogs open and close', async () => {
    const visitor = await openBrowser();
    const { page } = visitor;
    await visitor.enter(service, nora.email);
    const dialog = page.getByRole('dialog');
    for (const [path, name] of [
      ['/account', 'Revoke token: Export'],
      ['/webhooks', 'Delete webhook: CRM'],
      [`/c/demo/dashboards/${ids['/c/:company/dashboards/:id']}`, 'Delete'],
      ['/c/demo/requests', 'Keys'],
    ] as const) {
      await openPage(visitor, path, name);
      await openAndClose(page, page.getByRole('button', { name, exact: true }).first(), dialog);
    }
    // Keys that ask about the request that has the focus.
    const request = page.locator('[data-request]').first();
    await request.focus();
    for (const key of ['a', 's', '?']) {
      await page.keyboard.press(key);
      await dialog.waitFor();
      await expectFocus(page, dialog);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await expectFocus(page, request);
    }
    await openPage(visitor, `/c/demo/saved-queries/${ids['/c/:company/saved-queries/:id']}`, /Place .* on a dashboard/);
    const place = page.getByRole('button', { name: /Place .* on a dashboard/ }).first();
    await openAndClose(page, place, page.getByRole('menu'));
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('the command palette opens by its button and by its key, and finds a page', async () => {
    const visitor = await openBrowser();
    const { page } = visitor;
    await visitor.enter(service, nora.email);
    await openPage(visitor, '/c/demo/paints', 'Columns');
    const palette = page.getByRole('dialog');
    await openAndClose(page, page.getByRole('banner').getByRole('button', { name: 'Search' }), palette);
    const field = page.getByRole('searchbox', { name: 'Search' });
    await field.focus();
    await page.keyboard.press('Control+K');
    await palette.waitFor();
    await expectFocus(page, palette);
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'hidden' });
    await expectFocus(page, field);
    await page.keyboard.press('Control+K');
    await palette.waitFor();
    await expectFocus(page, palette);
    await page.keyboard.type('approvals');
    await palette.getByText('Approvals').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/c/demo/approvals');
    expect(visitor.consoleErrors).toEqual([]);
    await visitor.close();
  });

  test('the navigation of a phone opens and closes, and is passed over while it is closed', async () => {
    const visitor = await openBrowser(phone);
    const { page } = visitor;
    await visitor.enter(service, nora.email);
    expect(await walk(visitor, ['/c/demo/paints', '/c/demo/requests', '/c/demo/mailroom'], true)).toEqual([]);
    const menu = page.getByRole('button', { name: 'Menu' });
    const navigation = page.getByRole('navigation', { name: 'Main' });
    expect(await navigation.isVisible()).toBe(false);
    await menu.focus();
    await page.keyboard.press('Enter');
    await navigation.waitFor();
    await page.keyboard.press('Escape');
    await navigation.waitFor({ state: 'hidden' });
    await expectFocus(page, menu);
    await visitor.close();
  });
});
