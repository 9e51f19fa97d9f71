// What is computed of the measures of groups, in SQL: figures of a group beside others of the same groups.
import type { DatePart } from '../../fields/index.ts';
import type { Statement } from './statement.ts';

/** A figure of a group, from measures and keys by their places. */
export type Derived =
  /** A measure divided by another; null where that is 0. */
  | { readonly of: 'ratio'; readonly measure: number; readonly by: number }
  | { readonly of: 'difference'; readonly measure: number; readonly by: number }
  /** The share of a measure in its sum over the groups with the same values of some keys. */
  | { readonly of: 'share'; readonly measure: number; readonly within: readonly number[] }
  /** The sum of a measure over the periods so far; null without one. @param period the key with the periods */
  | { readonly of: 'running'; readonly measure: number; readonly period: number }
  /** By how much a measure differs from its value some periods before; null where there is no group of that one. */
  | { readonly of: 'change'; readonly measure: number; readonly period: number; readonly periods: number };

/** The keys of groups, and what tells apart lists and levels of totals. */
interface Grouping {
  readonly keys: readonly { readonly part?: DatePart | undefined }[];
  /** Columns within which all figures are: of the list, and of the level of totals. */
  readonly within: readonly string[];
}

/** The SQL of a figure, in a query of groups. */
export function derivedSql(statement: Statement, derived: Derived, { keys, within }: Grouping): string {
  const measure = `m${derived.measure}::numeric`;
  const partition = (places: readonly number[]) => {
    const columns = [...within, ...places.map((place) => `k${place}`)];
    return columns.length > 0 ? `PARTITION BY ${columns.join(', ')}` : '';
  };
  switch (derived.of) {
    case 'ratio':
      return `(${measure} / nullif(m${derived.by}::numeric, 0))`;
    case 'difference':
      return `(${measure} - m${derived.by}::numeric)`;
    case 'share':
      return `(${measure} / nullif(sum(${measure}) OVER (${partition(derived.within)}), 0))`;
    default: {
      const others = keys.flatMap((_, place) => (place === derived.period ? [] : [place]));
      const period = `k${derived.period}`;
      const periods = `${partition(others)} ORDER BY ${period}`;
      // SQL has the groups without a period beside each other, as if they were one.
      const ofPeriods = (sql: string) => `CASE WHEN ${period} IS NOT NULL THEN ${sql} END`;
      if (derived.of === 'running') return ofPeriods(`sum(${measure}) OVER (${periods} RANGE UNBOUNDED PRECEDING)`);
      const part = keys[derived.period]?.part ?? 'day';
      const [unit, factor] = units[part] ?? ['days', 1];
      const before = `make_interval(${unit} => ${statement.value(derived.periods * factor, 'integer')}) PRECEDING`;
      return ofPeriods(`(${measure} - max(${measure}) OVER (${periods} RANGE BETWEEN ${before} AND ${before}))`);
    }
  }
}

/** Periods in units of intervals. */
const units: Readonly<Partial<Record<DatePart, readonly [unit: string, factor: number]>>> = {
  day: ['days', 1],
  week: ['days', 7],
  month: ['months', 1],
  quarter: ['months', 3],
  year: ['years', 1],
  fiscalYear: ['years', 1],
};

/** Whether a part of a date is a period, of which each has one before. */
export const isPeriod = (part: DatePart | undefined): boolean => part !== undefined && part in units;

/** The places of the keys that a total is over, by its level: a bit for each, that of the last being the lowest. */
export const placesIn = (level: number, keys: number): number[] =>
  Array.from({ length: keys }, (_, place) => place).filter((place) => level & (1 << (keys - 1 - place)));

/** The most groups that are read where each of several has up to a number: one more than a result can have. */
export const maxRead = 1001;
