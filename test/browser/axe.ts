import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * Finds accessibility violations with axe.
 * @param where the part of the page to check
 * @param without rules to skip there
 */
export async function findViolations(
  page: Page,
  where: string | { exclude: string[] } = 'html',
  without: readonly string[] = [],
): Promise<string[]> {
  await page.evaluate(axe.source);
  const rules = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]));
  const { violations } = await page.evaluate(
    ([part, rules]) => (globalThis as unknown as { axe: typeof axe }).axe.run(part, { rules }),
    [where, rules] as const,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}
