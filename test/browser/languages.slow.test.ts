// The pages in German, in another time zone, and from right to left.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { addresses, guestPages, places } from '../../src/pages/addresses.ts';
import { root } from '../../src/root.ts';
import { createDemo, type Demo } from '../../src/seed/index.ts';
import { nora } from '../../src/seed/people.ts';
import { type Service, startService } from '../support/service.ts';
import { findViolations } from './axe.ts';
import { launch } from './chromium.ts';
import { Requests } from './requests.ts';
import { inChromium, Visitor } from './visitor.ts';

type Texts = { readonly [Key in string]: string | Texts };

const folder = join(root, 'web/src/texts');

/** What German says of the API, whose English is not in files. */
const ofApi = ['definitions.json', 'help.json'];

/** Texts by their place in the files of a language. */
function textsOf(language: string): Map<string, string> {
  const found = new Map<string, string>();
  const add = (texts: Texts, path: string) => {
    for (const [key, text] of Object.entries(texts)) {
      if (typeof text === 'string') found.set(`${path}.${key}`, text);
      else add(text, `${path}.${key}`);
    }
  };
  for (const name of readdirSync(join(folder, language)))
    if (!ofApi.includes(name)) add(JSON.parse(readFileSync(join(folder, language, name), 'utf8')) as Texts, name);
  return found;
}

/** What German pages do not show: English texts and words of the API that German has other ones for. */
function englishAlone(): string[] {
  const [english, german] = [textsOf('en'), textsOf('de')];
  const words = JSON.parse(readFileSync(join(folder, 'de/definitions.json'), 'utf8')) as Record<string, Texts>;
  const help = JSON.parse(readFileSync(join(folder, 'de/help.json'), 'utf8')) as Texts;
  const pairs = [...Object.values(words), help].flatMap((kind) => Object.entries(kind));
  const said = new Set<unknown>([...german.values(), ...pairs.map(([, word]) => word)]);
  return [...new Set([...english.values(), ...pairs.map(([word]) => word)])].filter(
    (text) => !said.has(text) && !text.includes('{{') && /[a-z]{2}/i.test(text),
  );
}

/** The resources whose pages are seen, by their part of the address. */
const collections = ['buildings', 'assets', 'inventory-items', 'leases', 'requisitions'] as const;

const widths = [390, 1280, 1440] as const;

const guestAddresses: readonly string[] = Object.values(guestPages).flat();

const isForGuests = (path: string) => guestAddresses.includes(path) || path === '/nowhere';

/** Shows pages to a visitor one after the other, each with all that it loads. */
class Reader {
  private readonly requests: Requests;
  /** Whether the page that is open is one of the app's, whose links do not load its document again. */
  private isInApp = false;

  /**
   * @param visitor who sees them
   * @param reloads whether each has its document loaded again
   */
  constructor(
    private readonly visitor: Visitor,
    private readonly reloads = false,
  ) {
    this.requests = new Requests(visitor.page);
  }

  async show(path: string): Promise<void> {
    const isInApp = path !== '/graphql' && !isForGuests(path);
    this.requests.clear();
    await (isInApp && this.isInApp && !this.reloads ? this.visitor.go(path) : this.visitor.open(path));
    this.isInApp = isInApp;
    await this.requests.waitForAnswers();
    await this.visitor.page.waitForFunction(() => document.fonts.status === 'loaded');
  }
}

/** The visible texts of a page that are one of these. What is marked as English, or is GraphiQL's own, is left out. */
const findTexts = (page: Page, texts: readonly string[]): Promise<string[]> =>
  page.evaluate((texts) => {
    const isOne = new Set(texts);
    const isForeign = (element: Element | null) => element?.closest('[lang=en], code, .graphiql-container') ?? false;
    const found: string[] = [];
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
      const text = (node.nodeValue ?? '').trim();
      if (isOne.has(text) && node.parentElement?.checkVisibility() && !isForeign(node.parentElement)) found.push(text);
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]'))
      for (const name of ['aria-label', 'placeholder', 'title']) {
        const text = element.getAttribute(name) ?? '';
        if (isOne.has(text) && !isForeign(element)) found.push(`${name}: ${text}`);
      }
    if (isOne.has(document.title.split(' · ')[0] ?? '')) found.push(`title: ${document.title}`);
    return found;
  }, texts);

