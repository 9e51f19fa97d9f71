// The periods that rows are grouped by: those at whose end they had a status, or that their range touches.
import { DateTime, type DateTimeUnit } from 'luxon';
import type { Context } from '../../context.ts';
import type { GroupPeriods, GroupQuery, PeriodRange, PeriodStatus } from '../../database/read/group-query.ts';
import type { ApiField } from '../../database/stored-field.ts';
import { badRequest, type ServiceError } from '../../errors.ts';
import { type DatePart, dayIn, isoDay, RelativeTime, startOfDay } from '../../fields/index.ts';
import { shownStatus, type Where } from '../definition/model.ts';
import type { Filterable } from '../filter/filterable.ts';
import type { GroupPlan } from './places.ts';

/** The argument `periods`. */
export interface PeriodsInput {
  readonly from: Date | RelativeTime;
  readonly to: Date | RelativeTime;
  readonly every: DatePart;
  readonly by?: string | null;
  readonly deleted?: boolean | null;
  readonly share?: 'period' | 'range' | null;
}

/** What rows belong to periods by, besides their ranges. */
export const byStatus = 'status';

/** The most periods, and the most where more than rows is counted: rows are then repeated for each. */
const maxPeriods = 400;
const maxRepeated = 60;

/** Whether rows of a kind can belong to periods. */
export const hasPeriods = (rows: Filterable): boolean => rangesOf(rows).length > 0;

/** What rows of a kind can belong to periods by. */
const rangesOf = (rows: Filterable): string[] => [
  ...(shownStatus(rows) ? [byStatus] : []),
  ...Object.keys(rows.ranges),
];

/** The rows that are grouped by periods. */
interface Grouped {
  readonly rows: Filterable;
  readonly as: string;
  readonly where: Where;
  /** Whether they are lists inside rows. */
  readonly isInsideRows: boolean;
}

/**
 * Reads the periods of a query.
 *
 * @param fiscalMonth in which fiscal years start
 * @throws ServiceError BAD_REQUEST, also where a status at the end of a period is not known
 */
export async function readPeriods(
  input: PeriodsInput,
  plan: GroupPlan,
  grouped: Grouped,
  { timeZone, fiscalMonth }: { readonly timeZone: string; readonly fiscalMonth: number },
  context: Context,
): Promise<GroupPeriods> {
  const { rows } = grouped;
  if (plan.keys.filter(({ what }) => 'period' in what).length !== 1)
    throw badRequest('requires exactly one key that is the period: key { period }', 'periods');
  const [from, to] = [input.from, input.to].map((value) =>
    value instanceof RelativeTime ? value.dayAt(context.at ?? new Date(), context.caller.timeZone) : value,
  ) as [Date, Date];
  if (to <= from) throw badRequest('must be after from', 'periods.to');
  const isCounted = plan.measures.every(({ what: { of } }) => of === 'count');
  const most = isCounted ? maxPeriods : maxRepeated;
  const days = firstDays(from, to, input.every, fiscalMonth, most);
  if (days.length > most + 1) {
    const than = isCounted ? '' : ', or count rows alone';
    throw badRequest(`results in more than ${most} periods; use a shorter range or longer periods${than}`, 'periods');
  }
  const times = days.map((day) => startOfDay(day, timeZone));
  const by = readBy(input, rows);
  const periods: GroupPeriods = { days: days.map(isoDay), times, by };
  if (by.kind === 'range') return periods;
  const inDays = plan.measures.find(({ what }) => what.of !== 'count' && what.value.kind === 'daysInPeriod');
  if (inDays)
    throw badRequest(`requires a range in periods.by: ${Object.keys(rows.ranges).join(', ')}`, inDays.path.join('.'));
  await assertKnown(periods, rows, timeZone, context);
  if (by.withDeleted) assertOfStatus(plan, grouped, context);
  return periods;
}

/** The values of the key that is the period: each has a group. */
export const filledPeriods = ({ keys }: GroupPlan, { days }: GroupPeriods): GroupQuery['fill'] =>
  keys.flatMap(({ what }, key) => ('period' in what ? [{ key, values: days.slice(0, -1) }] : []));

