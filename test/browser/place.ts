import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Service } from '../support/service.ts';
import { Visitor } from './visitor.ts';

/** Makes violations of the page's policy console errors, and counts the clicks and taps of people. */
export async function watchPlace(page: Page): Promise<void> {
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error(`The policy forbids ${violatedDirective}: ${blockedURI}`),
    );
    document.addEventListener(
      'click',
      ({ isTrusted, detail }) => {
        // Browsers click the button of a form by themselves, and the field of a label again.
        if (!isTrusted || detail === 0) return;
        sessionStorage.setItem('taps', String(Number(sessionStorage.getItem('taps') ?? 0) + 1));
      },
      { capture: true },
    );
  });
}

/** How often somebody has clicked or tapped since the last call. */
export const countTaps = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const count = Number(sessionStorage.getItem('taps') ?? 0);
    sessionStorage.removeItem('taps');
    return count;
  });

/** Opens a browser in which somebody is signed in, and whose taps are counted. @param path the page to show */
export async function openAs(
  browser: Browser,
  service: Pick<Service, 'origin' | 'database'>,
  email: string,
  path?: string,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const visitor = await Visitor.create(browser, service, options);
  await watchPlace(visitor.page);
  await visitor.enter(service, email);
  if (path !== undefined) await visitor.open(path);
  return visitor;
}
