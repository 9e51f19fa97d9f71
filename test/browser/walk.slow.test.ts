// All pages, as everybody sees them: on a phone and on two screens, in light and dark colors.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { createToken } from '../../src/auth/tokens.ts';
import { addresses } from '../../src/pages/addresses.ts';
import { createDemo } from '../../src/seed/index.ts';
import { elena, nora, type Person, tomas } from '../../src/seed/people.ts';
import { givePassword } from '../support/browser.ts';
import { type Service, startService } from '../support/service.ts';
import { findViolations } from './axe.ts';
import { launch } from './chromium.ts';
import { Requests } from './requests.ts';
import { inChromium, Visitor } from './visitor.ts';

/** The most that a page may shift while it loads: "good", as Web Vitals have it. */
const maxShift = 0.1;

const screens = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
  { width: 1440, height: 900 },
] as const;

const colorSchemes = ['light', 'dark'] as const;

/** An address without a page, which shows one that says so. */
const missing = '/nowhere';

/** Whether a page needs no session. */
const isForGuests = (address: string) =>
  /^\/($|developers|docs|sign-in|forgot-|reset-|packages|tutorials|unsubscribe|invitation|graphql|nowhere)/.test(
    address,
  );

/** Whether a page for guests is another one for those who are signed in; the others do not ask who is. */
const dependsOnCaller = (address: string) => /^\/($|sign-in|graphql)/.test(address);

/** Somebody with each role. */
const people = [nora, elena, tomas];

