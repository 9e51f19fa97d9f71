// Groups without rows, which a chart should show too.
import { DateTime, type DateTimeUnit } from 'luxon';
import type { Context } from '../../context.ts';
import type { GroupQuery } from '../../database/read/group-query.ts';
import { badRequest } from '../../errors.ts';
import { type DatePart, RelativeTime } from '../../fields/index.ts';
import type { GroupPlan } from './plan.ts';

/** The days to add groups for: from `from` to the day before `to`. */
export interface FillRange {
  readonly from?: Date | RelativeTime | null;
  readonly to?: Date | RelativeTime | null;
}

/**
 * The values of date keys that need a group even without rows.
 *
 * @param most the maximum number of groups
 * @throws ServiceError BAD_REQUEST
 */
export function fillOf(
  { keys }: GroupPlan,
  range: FillRange | null | undefined,
  most: number,
  { at = new Date(), caller }: Pick<Context, 'at' | 'caller'>,
): GroupQuery['fill'] {
  if (!range) return [];
  const dayOf = (value: FillRange['from']) =>
    value instanceof RelativeTime ? value.dayAt(at, caller.timeZone) : (value ?? undefined);
  const [from, to] = [dayOf(range.from), dayOf(range.to)];
  const filled = keys.flatMap(({ what: { part } }, key) =>
    part ? [{ key, values: valuesOf(part, from, to, most) }] : [],
  );
  if (filled.length === 0) throw badRequest('requires a key that is a part of a date', 'fill');
  if (filled.reduce((count, { values }) => count * values.length, 1) > most)
    throw badRequest(`results in more than ${most} groups; use a shorter range or a longer period`, 'fill');
  return filled;
}

const numbers: Readonly<Partial<Record<DatePart, readonly number[]>>> = {
  weekday: [1, 2, 3, 4, 5, 6, 7],
  hour: Array.from({ length: 24 }, (_, hour) => hour),
};

function valuesOf(part: DatePart, from: Date | undefined, to: Date | undefined, most: number): (string | number)[] {
  const all = numbers[part];
  if (all) return [...all];
  if (!from || !to) throw badRequest('requires from and to', 'fill');
  // All parts that are not numbers are units of Luxon.
  const unit = part as DateTimeUnit;
  const end = DateTime.fromJSDate(to, { zone: 'utc' });
  const days: string[] = [];
  let day = DateTime.fromJSDate(from, { zone: 'utc' }).startOf(unit);
  for (; day < end && days.length <= most; day = day.plus({ [unit]: 1 })) days.push(day.toISODate() as string);
  return days;
}
