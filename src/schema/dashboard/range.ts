import { DateTime } from 'luxon';
import { badRequest } from '../../errors.ts';
import { today } from '../../resource/index.ts';
import type { DateRange } from './analytics.ts';

/** What a client says of the range. */
export interface GivenRange {
  readonly startDate?: Date | null;
  readonly endDate?: Date | null;
}

/** The most days of a range: ten years. */
const mostDays = 3653;
const usualDays = 30;
const firstDay = new Date('0001-01-01');

/** Reads which days are range for: the last 30 unless given. @throws ServiceError BAD_REQUEST naming the argument */
export function readRange({ startDate, endDate }: GivenRange): Pick<DateRange, 'start' | 'finish'> {
  const finish = endDate ?? today();
  const usual = DateTime.fromJSDate(finish, { zone: 'utc' })
    .minus({ days: usualDays - 1 })
    .toJSDate();
  const start = startDate ?? (usual < firstDay ? firstDay : usual);
  if (finish < start)
    throw badRequest(`must not be before startDate${endDate ? '' : '; it is today unless given'}`, 'endDate');
  const days = DateTime.fromJSDate(finish).diff(DateTime.fromJSDate(start), 'days').days + 1;
  if (days > mostDays) throw badRequest(`must be at most ${mostDays - 1} days before endDate`, 'startDate');
  return { start, finish };
}
