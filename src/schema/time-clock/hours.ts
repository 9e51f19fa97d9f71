import { DateTime } from 'luxon';
import type { TimeClockRecord } from '../../database/generated/client/client.ts';

type Span = Pick<TimeClockRecord, 'clockInTime' | 'clockOutTime'>;

/** The minutes between clocking in and out, to the nearest multiple of `roundingMinutes`, halves up; null while it goes on. */
export function workedMinutes({ clockInTime, clockOutTime }: Span, roundingMinutes: number): number | null {
  if (!clockOutTime) return null;
  const step = Math.max(roundingMinutes, 1);
  const minutes = (clockOutTime.getTime() - clockInTime.getTime()) / 60_000;
  return Math.round(minutes / step) * step;
}

/** A condition on a time: that it is in one of these days, UTC. Days end with the last millisecond that a column can hold. */
export const within = (days: readonly Date[]) =>
  days.map((day) => ({ gte: day, lte: DateTime.fromJSDate(day, { zone: 'utc' }).endOf('day').toJSDate() }));
