import { DateTime } from 'luxon';
import type { Context } from '../context.ts';

/** The calendar day of a time in a time zone, as Prisma represents dates: midnight UTC. */
export const dayIn = (timeZone: string, time: Date): Date =>
  DateTime.fromJSDate(time, { zone: timeZone }).setZone('utc', { keepLocalTime: true }).startOf('day').toJSDate();

/** The first time of a calendar day in a time zone. */
export const startOfDay = (day: Date, timeZone: string): Date =>
  withinYears(DateTime.fromJSDate(day, { zone: 'utc' }).setZone(timeZone, { keepLocalTime: true }).startOf('day'));

/** The years that timestamps can have; a time zone could move the first and last day out of them. */
const earliest = Date.parse('0001-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/** A time, or the earliest or latest one that can be written. */
export const withinYears = (time: DateTime): Date => new Date(Math.min(latest, Math.max(earliest, time.toMillis())));

/** Today's calendar day in the time zone of the caller's company. */
export const today = ({ caller }: Pick<Context, 'caller'>): Date => dayIn(caller.timeZone, new Date());

/** Formats a calendar day from Prisma in ISO 8601. */
export const isoDay = (day: Date): string => day.toISOString().slice(0, 10);