inChromium('in another language', () => {
  let service: Service;
  let browser: Browser;
  let companyId: string;
  let signIn: Demo['signIn'];
  /** The addresses of pages for people. */
  let paths: string[];
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), launch()]);
    ({ signIn } = await createDemo(service.database));
    const { prisma } = service.database;
    ({ id: companyId } = await prisma.company.findUniqueOrThrow({ where: { slug: 'demo' } }));
    const first = { where: { companyId }, select: { id: true } } as const;
    const request = await prisma.serviceRequest.findFirstOrThrow(first);
    const rows = {
      buildings: await prisma.building.findFirstOrThrow(first),
      assets: await prisma.asset.findFirstOrThrow(first),
      'inventory-items': await prisma.inventoryItem.findFirstOrThrow(first),
      leases: await prisma.lease.findFirstOrThrow(first),
      requisitions: await prisma.requisition.findFirstOrThrow(first),
    };
    const ofPlaces = Object.values(places).flat();
    paths = [
      ...addresses.filter((path) => !path.includes(':') && !guestAddresses.includes(path)),
      '/graphql',
      ...ofPlaces.filter((path) => !path.includes(':')).map((path) => `/c/demo${path}`),
      `/c/demo/requests/${request.id}`,
      ...collections.flatMap((name) =>
        ['', '/new', `/${rows[name].id}`, `/${rows[name].id}/edit`].map((path) => `/c/demo/${name}${path}`),
      ),
    ];
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  /** A browser in which the person is signed in, who prefers a language and a time zone. */
  async function openWith(
    language: string | null,
    timeZone: string | null,
    options: BrowserContextOptions = {},
  ): Promise<Visitor> {
    await service.database.prisma.person.updateMany({ where: { email: nora.email }, data: { language, timeZone } });
    const visitor = await Visitor.create(browser, service, options);
    await visitor.signIn(signIn.email, signIn.password);
    await visitor.page.waitForURL(/\/c\//);
    return visitor;
  }

  test('pages are in the language of the person, and times in their time zone', async () => {
    const visitor = await openWith('de', 'Asia/Tokyo');
    const { page } = visitor;
    const english = englishAlone();
    const german = new Set<unknown>(
      Object.values(JSON.parse(readFileSync(join(folder, 'de/help.json'), 'utf8')) as Texts),
    );
    const reader = new Reader(visitor);
    const problems: string[] = [];
    for (const path of paths) {
      await reader.show(path);
      problems.push(...(await findTexts(page, english)).map((text) => `${path}: ${text}`));
      // What is under the fields is said in German, and not left out.
      const descriptions = await page.locator('main .mantine-InputWrapper-description').allTextContents();
      if (path.endsWith('/new') && !descriptions.some((text) => german.has(text))) problems.push(`${path} has no help`);
      if ((await page.locator('html').getAttribute('lang')) !== 'de') problems.push(`${path} says another language`);
    }
    expect(problems).toEqual([]);

    await reader.show('/security-log');
    const { createdAt } = await service.database.prisma.securityEvent.findFirstOrThrow({
      where: { action: 'signed_in' },
      orderBy: { createdAt: 'desc' },
    });
    const shown = createdAt.toLocaleString('de', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'Asia/Tokyo' });
    expect(await page.getByText(shown).count()).toBeGreaterThan(0);
    await visitor.close();
  });

  test('a person changes the language and the time zone, which takes effect at once', async () => {
    const visitor = await openWith('de', null);
    await new Reader(visitor).show('/account');
    const { page } = visitor;
    await page.getByLabel('Sprache').selectOption({ label: 'English' });
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await page.getByRole('button', { name: 'Sign out', exact: true }).first().waitFor();
    expect(await page.getByLabel('Language').evaluate((element) => element === document.activeElement)).toBe(true);
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await page
      .getByLabel('Time zone')
      .locator('option:checked', { hasText: 'Asia/Tokyo' })
      .waitFor({ state: 'attached' });
    const person = await service.database.prisma.person.findFirstOrThrow({ where: { email: nora.email } });
    expect(person).toMatchObject({ language: 'en', timeZone: 'Asia/Tokyo' });
    await visitor.close();
  });

  test('pages for guests are in the language of the browser', async () => {
    const visitor = await Visitor.create(browser, service, { locale: 'de-AT' });
    const reader = new Reader(visitor);
    const problems: string[] = [];
    for (const path of [...guestAddresses.filter((path) => !path.includes(':')), '/nowhere']) {
      await reader.show(path);
      problems.push(...(await findTexts(visitor.page, englishAlone())).map((text) => `${path}: ${text}`));
    }
    expect(problems).toEqual([]);
    await visitor.close();
  });

  test('pages that run from right to left fit the screen, and have no violations', async () => {
    // The worker of the page of the day would fetch documents past the route.
    const visitor = await openWith('de', null, { serviceWorkers: 'block' });
    const { page } = visitor;
    await page.route('**/*', async (route) => {
      if (route.request().resourceType() !== 'document') return route.fallback();
      const response = await route.fetch();
      const body = (await response.text()).replace('<html lang="en">', '<html lang="en" dir="rtl">');
      return route.fulfill({ response, body });
    });
    // Chromium keeps the width of the page before, where the next one is shown in the same document.
    const reader = new Reader(visitor, true);
    const problems: string[] = [];
    for (const [index, path] of paths.entries()) {
      if (path === '/graphql') continue;
      await reader.show(path);
      if ((await page.evaluate(() => document.dir)) !== 'rtl') problems.push(`${path} runs from left to right`);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 844 });
        // The navigation slides away when there is less room.
        const fits = await page
          .waitForFunction((most) => document.documentElement.scrollWidth <= most, width, { timeout: 3000 })
          .catch(() => undefined);
        if (!fits) problems.push(`${path} is wider than ${width}`);
      }
      await page.setViewportSize({ width: widths[index % widths.length] ?? 390, height: 844 });
      problems.push(...(await findViolations(page)).map((problem) => `${path}: ${problem}`));
    }
    expect(problems).toEqual([]);
    await visitor.close();
  });
});
