// How rows are grouped, with totals.
import type { GroupQuery } from './group-query.ts';

/**
 * How rows are grouped by columns, and the column that tells totals apart.
 * @param names those of the columns, those of the keys last
 */
export function groupingSql(
  { keys, subtotals = [] }: Pick<GroupQuery, 'keys' | 'subtotals'>,
  names: readonly string[],
): { readonly grouping: string; readonly level: readonly string[] } {
  if (names.length === 0) return { grouping: '', level: [] };
  if (subtotals.length === 0) return { grouping: ` GROUP BY ${names.map((_, n) => n + 1).join(', ')}`, level: [] };
  const lists = names.slice(0, names.length - keys.length);
  const sets = [keys.map((_, n) => n), ...subtotals].map(
    (places) => `(${[...lists, ...places.map((place) => `k${place}`)].join(', ')})`,
  );
  return {
    grouping: ` GROUP BY GROUPING SETS (${sets.join(', ')})`,
    level: [`GROUPING(${keys.map((_, n) => `k${n}`).join(', ')}) AS level`],
  };
}
