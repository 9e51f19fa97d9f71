import { DateTime } from 'luxon';
import type { Reminder } from '../../database/generated/client/client.ts';
import { isInBounds } from '../../fields/index.ts';

const units = { NONE: null, DAILY: 'days', WEEKLY: 'weeks', MONTHLY: 'months' } as const;

/** The columns that say when a reminder is due again. */
type Recurring = Pick<Reminder, 'recurrence' | 'dueDate' | 'seriesStart'>;

/**
 * The next due date of a completed recurring reminder: that of its series which follows its own, or the first one after
 * now. It is a whole number of days, weeks or months after the start of the series, or after now without a due date.
 * Days beyond a month's end become its last day, and the hour stays the same when the clocks change.
 * @param now in the company's time zone
 * @returns null when it does not recur
 */
export function nextDue({ recurrence, dueDate, seriesStart }: Recurring, now: DateTime): Date | null {
  const unit = units[recurrence];
  if (!unit) return null;
  const local = (time: Date) => DateTime.fromJSDate(time, { zone: now.zone });
  const due = dueDate ? local(dueDate) : now;
  // Counted from the first one: from one to the next, a short month or a missing hour would change all that follow.
  const first = seriesStart ? local(seriesStart) : due;
  const stepsTo = (time: DateTime) => time.diff(first, unit).as(unit);
  // In another time zone than before, a due date can be some hours beside those of the series.
  let count = Math.max(Math.round(stepsTo(due)) + 1, Math.floor(stepsTo(now)));
  while (first.plus({ [unit]: count }) <= now) count += 1;
  const next = first.plus({ [unit]: count });
  return isInBounds(next.toMillis()) ? next.toJSDate() : null;
}

/** Whether a change of a reminder begins another series: its due dates are counted from its own. */
export const beginsSeries = (previous: Recurring, { dueDate, recurrence }: Partial<Recurring>): boolean =>
  (dueDate !== undefined && dueDate?.getTime() !== previous.dueDate?.getTime()) ||
  (recurrence !== undefined && recurrence !== previous.recurrence);
