// Ranges that rows are grouped by, in SQL: periods of days, and ranges of numbers.
import type { DatePart } from '../../fields/index.ts';
import type { Bucket } from './group-query.ts';
import type { Statement } from './statement.ts';

/** The first day of the period that has a day. @param fiscalMonth in which fiscal years start */
export function periodSql(statement: Statement, day: string, part: DatePart, fiscalMonth = 1): string {
  if (part === 'day') return day;
  if (part !== 'fiscalYear') return `date_trunc('${part}', ${day}::timestamp)::date`;
  const months = `make_interval(months => ${statement.value(fiscalMonth - 1, 'integer')})`;
  return `(date_trunc('year', ${day}::timestamp - ${months}) + ${months})::date`;
}

/** The lower bound of the range that has a number; null for one below all of them. */
export function bucketSql(statement: Statement, number: string, bucket: Bucket): string {
  if ('size' in bucket) {
    const size = statement.value(bucket.size, 'numeric');
    return `(floor(${number}::numeric / ${size}) * ${size})`;
  }
  const bounds = statement.value(bucket.bounds, 'numeric[]');
  return `(${bounds})[nullif(width_bucket(${number}::numeric, ${bounds}), 0)]`;
}
