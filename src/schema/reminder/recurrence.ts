import { DateTime } from 'luxon';
import type { Reminder } from '../../database/generated/client/client.ts';

const units = { NONE: null, DAILY: 'days', WEEKLY: 'weeks', MONTHLY: 'months' } as const;

/**
 * The next due date of a completed recurring reminder: the first time after now that is a whole number of days, weeks
 * or months after the due date, or after now without one. Days beyond a month's end become its last day, and
 * the hour stays the same when the clocks change.
 * @param now in the company's time zone
 * @returns null when it does not recur
 */
export function nextDue({ recurrence, dueDate }: Pick<Reminder, 'recurrence' | 'dueDate'>, now: DateTime): Date | null {
  const unit = units[recurrence];
  if (!unit) return null;
  const first = dueDate ? DateTime.fromJSDate(dueDate, { zone: now.zone }) : now;
  // Counted from this reminder's date: step by step a short month in between would change the day.
  let count = Math.max(1, Math.floor(now.diff(first, unit).as(unit)));
  while (first.plus({ [unit]: count }) <= now) count += 1;
  const next = first.plus({ [unit]: count });
  // The last year that timestamps can represent.
  return next.year > 9999 ? null : next.toJSDate();
}
