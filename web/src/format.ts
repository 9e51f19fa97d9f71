// Numbers, dates and lists in the reader's language, with times in their time zone.
import { t } from './texts/components.ts';
import { locale, timeZone } from './texts/texts.ts';

export const formatNumber = (value: number): string => value.toLocaleString(locale());

/** What is between the digits of a number and its decimals. */
export const decimalSeparator = (): string =>
  new Intl.NumberFormat(locale()).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';

/** Several texts as one, such as "a, b and c". */
export const formatList = (texts: readonly string[]): string => new Intl.ListFormat(locale()).format(texts);

/** Several texts of which one holds, such as "a or b". */
export const formatChoice = (texts: readonly string[]): string =>
  new Intl.ListFormat(locale(), { type: 'disjunction' }).format(texts);

// The 1st of January 2024 was a Monday.
/** The names of the days of a week, from Monday. */
export const weekdays = (): string[] =>
  Array.from({ length: 7 }, (_, n) =>
    new Date(Date.UTC(2024, 0, n + 1)).toLocaleDateString(locale(), { weekday: 'long', timeZone: 'UTC' }),
  );

/** A rounded number: one decimal below ten, none above. */
export const formatRounded = (value: number): string =>
  value.toLocaleString(locale(), { maximumFractionDigits: value < 10 ? 1 : 0 });

/** An amount of money. @param currency an ISO 4217 code, with whose usual decimals it is shown */
export const formatAmount = (value: number, currency: string): string =>
  value.toLocaleString(locale(), { style: 'currency', currency });

const formatUsd = (value: number, minimumFractionDigits: number, maximumFractionDigits: number) =>
  value.toLocaleString(locale(), { style: 'currency', currency: 'USD', minimumFractionDigits, maximumFractionDigits });

/** US dollars, with four decimals below one dollar. */
export function formatDollars(value: number): string {
  const digits = value !== 0 && Math.abs(value) < 1 ? 4 : 2;
  return formatUsd(value, digits, digits);
}

/** US dollars for the axis of a chart, with only the decimals that a round number needs. */
export const formatAxisDollars = (value: number): string => formatUsd(value, 2, 6);

/** The day of a timestamp, in the reader's time zone. */
export const formatDay = (time: string): string =>
  new Date(time).toLocaleDateString(locale(), { dateStyle: 'medium', timeZone: timeZone() });

/** A timestamp, in the reader's time zone. */
export const formatTime = (time: string): string =>
  new Date(time).toLocaleString(locale(), { dateStyle: 'medium', timeStyle: 'medium', timeZone: timeZone() });

/** A calendar date, which is the same in every time zone. */
export const formatDate = (date: string): string =>
  new Date(date).toLocaleDateString(locale(), { dateStyle: 'medium', timeZone: 'UTC' });

/** A calendar date without its year, for charts. */
export const formatShortDate = (date: string): string =>
  new Date(date).toLocaleDateString(locale(), { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A calendar date with the day of the week and without its year, for columns. */
export const formatWeekday = (date: string): string =>
  new Date(date).toLocaleDateString(locale(), { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The month of a calendar date. */
export const formatMonth = (date: string): string =>
  new Date(date).toLocaleDateString(locale(), { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The month of a calendar date, for charts. */
export const formatShortMonth = (date: string): string =>
  new Date(date).toLocaleDateString(locale(), { month: 'short', year: '2-digit', timeZone: 'UTC' });

/** How long ago a timestamp was. */
export function formatAgo(time: string): string {
  const minutes = Math.round((Date.now() - Date.parse(time)) / 60_000);
  const ago = new Intl.RelativeTimeFormat(locale());
  if (minutes < 2) return t('justNow');
  if (minutes < 120) return ago.format(-minutes, 'minute');
  if (minutes < 48 * 60) return ago.format(-Math.round(minutes / 60), 'hour');
  return formatDay(time);
}

/**
 * The error text below a field.
 * @param label the field's label
 * @param error the service's message, such as "is required"; whole sentences stay unchanged
 */
export function formatFieldError(label: string, error: string | undefined): string | undefined {
  return error && /^[a-z]/.test(error) ? `${label} ${error.replace(/\.$/, '')}.` : error;
}
