/** How the reader writes numbers and dates; the words around them are English. */
const locale = navigator.language;

export const number = (value: number): string => value.toLocaleString(locale);

/** So many of a thing. */
export const counted = (value: number, thing: string): string => `${number(value)} ${thing}${value === 1 ? '' : 's'}`;

/** A number as precise as a glance is. */
export const about = (value: number): string =>
  value.toLocaleString(locale, { maximumFractionDigits: value < 10 ? 1 : 0 });

/** Money whose currency nobody has said. */
export const amount = (value: number): string =>
  value.toLocaleString(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** US dollars that are round, with no more digits than it takes. */
export const roundDollars = (value: number): string =>
  value.toLocaleString(locale, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  });

/** US dollars; small sums to the tenth of a cent. */
export const dollars = (value: number): string => {
  const digits = value !== 0 && Math.abs(value) < 1 ? 4 : 2;
  return value.toLocaleString(locale, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
};

/** A moment's day. */
export const day = (time: string): string => new Date(time).toLocaleDateString(locale, { dateStyle: 'medium' });

/** A calendar day, which is no moment: the same everywhere. */
export const calendarDay = (date: string): string =>
  new Date(date).toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' });

/** A calendar day without its year, for charts. */
export const shortDay = (date: string): string =>
  new Date(date).toLocaleDateString(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A month of its first day. */
export const month = (date: string): string =>
  new Date(date).toLocaleDateString(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The same, for charts. */
export const shortMonth = (date: string): string =>
  new Date(date).toLocaleDateString(locale, { month: 'short', year: '2-digit', timeZone: 'UTC' });

/** How long ago a moment was. */
export function ago(time: string): string {
  const minutes = Math.round((Date.now() - Date.parse(time)) / 60_000);
  if (minutes < 2) return 'just now';
  if (minutes < 120) return `${minutes} minutes ago`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} hours ago`;
  return day(time);
}

const proper: Record<string, string> = {
  hr: 'HR documents',
  butts_in_seats: 'Desks and workspaces',
  shipping: 'Shipping and mailroom',
};

/** A word of the API, such as `service_requests` or `in-progress`, as people write it. */
export function words(name: string): string {
  const spaced = name.replaceAll(/[_-]/g, ' ');
  return proper[name] ?? spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** What the service says of a field, such as "is required", below that field. */
export const sentence = (fault: string | undefined): string | undefined => fault && `This ${fault}.`;
