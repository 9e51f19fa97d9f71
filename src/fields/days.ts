import { DateTime, IANAZone } from 'luxon';
import { dayOf, startOfDay as findStartOfDay } from '../calendar.ts';

/** The clocks of a time zone: how far (ms) they are ahead of UTC at a time. */
export const offsetIn = (timeZone: string) => {
  const zone = IANAZone.create(timeZone);
  return (time: number) => zone.offset(time) * 60_000;
};

/** The calendar day of a time in a time zone, as Prisma represents dates: midnight UTC. */
export const dayIn = (timeZone: string, time: Date): Date => new Date(dayOf(time.getTime(), offsetIn(timeZone)));

/** The first time of a calendar day in a time zone. The database has a function of this name that returns the same. */
export const startOfDay = (day: Date, timeZone: string): Date =>
  withinYears(findStartOfDay(day.getTime(), offsetIn(timeZone)));

/** The condition for times on the days from `first` to the day before `next`, in a time zone. */
export const inDays = (first: Date, next: Date, timeZone: string) => ({
  gte: startOfDay(first, timeZone),
  lt: startOfDay(next, timeZone),
});

/** The day that is a number of days after another. */
export const addDays = (day: Date, days: number): Date =>
  DateTime.fromJSDate(day, { zone: 'utc' }).plus({ days }).toJSDate();

/** The years that timestamps can have; a time zone could move the first and last day out of them. */
const earliest = Date.parse('0001-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/** A time (ms), or the earliest or latest one that can be written. */
export const withinYears = (time: number): Date => new Date(Math.min(latest, Math.max(earliest, time)));

/** Formats a calendar day from Prisma in ISO 8601, and the first of the year 10000 as PostgreSQL reads it. */
export const isoDay = (day: Date): string => day.toISOString().replace(/^\+0*/, '').replace(/T.*/, '');
