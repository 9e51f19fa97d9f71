// What is computed of the rows of a group, in SQL.
import type { Measure } from './group-query.ts';
import type { Statement } from './statement.ts';

/**
 * The SQL of a measure.
 *
 * @param value the SQL of what is measured of each row; empty for a count of all rows
 * @param isExact whether the digits of values matter, as those of money do
 */
export function measureSql(statement: Statement, measure: Measure, value: string, isExact: boolean): string {
  if (measure.of === 'count') return `count(${value || '*'})`;
  if (measure.of === 'countDistinct') return `count(DISTINCT ${value})`;
  if (measure.of !== 'percentile') return `${measure.of}(${value})`;
  if (isExact) return percentileSql(value, statement.value(measure.share, 'numeric'));
  const share = statement.value(Number(measure.share), 'double precision');
  return `percentile_cont(${share}) WITHIN GROUP (ORDER BY ${value})`;
}

/** The SQL of a percentile with all digits; `percentile_cont` computes with doubles. @param share a numeric */
function percentileSql(value: string, share: string): string {
  const sorted = `(array_agg(${value} ORDER BY ${value}) FILTER (WHERE ${value} IS NOT NULL))`;
  const place = `(${share} * (count(${value}) - 1))`;
  const below = `${sorted}[1 + floor(${place})::int]`;
  const above = `${sorted}[1 + ceil(${place})::int]`;
  return `(${below} + (${above} - ${below}) * (${place} - floor(${place})))`;
}