/** The first day of each period from that of `from`, and the day after the last; at most one more than asked for. */
function firstDays(from: Date, to: Date, every: DatePart, fiscalMonth: number, most: number): Date[] {
  const unit = every === 'fiscalYear' ? 'year' : (every as DateTimeUnit);
  const shift = { months: every === 'fiscalYear' ? fiscalMonth - 1 : 0 };
  const start = DateTime.fromJSDate(from, { zone: 'utc' }).minus(shift).startOf(unit).plus(shift);
  const days = [start];
  for (let n = 1; (days.at(-1) as DateTime).toJSDate() < to && n <= most + 1; n++) days.push(start.plus({ [unit]: n }));
  return days.map((day) => day.toJSDate());
}

function readBy({ by, deleted, share }: PeriodsInput, rows: Filterable): PeriodStatus | PeriodRange {
  const names = rangesOf(rows);
  const name = by ?? names[0] ?? '';
  const range = Object.hasOwn(rows.ranges, name) ? rows.ranges[name] : undefined;
  if (range) {
    if (deleted) throw badRequest('is for statuses: the ranges of deleted rows are not kept', 'periods.deleted');
    return { kind: 'range', ...range, share: share ?? undefined };
  }
  if (!names.includes(name)) throw badRequest(`must be one of: ${names.join(', ') || 'there is none'}`, 'periods.by');
  if (share)
    throw badRequest(
      `requires a range in by: ${Object.keys(rows.ranges).join(', ') || 'there is none'}`,
      'periods.share',
    );
  return { kind: 'status', withDeleted: deleted ?? true };
}

/** @throws ServiceError BAD_REQUEST where a period ends before the company's statuses are known, or has not begun */
async function assertKnown(
  { days, times }: GroupPeriods,
  { words }: Filterable,
  timeZone: string,
  { unscopedDb, caller, at = new Date() }: Context,
): Promise<void> {
  const { statusesSince } = await unscopedDb.company.findFirstOrThrow({
    where: { id: caller.companyId },
    select: { statusesSince: true },
  });
  const [begin] = times.slice(-2);
  const [end] = times.slice(1);
  if (end && end < statusesSince)
    throw badRequest(
      `must be in a period that ends after ${isoDay(dayIn(timeZone, statusesSince))}: since then the statuses of ${words.many} are known`,
      'periods.from',
    );
  if (begin && begin > at)
    throw badRequest(`must not be after the present period: ${days.at(-2)} has not begun`, 'periods.to');
}

/**
 * Of deleted rows nothing is kept but the periods of their statuses. Whether a caller could read them cannot be told
 * where some rows are not everybody's, and no other field can be compared.
 *
 * @throws ServiceError BAD_REQUEST
 */
function assertOfStatus(plan: GroupPlan, { rows, as, where, isInsideRows }: Grouped, { reader }: Context): void {
  const status = shownStatus(rows) as ApiField;
  const isOfStatus = (given: Where | undefined) => !given || usesOnly(given, status.name);
  const keys = plan.keys.flatMap(({ what, path }) => {
    if ('period' in what) return [];
    return 'value' in what && what.value.joins.length === 0 && what.value.column === status.name ? [] : [path];
  });
  const measures = plan.measures.flatMap(({ what, path }) =>
    what.of === 'count' && isOfStatus(what.where) ? [] : [path],
  );
  const other = [...keys, ...measures].map((path) => path.join('.'));
  if (reader.access.filterOf(rows.model, as)) throw ofExisting(`some ${rows.words.many} are not yours to read`);
  if (isInsideRows || !isOfStatus(where)) throw ofExisting('the list has other conditions');
  if (other.length > 0) throw ofExisting(`${other.join(', ')} need other fields`);
}

const ofExisting = (reason: string): ServiceError =>
  badRequest(
    `must be false here, as of deleted rows only the status is kept, and ${reason}; with false only rows that still exist are counted`,
    'periods.deleted',
  );

/** Whether a condition compares no field but one. */
function usesOnly(where: Where, field: string): boolean {
  return Object.entries(where).every(([name, value]) => {
    if (value === undefined || name === field) return true;
    if (name !== 'AND' && name !== 'OR' && name !== 'NOT') return false;
    return [value].flat().every((each) => usesOnly(each as Where, field));
  });
}
