// Days of the company: those of its time zone, wherever the reader is.
import { dayOf, startOfDay as findStartOfDay, type Offset } from '../../src/calendar.ts';

/** The company's day at a time, such as 2026-01-31. */
export const dayIn = (timeZone: string, time: Date): string =>
  new Date(dayOf(time.getTime(), offsetIn(timeZone))).toISOString().slice(0, 10);

/** A number of days after a day. */
export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10);

/** The last days of the company, including today. */
export function lastDays(days: number, timeZone: string): { readonly startDate: string; readonly endDate: string } {
  const today = dayIn(timeZone, new Date());
  return { startDate: addDays(today, 1 - days), endDate: today };
}

/** The first day of the month that is a number of months after that of a day. */
export function firstOfMonth(day: string, months = 0): string {
  const date = new Date(day);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)).toISOString().slice(0, 10);
}

/** The first time of a day as the API takes it: the day alone where it begins at midnight UTC. */
export function startOfDay(day: string, timeZone: string): string {
  const midnight = Date.parse(day);
  const start = findStartOfDay(midnight, offsetIn(timeZone));
  return start === midnight ? day : new Date(start).toISOString();
}

/** The time zones by name, with UTC and the current one, which browsers may leave out or know by another name. */
export const listTimeZones = (current: string | null): string[] =>
  [...new Set(['UTC', ...(current === null ? [] : [current]), ...Intl.supportedValuesOf('timeZone')])].sort();

/** The clocks of a time zone. */
export function offsetIn(timeZone: string): Offset {
  const clock = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (time) => {
    const second = Math.floor(time / 1000) * 1000;
    return Date.parse(`${clock.format(second).replace(' ', 'T')}Z`) - second;
  };
}
