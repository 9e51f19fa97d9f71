/** Numbers and dates follow the reader's locale; the text around them is English. */
const locale = navigator.language;

export const formatNumber = (value: number): string => value.toLocaleString(locale);

/** A count with its noun, such as "3 items". */
export const formatCount = (value: number, noun: string): string =>
  `${formatNumber(value)} ${noun}${value === 1 ? '' : 's'}`;

/** A rounded number: one decimal below ten, none above. */
export const formatRounded = (value: number): string =>
  value.toLocaleString(locale, { maximumFractionDigits: value < 10 ? 1 : 0 });

/** An amount of money. @param currency an ISO 4217 code, with whose usual decimals it is shown */
export const formatAmount = (value: number, currency: string): string =>
  value.toLocaleString(locale, { style: 'currency', currency });

const formatUsd = (value: number, minimumFractionDigits: number, maximumFractionDigits: number) =>
  value.toLocaleString(locale, { style: 'currency', currency: 'USD', minimumFractionDigits, maximumFractionDigits });

/** US dollars, with four decimals below one dollar. */
export function formatDollars(value: number): string {
  const digits = value !== 0 && Math.abs(value) < 1 ? 4 : 2;
  return formatUsd(value, digits, digits);
}

/** US dollars for the axis of a chart, with only the decimals that a round number needs. */
export const formatAxisDollars = (value: number): string => formatUsd(value, 2, 6);

/** The day of a timestamp, in the reader's time zone. */
export const formatDay = (time: string): string => new Date(time).toLocaleDateString(locale, { dateStyle: 'medium' });

/** A timestamp, in the reader's time zone. */
export const formatTime = (time: string): string =>
  new Date(time).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' });

/** A calendar date, which is the same in every time zone. */
export const formatDate = (date: string): string =>
  new Date(date).toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' });

/** A calendar date without its year, for charts. */
export const formatShortDate = (date: string): string =>
  new Date(date).toLocaleDateString(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The month of a calendar date. */
export const formatMonth = (date: string): string =>
  new Date(date).toLocaleDateString(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The month of a calendar date, for charts. */
export const formatShortMonth = (date: string): string =>
  new Date(date).toLocaleDateString(locale, { month: 'short', year: '2-digit', timeZone: 'UTC' });

/** How long ago a timestamp was. */
export function formatAgo(time: string): string {
  const minutes = Math.round((Date.now() - Date.parse(time)) / 60_000);
  if (minutes < 2) return 'just now';
  if (minutes < 120) return `${minutes} minutes ago`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} hours ago`;
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
