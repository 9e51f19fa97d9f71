// Groups without rows, which a chart should show too.
import { DateTime, type DateTimeUnit } from 'luxon';
import type { Context } from '../../context.ts';
import { Prisma } from '../../database/generated/client/client.ts';
import type { Bucket, GroupQuery } from '../../database/read/group-query.ts';
import { badRequest } from '../../errors.ts';
import { type DatePart, RelativeTime } from '../../fields/index.ts';
import { ExactNumber } from '../../json.ts';
import type { GroupPlan } from './places.ts';

/** The days to add groups for: from `from` to the day before `to`. */
export interface FillRange {
  readonly from?: Date | RelativeTime | null;
  readonly to?: Date | RelativeTime | null;
}

/**
 * The values of date keys that need a group even without rows.
 *
 * @param most the maximum number of groups
 * @param fiscalMonth in which fiscal years start
 * @throws ServiceError BAD_REQUEST
 */
export function fillOf(
  { keys }: GroupPlan,
  range: FillRange | null | undefined,
  most: number,
  fiscalMonth: number,
  { at = new Date(), caller }: Pick<Context, 'at' | 'caller'>,
): GroupQuery['fill'] {
  if (!range) return [];
  const dayOf = (value: FillRange['from']) =>
    value instanceof RelativeTime ? value.dayAt(at, caller.timeZone) : (value ?? undefined);
  const [from, to] = [dayOf(range.from), dayOf(range.to)];
  const filled = keys.flatMap(({ what: { part, ...what } }, key) =>
    part && !('period' in what) ? [{ key, values: valuesOf(part, from, to, most, fiscalMonth) }] : [],
  );
  if (filled.length === 0) throw badRequest('requires a key that is a part of a date', 'fill');
  if (filled.reduce((count, { values }) => count * values.length, 1) > most)
    throw badRequest(`results in more than ${most} groups; use a shorter range or a longer period`, 'fill');
  return filled;
}

/** The most ranges of numbers that have bounds of their own. */
const maxBounds = 100;

/** Reads the ranges of numbers that rows are grouped by. @throws ServiceError BAD_REQUEST */
export function readBucket(args: Readonly<Record<string, unknown>>, path: string): Bucket {
  const bounds = args['bounds'] as readonly (number | ExactNumber)[] | null | undefined;
  const size = args['size'] as number | ExactNumber | null | undefined;
  if ((bounds == null) === (size == null)) throw badRequest('requires either bounds or size', path);
  if (size != null) {
    if (!(Number(digitsOf(size)) > 0)) throw badRequest('must be more than 0', `${path}.size`);
    return { size: digitsOf(size) };
  }
  const digits = (bounds ?? []).map(digitsOf);
  if (digits.length === 0 || digits.length > maxBounds)
    throw badRequest(`must be 1 to ${maxBounds} numbers`, `${path}.bounds`);
  if (digits.some((each, n) => n > 0 && !new Prisma.Decimal(each).gt(digits[n - 1] ?? 0)))
    throw badRequest('must ascend', `${path}.bounds`);
  return { bounds: digits };
}

const digitsOf = (given: number | ExactNumber): string => (given instanceof ExactNumber ? given.text : String(given));

const numbers: Readonly<Partial<Record<DatePart, readonly number[]>>> = {
  weekday: [1, 2, 3, 4, 5, 6, 7],
  hour: Array.from({ length: 24 }, (_, hour) => hour),
};

function valuesOf(
  part: DatePart,
  from: Date | undefined,
  to: Date | undefined,
  most: number,
  fiscalMonth: number,
): (string | number)[] {
  const all = numbers[part];
  if (all) return [...all];
  if (!from || !to) throw badRequest('requires from and to', 'fill');
  // All other parts that are not numbers are units of Luxon.
  const unit = part === 'fiscalYear' ? 'year' : (part as DateTimeUnit);
  const shift = { months: part === 'fiscalYear' ? fiscalMonth - 1 : 0 };
  const end = DateTime.fromJSDate(to, { zone: 'utc' });
  const days: string[] = [];
  let day = DateTime.fromJSDate(from, { zone: 'utc' }).minus(shift).startOf(unit).plus(shift);
  for (; day < end && days.length <= most; day = day.plus({ [unit]: 1 })) days.push(day.toISODate() as string);
  return days;
}
