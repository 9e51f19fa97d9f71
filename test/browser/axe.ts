import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The part of a page to check. */
type Where = string | { exclude: string[] };

/**
 * Finds accessibility violations with axe.
 * @param where the part of the page to check
 * @param without rules to skip there
 */
export async function findViolations(
  page: Page,
  where: Where = 'html',
  without: readonly string[] = [],
): Promise<string[]> {
  // axe leaves the size of targets out unless it is asked for.
  const rules = {
    'target-size': { enabled: true },
    ...Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
  };
  // What has scrolled behind the header would be too near to its buttons.
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    ([part, rules]) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(part, { rules, resultTypes: ['violations'] }),
    [where, rules] as const,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}

/** The widths of a phone, a laptop and a desk. */
const widths = [390, 1280, 1440];

/** Finds accessibility violations, and what is wider than the page, at each width, in light and dark colors. */
export async function findViolationsEverywhere(page: Page): Promise<string[]> {
  const size = page.viewportSize();
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      found.push(...(await findViolations(page)).map((violation) => `${colorScheme} ${width}: ${violation}`));
      const needed = await page.evaluate(() => document.documentElement.scrollWidth);
      if (needed > width) found.push(`${colorScheme} ${width}: the page is ${needed} wide`);
    }
  }
  if (size) await page.setViewportSize(size);
  return found;
}
