import { DateTime } from 'luxon';
import { Prisma } from '../../database/generated/client/client.ts';
import type { Counts } from '../../resource/index.ts';
import { dayIn, enumFacts, isoDay, modelFacts, startOfDay } from '../../resource/index.ts';
import type { ComputeAnalytics, DateRange, RequestAnalytics } from './analytics.ts';

/**
 * Computes the figures with one query each, in one snapshot, for `mode=batch`; see `Analytics` for why there are two.
 */
export const computeInBatch: ComputeAnalytics = async (
  { unscopedDb: db, transaction, caller: { companyId, timeZone } },
  range,
) => {
  const { start, finish, now } = range;
  const made = {
    companyId,
    createdAt: {
      gte: startOfDay(start, timeZone),
      lt: startOfDay(DateTime.fromJSDate(finish, { zone: 'utc' }).plus({ days: 1 }).toJSDate(), timeZone),
    },
  };
  const today = DateTime.fromJSDate(dayIn(timeZone, now), { zone: 'utc' });
  const month = today.startOf('month');
  const active = { companyId, status: 'ACTIVE' } as const;
  const { reorderPoint } = db.inventoryItem.fields;

  const [
    serviceCounts,
    serviceTimes,
    moveCounts,
    moveTimes,
    items,
    lowStock,
    stock,
    activeLeases,
    expiring,
    due,
    assets,
    overdue,
    open,
    packages,
    reminders,
  ] = await transaction(
    () =>
      Promise.all([
        db.serviceRequest.groupBy({
          by: ['status', 'priority'],
          where: made,
          orderBy: [{ status: 'asc' }, { priority: 'asc' }],
          _count: { _all: true },
        }),
        db.$queryRaw<Times[]>(timesOf('ServiceRequest', made, timeZone)),
        db.moveRequest.groupBy({
          by: ['status', 'priority'],
          where: made,
          orderBy: [{ status: 'asc' }, { priority: 'asc' }],
          _count: { _all: true },
        }),
        db.$queryRaw<Times[]>(timesOf('MoveRequest', made, timeZone)),
        db.inventoryItem.count({ where: { companyId } }),
        db.inventoryItem.count({ where: { companyId, quantity: { lt: reorderPoint } } }),
        db.$queryRaw<
          { value: Prisma.Decimal }[]
        >`SELECT coalesce(sum(quantity * unit_cost), 0) AS value FROM inventory_items WHERE company_id = ${companyId}::uuid`,
        db.lease.count({ where: active }),
        db.lease.count({
          where: { ...active, endDate: { gte: today.toJSDate(), lte: today.plus({ days: 90 }).toJSDate() } },
        }),
        db.leasePayment.aggregate({
          where: {
            companyId,
            status: 'PENDING',
            dueDate: { gte: month.toJSDate(), lt: month.plus({ months: 1 }).toJSDate() },
          },
          _sum: { amount: true },
        }),
        db.asset.groupBy({ by: 'status', where: { companyId }, orderBy: { status: 'asc' }, _count: { _all: true } }),
        db.assetMaintenance.count({ where: { companyId, status: 'OVERDUE' } }),
        db.requisition.aggregate({
          where: { companyId, status: { in: ['DRAFT', 'PENDING'] } },
          _count: { _all: true },
          _sum: { totalAmount: true },
        }),
        db.expectedPackage.groupBy({
          by: 'status',
          where: { companyId },
          orderBy: { status: 'asc' },
          _count: { _all: true },
        }),
        db.reminder.count({ where: { companyId, status: 'PENDING', dueDate: { lte: now } } }),
      ]),
    { isolationLevel: 'REPEATABLE READ' },
  );

  const packagesOf = countsBy('PackageStatus', 'status', packages);
  return {
    range: { startDate: isoDay(start), endDate: isoDay(finish) },
    serviceRequests: requestAnalytics(range, serviceCounts, serviceTimes),
    moveRequests: requestAnalytics(range, moveCounts, moveTimes),
    inventory: { items, lowStock, stockValue: Number(stock[0]?.value ?? 0) },
    leases: { active: activeLeases, expiringIn90Days: expiring, dueThisMonth: Number(due._sum.amount ?? 0) },
    assets: { byStatus: countsBy('AssetStatus', 'status', assets), overdueMaintenance: overdue },
    procurement: { openRequisitions: open._count._all, openAmount: Number(open._sum.totalAmount ?? 0) },
    packages: { expected: packagesOf['expected'] ?? 0, received: packagesOf['received'] ?? 0 },
    reminders: { due: reminders },
  };
};

/** The requests created on one day: their number, how many are completed, and the total time these took. */
interface Times {
  readonly day: string;
  readonly made: number;
  readonly done: number;
  readonly seconds: Prisma.Decimal | null;
}

/** Counts requests by day and sums up completion times. Prisma supports neither, so this is SQL. */
function timesOf(
  model: 'ServiceRequest' | 'MoveRequest',
  { companyId, createdAt: { gte, lt } }: { companyId: string; createdAt: { gte: Date; lt: Date } },
  timeZone: string,
): Prisma.Sql {
  return Prisma.sql`
    SELECT (created_at AT TIME ZONE ${timeZone}::text)::date::text AS day, count(*)::int AS made, count(completed_at)::int AS done,
           sum(extract(epoch FROM completed_at - created_at)) AS seconds
    FROM ${Prisma.raw(`"${modelFacts(model).table}"`)}
    WHERE company_id = ${companyId}::uuid AND created_at >= ${gte}::timestamptz AND created_at < ${lt}::timestamptz
    GROUP BY 1`;
}

type Groups = readonly (Readonly<Record<string, unknown>> & { readonly _count?: true | { readonly _all?: number } })[];

function requestAnalytics({ start, finish }: DateRange, groups: Groups, times: readonly Times[]): RequestAnalytics {
  const madeOn = new Map(times.map(({ day, made }) => [day, made]));
  const done = times.reduce((sum, day) => sum + day.done, 0);
  const seconds = times.reduce((sum, day) => sum.plus(day.seconds ?? 0), new Prisma.Decimal(0));
  return {
    total: times.reduce((sum, { made }) => sum + made, 0),
    byStatus: countsBy('RequestStatus', 'status', groups),
    byPriority: countsBy('RequestPriority', 'priority', groups),
    createdPerDay: [...days(start, finish)].map((date) => ({ date, count: madeOn.get(date) ?? 0 })),
    averageHoursToComplete:
      done === 0 ? null : seconds.div(done).div(3600).toDecimalPlaces(2, Prisma.Decimal.ROUND_HALF_UP).toNumber(),
  };
}

/** The calendar days between two days, inclusive. */
function* days(start: Date, finish: Date): Generator<string> {
  for (let day = DateTime.fromJSDate(start, { zone: 'utc' }); day.toJSDate() <= finish; day = day.plus({ days: 1 }))
    yield isoDay(day.toJSDate());
}

/** Adds up groups by one enum column, keyed by the enum's values in REST. */
function countsBy(enumName: string, column: string, groups: Groups): Counts {
  const countOf = (member: string) =>
    groups.reduce(
      (sum, group) =>
        sum + (group[column] === member && typeof group._count === 'object' ? (group._count._all ?? 0) : 0),
      0,
    );
  return Object.fromEntries(Object.entries(enumFacts(enumName).words).map(([member, word]) => [word, countOf(member)]));
}
