import { describe, expect } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { password } from '../support/browser.ts';
import type { Service } from '../support/service.ts';
import { executable } from './chromium.ts';

if (!executable)
  process.stderr.write(
    '\nThe tests of the pages are skipped: there is no Chromium. Install it, or name one with PREMISES_CHROMIUM.\n',
  );

/** A block of tests in a browser, skipped where there is none. */
export const inChromium = executable ? describe : describe.skip;

export const phone = { width: 360, height: 740 };

/** A person in front of a browser of their own, and what went wrong in it. */
export class Visitor {
  /** What the pages complained of on the console, violations of their policy among it; refusals by the service are not. */
  readonly complaints: string[] = [];

  private constructor(
    readonly page: Page,
    readonly origin: string,
  ) {
    page.on('console', (message) => {
      if (message.type() === 'error' && !/the server responded with a status of 4/.test(message.text()))
        this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
  }

  static async arrive(
    browser: Browser,
    { origin }: Pick<Service, 'origin'>,
    options: BrowserContextOptions = {},
  ): Promise<Visitor> {
    const context = await browser.newContext({ locale: 'en-US', timezoneId: 'UTC', ...options });
    context.setDefaultTimeout(20_000);
    return new Visitor(await context.newPage(), origin);
  }

  open = (path: string) => this.page.goto(this.origin + path);

  /** Fills the form of the page for signing in, and sends it. */
  async signIn(email: string, secret = password): Promise<void> {
    const { page } = this;
    if (!page.url().includes('/sign-in')) await this.open('/sign-in');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  /** What a tile of numbers says. */
  async tile(label: string): Promise<number> {
    const text = await this.page
      .locator('dl > div', { has: this.page.getByText(label, { exact: true }) })
      .locator('dd')
      .first()
      .textContent();
    return Number(text?.replace(/[^\d.-]/g, ''));
  }

  /** Lets GraphiQL run the operation that the text of its open tab names, and tells its data: there is no error. */
  async run<T>(operation: string): Promise<T> {
    const answer = this.page.waitForResponse(
      (response) => response.request().postData()?.includes(`"operationName":"${operation}"`) === true,
    );
    // It reads a new text a moment late, and asks nothing when it is told to run before.
    for (;;) {
      await this.page.getByRole('button', { name: /Execute query/ }).click();
      const response = await Promise.race([answer, this.page.waitForTimeout(1_000)]);
      if (!response) continue;
      const { data, errors } = (await response.json()) as { data: T; errors?: unknown };
      expect(errors).toBeUndefined();
      return data;
    }
  }

  /** What the service answers a script of the page. */
  fetch<T>(path: string): Promise<T> {
    return this.page.evaluate(async (address) => (await (await fetch(address)).json()) as unknown, path) as Promise<T>;
  }

  /** The words of what the keyboard is on. */
  focused = () => this.page.evaluate(() => document.activeElement?.textContent);

  leave = () => this.page.context().close();
}
