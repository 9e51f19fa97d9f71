import { describe, expect } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';
import { openSession, password } from '../support/browser.ts';
import type { Service } from '../support/service.ts';
import { executable } from './chromium.ts';

if (!executable)
  process.stderr.write(
    '\nThe tests of the pages are skipped: there is no Chromium. Install it, or name one with PREMISES_CHROMIUM.\n',
  );

/** Tests in a browser; skipped without one. */
export const inChromium = executable ? describe : describe.skip;

export const phone = { width: 360, height: 740 };

/** A person with their own browser, and its console errors. */
export class Visitor {
  /** Console errors, including policy violations, but without error responses of the service. */
  readonly consoleErrors: string[] = [];

  private constructor(
    readonly page: Page,
    readonly origin: string,
  ) {
    page.on('console', (message) => {
      if (message.type() === 'error' && !/the server responded with a status of 4/.test(message.text()))
        this.consoleErrors.push(message.text());
    });
    page.on('pageerror', (error) => this.consoleErrors.push(String(error)));
  }

  static async create(
    browser: Browser,
    { origin }: Pick<Service, 'origin'>,
    options: BrowserContextOptions = {},
  ): Promise<Visitor> {
    const context = await browser.newContext({ locale: 'en-US', timezoneId: 'UTC', ...options });
    context.setDefaultTimeout(20_000);
    return new Visitor(await context.newPage(), origin);
  }

  /** Has pages that are opened from now on hold no stream of changes, so that their network falls silent. */
  withoutStream = () =>
    this.page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'locks', { value: undefined }));

  open = (path: string) => this.page.goto(this.origin + path);

  /**
   * Shows a page as a link of the app does, without loading the document again, and waits for its title. The page that
   * is open must be one of the app's too.
   */
  async go(path: string): Promise<void> {
    await this.page.evaluate((address) => {
      for (const title of document.querySelectorAll('h1')) title.dataset['before'] = '';
      // The router follows what a page writes into the history.
      history.pushState(null, '', address);
    }, path);
    await this.page.locator('h1:not([data-before])').first().waitFor();
  }

  /** Fills in and submits the sign-in form. */
  async signIn(email: string, secret = password): Promise<void> {
    const { page } = this;
    if (!page.url().includes('/sign-in')) await this.open('/sign-in');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  /** Signs somebody in without the form, which loads two pages more and checks a password. No page is opened. */
  async enter(service: Pick<Service, 'origin' | 'database'>, email: string): Promise<void> {
    const { id } = await service.database.prisma.person.findFirstOrThrow({ where: { email }, select: { id: true } });
    const { cookies } = await openSession(service, id);
    const added = [...cookies].map(([name, value]) => ({ name, value, url: this.origin, httpOnly: true }));
    await this.page.context().addCookies(added);
  }

  /** Opens a page through the navigation, which phones show at the touch of a button. */
  async follow(name: string): Promise<void> {
    await this.page.getByRole('banner').waitFor();
    const menu = this.page.getByRole('button', { name: 'Menu' });
    if (await menu.isVisible()) await menu.click();
    await this.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
  }

  /** The value of a key figure. */
  async tile(label: string): Promise<number> {
    const text = await this.page
      .locator('dl > div', { has: this.page.getByText(label, { exact: true }) })
      .locator('dd')
      .first()
      .textContent();
    return Number(text?.replace(/[^\d.-]/g, ''));
  }

  /** Runs an operation of GraphiQL's open tab without errors. @returns its data */
  async run<T>(operation: string): Promise<T> {
    const answer = this.page.waitForResponse(
      (response) => response.request().postData()?.includes(`"operationName":"${operation}"`) === true,
    );
    // GraphiQL processes new text with a delay, and ignores the button until then.
    for (;;) {
      await this.page.getByRole('button', { name: /Execute query/ }).click();
      const response = await Promise.race([answer, this.page.waitForTimeout(1_000)]);
      if (!response) continue;
      const { data, errors } = (await response.json()) as { data: T; errors?: unknown };
      expect(errors).toBeUndefined();
      return data;
    }
  }

  /** The editor of GraphiQL's headers. */
  headersEditor = () => this.page.locator('.graphiql-editor-tool .view-line:visible');

  /** Enters a token in GraphiQL's headers. */
  async typeToken(token: string): Promise<void> {
    await this.headersEditor().click();
    for (const key of ['End', 'ArrowLeft', 'ArrowLeft']) await this.page.keyboard.press(key);
    await this.page.keyboard.insertText(token);
    await this.headersEditor().getByText(token).waitFor();
  }

  /**
   * Holds requests of the page, like a slow network.
   *
   * @param path what their paths match, such as `graphql`
   * @param text what their bodies contain, such as `mutation CreateToken`
   * @returns a function that lets them go on, and waits for their responses
   */
  async delayRequests(path: string, text = ''): Promise<() => Promise<void>> {
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    const held: Promise<unknown>[] = [];
    const handler = async (route: Route) => {
      if (!(route.request().postData() ?? '').includes(text)) return route.fallback();
      held.push(route.request().response());
      await isReleased;
      return route.continue();
    };
    await this.page.route(`**/${path}`, handler);
    return async () => {
      release();
      await Promise.all(held);
      await this.page.unroute(`**/${path}`, handler);
    };
  }

  /** Sends a request from a script of the page. */
  fetch<T>(path: string): Promise<T> {
    return this.page.evaluate(async (address) => (await (await fetch(address)).json()) as unknown, path) as Promise<T>;
  }

  /** The text of the focused element. */
  focused = () => this.page.evaluate(() => document.activeElement?.textContent);

  close = () => this.page.context().close();
}
