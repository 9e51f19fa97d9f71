import { DateTime } from 'luxon';
import { badRequest } from '../../errors.ts';
import { messages } from '../../input/index.ts';
import type { DateRange } from './analytics.ts';

/** The range as the client gives it. */
export interface GivenRange {
  readonly startDate?: Date | null;
  readonly endDate?: Date | null;
}

/** Maximum length of a range: ten years. */
const maxDays = 3653;
const defaultDays = 30;
const firstDay = new Date('0001-01-01');

/** A calendar day, which is midnight in UTC: in the zone of the server a day may have another length. */
const dayOf = (day: Date) => DateTime.fromJSDate(day, { zone: 'utc' });

/**
 * Reads the range; the default is the last 30 days.
 *
 * @param today the company's current day
 * @throws ServiceError BAD_REQUEST naming the argument
 */
export function readRange({ startDate, endDate }: GivenRange, today: Date): Pick<DateRange, 'start' | 'finish'> {
  const finish = endDate ?? today;
  const defaultStart = dayOf(finish)
    .minus({ days: defaultDays - 1 })
    .toJSDate();
  const start = startDate ?? (defaultStart < firstDay ? firstDay : defaultStart);
  if (finish < start)
    throw badRequest(`${messages.notBefore('start date')}${endDate ? '' : '; the default is today'}`, 'endDate');
  const days = dayOf(finish).diff(dayOf(start), 'days').days + 1;
  if (days > maxDays) throw badRequest(`must be at most ${maxDays - 1} days before endDate`, 'startDate');
  return { start, finish };
}