inChromium('all pages', () => {
  let service: Service;
  let browser: Browser;
  let companyId: string;
  /** The addresses of pages, with rows of the demo company in place of their parameters. */
  let paths: string[];
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    await createDemo(service.database);
    const { prisma } = service.database;
    const company = await prisma.company.findUniqueOrThrow({ where: { slug: 'demo' } });
    companyId = company.id;
    // Amounts in the millions, of a currency that is written out.
    await prisma.company.update({ where: { id: companyId }, data: { currency: 'CHF' } });
    await prisma.inventoryItem.updateMany({ where: { companyId }, data: { quantity: 1000 } });
    for (const person of people) await giveRows(person);
    const guest = { company_slug: 'demo', guest_name: 'Gus', guest_email: 'gus@example.com' };
    const { row } = await service.anonymous.post('/public/expected-packages', guest);
    const first = { where: { companyId }, select: { id: true } };
    const parameters: Record<string, unknown> = {
      '/packages/:token': row['tracking_token'],
      '/rows/service-requests/:id': (await prisma.serviceRequest.findFirst(first))?.id,
      '/rows/move-requests/:id': (await prisma.moveRequest.findFirst(first))?.id,
      '/rows/reminders/:id': (await prisma.reminder.findFirst(first))?.id,
      '/rows/inventory-items/:id': (await prisma.inventoryItem.findFirst(first))?.id,
      '/rows/leases/:id': (await prisma.lease.findFirst(first))?.id,
      '/rows/asset-maintenance/:id': (await prisma.assetMaintenance.findFirst(first))?.id,
    };
    paths = [...addresses, '/graphql', missing].map((address) => address.replace(/:\w+$/, String(parameters[address])));
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  /** The id of somebody of the demo company. */
  const idOf = async ({ email }: Person): Promise<string> =>
    (await service.database.prisma.user.findFirstOrThrow({ where: { companyId, email } })).id;

  /** Gives somebody what people have of their own, so that their pages show it. */
  async function giveRows(person: Person): Promise<void> {
    const { prisma } = service.database;
    const userId = await idOf(person);
    const own = { companyId, userId };
    await givePassword(service, userId);
    await createToken(prisma, { ...own, live: true, name: 'Export', scopes: ['*:read'], rateLimit: 1000 });
    await prisma.savedQuery.create({ data: { ...own, name: 'Typename', query: '{ __typename }' } });
    const changes = await prisma.change.findMany({ where: { companyId, tableName: 'service_requests' }, take: 100 });
    const notices = changes.map(({ tableName, rowId, xid, seq }) => ({ tableName, rowId, xid, seq, mailGroup: '' }));
    await prisma.notification.createMany({
      data: notices.map((notice) => ({ ...own, ...notice, kind: 'request_changed' })),
    });
    await insertFailingWebhook(own);
  }

  /** Inserts a webhook with messages, whose receiver is down. */
  async function insertFailingWebhook(owner: { companyId: string; userId: string }): Promise<void> {
    const { prisma } = service.database;
    const now = new Date();
    const address = { name: 'CRM', url: 'https://crm.example/hook', secret: 'x', position: '' };
    const { id: webhookId } = await prisma.webhook.create({ data: { ...owner, ...address, failingSince: now } });
    const { id } = await prisma.webhookDelivery.create({
      data: { companyId, webhookId, event: 'paints.update', attempts: 4, attemptedAt: now, answerStatus: 500 },
    });
    await prisma.webhook.update({
      where: { companyId_id: { companyId, id: webhookId } },
      data: { failedDeliveryId: id },
    });
  }

  /** A browser in which somebody is signed in, or nobody, and which measures how pages shift. */
  async function openBrowser(
    person: Person | undefined,
    viewport: { width: number; height: number },
  ): Promise<Visitor> {
    const visitor = await Visitor.create(browser, service, { viewport, reducedMotion: 'reduce' });
    await visitor.page.addInitScript(() => {
      const shifts: { value: number }[] = [];
      Object.assign(globalThis, { shifts });
      const observer = new PerformanceObserver((list) => {
        // TypeScript does not know this kind of entry.
        shifts.push(...(list.getEntries() as unknown as typeof shifts));
      });
      observer.observe({ type: 'layout-shift', buffered: true });
    });
    if (person) await visitor.enter(service, person.email);
    return visitor;
  }

  /**
   * Opens pages one after the other, and checks each once it has loaded.
   *
   * @param offset odd to begin with dark colors
   * @param options.inTurn whether each page is seen on one screen in one color scheme, which take turns
   * @returns what is wrong with them
   */
  async function inspectAll(
    visitor: Visitor,
    paths: readonly string[],
    offset: number,
    { inTurn = false } = {},
  ): Promise<string[]> {
    const { page } = visitor;
    const requests = new Requests(page);
    const problems: string[] = [];
    for (const [index, path] of paths.entries()) {
      const turn = index + offset;
      const screen = screens[turn % screens.length];
      if (inTurn && screen) await page.setViewportSize(screen);
      // Each page begins with the colors of the one before: half of them load in dark ones.
      const schemes = turn % 2 === 0 ? colorSchemes : colorSchemes.toReversed();
      const found = await inspect(visitor, path, inTurn ? schemes.slice(0, 1) : schemes, requests);
      problems.push(...found.map((problem) => `${path} at ${page.viewportSize()?.width}: ${problem}`));
    }
    return [...problems, ...visitor.consoleErrors];
  }

  async function inspect(
    { page, open }: Visitor,
    path: string,
    schemes: readonly ('light' | 'dark')[],
    requests: Requests,
  ): Promise<string[]> {
    requests.clear();
    await page.emulateMedia({ colorScheme: schemes[0] ?? null });
    const response = await open(path);
    await requests.waitForAnswers();
    const status = response?.status();
    const shift = await page.evaluate(() =>
      (globalThis as unknown as { shifts: { value: number }[] }).shifts.reduce((sum, { value }) => sum + value, 0),
    );
    const problems = [
      ...(status === (path === missing ? 404 : 200) ? [] : [`status ${status}`]),
      ...(shift < maxShift ? [] : [`shifts by ${shift.toFixed(2)} in ${schemes[0]} colors`]),
      // Otherwise it may differ by role.
      ...(isForGuests(path) && !dependsOnCaller(path) && requests.askedForSession ? ['depends on the session'] : []),
    ];
    // All operations look alike, and there are hundreds.
    if (path === '/docs') await page.getByLabel('Search operations').fill('paints');
    // GraphiQL's own parts are checked with the pages of people.
    const part = path === '/graphql' ? { exclude: ['.graphiql-container'] } : 'html';
    const screen = page.viewportSize()?.width ?? 0;
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      const found = [
        ...(width <= screen ? [] : [`is ${width} wide`]),
        ...(await findBrokenNumbers(page)).map((text) => `breaks ${text}`),
        ...(await findViolations(page, part)),
      ];
      problems.push(...found.map((problem) => `in ${colorScheme} colors, ${problem}`));
    }
    return problems;
  }

  const inspectOnScreens = async (
    person: Person | undefined,
    seen: readonly string[],
    offset = 0,
  ): Promise<string[]> => {
    const found = await Promise.all(
      screens.map(async (screen, index) => {
        const visitor = await openBrowser(person, screen);
        const problems = await inspectAll(visitor, seen, index + offset);
        await visitor.close();
        return problems;
      }),
    );
    return found.flat();
  };

  test('are right for guests', async () => {
    const seen = paths.filter(isForGuests);
    expect(seen.length).toBeGreaterThan(10);
    expect(await inspectOnScreens(undefined, seen)).toEqual([]);
  });

  test('that need a session lead guests to the sign-in page', async () => {
    const { page, open, close } = await Visitor.create(browser, service);
    for (const path of paths.filter((path) => !isForGuests(path))) {
      await open(path);
      await page.waitForURL((url) => url.pathname === '/sign-in').catch(() => {});
      expect(page.url()).toBe(`${service.origin}/sign-in?${new URLSearchParams({ return_to: path })}`);
    }
    await close();
  });

  /** The pages of people who are signed in. */
  const pathsOfPeople = () =>
    paths.filter((path) => path !== '/sign-in' && (!isForGuests(path) || dependsOnCaller(path)));

  test('are right for an admin', async () => {
    expect(pathsOfPeople().length).toBeGreaterThan(25);
    expect(await inspectOnScreens(nora, pathsOfPeople())).toEqual([]);
  });

  // The pages of the other roles are made of the same parts.
  test.each([
    ['an executive', elena, 0],
    ['a member', tomas, 1],
  ] as const)('are right for %s, on each screen in turn', async (_name, person, offset) => {
    const visitor = await openBrowser(person, screens[0]);
    expect(await inspectAll(visitor, pathsOfPeople(), offset, { inTurn: true })).toEqual([]);
    await visitor.close();
  });
});

/** Finds numbers that begin on one line and end on another. */
const findBrokenNumbers = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const broken: string[] = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      for (const { 0: number, index } of (text.nodeValue ?? '').matchAll(/\d[\d.,'’\u00a0\u202f]*\d/gu)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + number.length);
        const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (tops.size > 1) broken.push(number);
      }
    }
    return broken;
  });
