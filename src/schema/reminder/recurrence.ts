import { DateTime } from 'luxon';
import type { Reminder } from '../../database/generated/client/client.ts';

const units = { NONE: null, DAILY: 'days', WEEKLY: 'weeks', MONTHLY: 'months' } as const;

/**
 * When a reminder that is completed is due again: the first time after now that is whole days, weeks or months after
 * it was due, or after now when it had no time. A month that is too short ends earlier.
 * @returns null when it does not come back
 */
export function nextDue(
  { recurrence, dueDate }: Pick<Reminder, 'recurrence' | 'dueDate'>,
  now: DateTime = DateTime.utc(),
): Date | null {
  const unit = units[recurrence];
  if (!unit) return null;
  const first = dueDate ? DateTime.fromJSDate(dueDate, { zone: 'utc' }) : now;
  // Counted from the first, as steps from a short month to the next would lose its days.
  let count = Math.max(1, Math.floor(now.diff(first, unit).as(unit)));
  while (first.plus({ [unit]: count }) <= now) count += 1;
  const next = first.plus({ [unit]: count });
  // The last year that timestamps are read and written with.
  return next.year > 9999 ? null : next.toJSDate();
}
