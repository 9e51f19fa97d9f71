// Groups without rows, which a chart should show too.
import type { Statement } from './statement.ts';

/** Maximum number of groups that are added, for all parents together. */
export const maxFilled = 100_000;

/** The values of a key that need a group even without rows: first days in ISO 8601, or numbers. */
export interface Fill {
  readonly key: number;
  readonly values: readonly (string | number)[];
}

/** The keys and limits that determine which groups are added. */
interface FilledQuery {
  readonly keys: readonly unknown[];
  readonly measures: readonly { readonly of: string }[];
  readonly fill: readonly Fill[];
  readonly subtotals?: readonly unknown[];
  readonly parents?: { readonly ids: readonly string[] };
}

/** Groups with those that are added. */
interface Filled {
  readonly sql: string;
  /**
   * How many combinations of the keys that are not filled get groups, if there are such keys. The last column of `sql`
   * counts them, and exceeds this if there are more.
   */
  readonly maxCombinations?: number;
}

/** Adds the groups without rows: each value of the filled keys with each combination of values of the other keys. */
export function filledSql(
  statement: Statement,
  { keys, measures, fill, subtotals = [], parents }: FilledQuery,
  groups: string,
): Filled {
  if (fill.length === 0) return { sql: groups };
  const filledKeys = new Set(fill.map(({ key }) => key));
  const from = fill.map(({ key, values }) => {
    const type = typeof values[0] === 'number' ? 'integer' : 'date';
    return `unnest(${statement.value(values, `${type}[]`)}) AS f${key}(k${key})`;
  });
  const names = keys.map((_, n) => `k${n}`);
  // The maxima merge an added group with the group that has rows.
  // Totals are not filled.
  const level = subtotals.length > 0 ? ['level'] : [];
  const selected = [...names, ...level, ...measures.map((_, n) => `max(m${n}) AS m${n}`)];
  const subqueries = [`found AS (${groups})`];
  const others = names.filter((_, n) => !filledKeys.has(n));
  let maxCombinations: number | undefined;
  if (others.length > 0) {
    const added = fill.reduce((count, { values }) => count * values.length, parents?.ids.length ?? 1);
    maxCombinations = Math.ceil(maxFilled / Math.max(added, 1));
    subqueries.push(
      `others AS (SELECT DISTINCT ${others.join(', ')} FROM found${level.length > 0 ? ' WHERE level = 0' : ''} LIMIT ${maxCombinations + 1})`,
    );
    selected.push('(SELECT count(*) FROM others) AS combinations');
    from.push('others');
  }
  const empty = measures.map(({ of }) => (of === 'count' || of === 'countDistinct' ? '0' : 'NULL'));
  const sql =
    `WITH ${subqueries.join(', ')} SELECT ${selected.join(', ')} FROM ` +
    `(SELECT * FROM found UNION ALL SELECT ${[...names, ...level.map(() => '0'), ...empty].join(', ')} FROM ${from.join(' CROSS JOIN ')}) AS u ` +
    `GROUP BY ${[...names, ...level].join(', ')}`;
  return { sql, maxCombinations };
}
