import { DateTime } from 'luxon';
import type { Context } from '../../context.ts';
import type { TimeClockRecord } from '../../database/generated/client/client.ts';
import type { Transaction } from '../../resource/writes.ts';

type Span = Pick<TimeClockRecord, 'clockInTime'> & Partial<Pick<TimeClockRecord, 'clockOutTime'>>;

/** What a record says of its length: the minutes to the nearest multiple of what the settings round to, halves up. */
export async function worked({ clockInTime, clockOutTime }: Span, { caller: { companyId } }: Context, db: Transaction) {
  if (!clockOutTime) return { workedMinutes: null };
  const { roundingMinutes } = await db.timeClockSettings.findUniqueOrThrow({
    where: { companyId },
    select: { roundingMinutes: true },
  });
  const step = Math.max(roundingMinutes, 1);
  const minutes = (clockOutTime.getTime() - clockInTime.getTime()) / 60_000;
  return { workedMinutes: Math.round(minutes / step) * step, roundedTo: roundingMinutes };
}

/** Rounds the records anew whose minutes are not rounded as the settings say by now. */
export const roundAnew = ({ db, caller: { companyId } }: Context) => db.$executeRaw`
  UPDATE time_clock_records
  SET rounded_to = rounding_minutes,
      worked_minutes = round(extract(epoch FROM clock_out_time - clock_in_time) / 60 / step) * step
  FROM (SELECT rounding_minutes, greatest(rounding_minutes, 1) AS step FROM time_clock_settings WHERE company_id = ${companyId}::uuid) settings
  WHERE company_id = ${companyId}::uuid AND (rounded_to < rounding_minutes OR rounded_to > rounding_minutes)`;

/** A condition on a time: that it is in one of these days, UTC. Days end with the last millisecond that a column can hold. */
export const within = (days: readonly Date[]) =>
  days.map((day) => ({ gte: day, lte: DateTime.fromJSDate(day, { zone: 'utc' }).endOf('day').toJSDate() }));
