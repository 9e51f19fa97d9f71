import { DateTime } from 'luxon';
import { Prisma } from '../../database/generated/client/client.ts';
import type { Counts } from '../../resource/index.ts';
import {
  dayIn,
  enumFacts,
  groupRows,
  isoDay,
  type ModelName,
  type Row,
  startOfDay,
  type Where,
} from '../../resource/index.ts';
import type { ComputeAnalytics, DateRange, RequestAnalytics } from './analytics.ts';

/**
 * Computes the figures with one query each, in one snapshot, for `mode=batch`; see `Analytics` for why there are two.
 * The queries are those of aggregates, so that each figure is what its query in GraphQL returns.
 */
export const computeInBatch: ComputeAnalytics = async (context, range) => {
  const { db, transaction, caller } = context;
  const { start, finish, now } = range;
  const nextDay = DateTime.fromJSDate(finish, { zone: 'utc' }).plus({ days: 1 }).toJSDate();
  const made = { createdAt: { gte: startOfDay(start, caller.timeZone), lt: startOfDay(nextDay, caller.timeZone) } };
  const today = DateTime.fromJSDate(dayIn(caller.timeZone, now), { zone: 'utc' });
  const month = today.startOf('month');
  const { reorderPoint } = db.inventoryItem.fields;

  const count = async (model: ModelName, where: Where = {}) => (await whole(model, where, { count: 'count' })).count;
  const countBy = (model: ModelName, columns: readonly string[], where: Where = {}) =>
    groupRows(context, model, where, columns, { count: 'count' });
  /** Measures of all rows together, as numbers. */
  async function whole<Name extends string>(
    model: ModelName,
    where: Where,
    measures: Parameters<typeof groupRows<Name>>[4],
  ): Promise<Record<Name, number>> {
    const [all = {}] = await groupRows(context, model, where, [], measures);
    // The names of the measures, of which the compiler sees only text.
    return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, Number(value ?? 0)])) as Record<
      Name,
      number
    >;
  }
  const requests = (model: 'ServiceRequest' | 'MoveRequest') =>
    Promise.all([
      countBy(model, ['status', 'priority'], made),
      countBy(model, ['createdAt.day'], made),
      groupRows(context, model, made, [], { hours: { avg: { hours: ['createdAt', 'completedAt'] } } }),
    ]);

  return transaction(
    async () => {
      const [service, move, items, lowStock, stock, active, expiring, due, assets, overdue, open, packages, reminders] =
        await Promise.all([
          requests('ServiceRequest'),
          requests('MoveRequest'),
          count('InventoryItem'),
          count('InventoryItem', { quantity: { lt: reorderPoint } }),
          whole('InventoryItem', {}, { value: { sum: { product: ['quantity', 'unitCost'] } } }),
          count('Lease', { status: 'ACTIVE' }),
          count('Lease', {
            status: 'ACTIVE',
            endDate: { gte: today.toJSDate(), lte: today.plus({ days: 90 }).toJSDate() },
          }),
          whole(
            'LeasePayment',
            { status: 'PENDING', dueDate: { gte: month.toJSDate(), lt: month.plus({ months: 1 }).toJSDate() } },
            { amount: { sum: 'amount' } },
          ),
          countBy('Asset', ['status']),
          count('AssetMaintenance', { status: 'OVERDUE' }),
          whole(
            'Requisition',
            { status: { in: ['DRAFT', 'PENDING'] } },
            { count: 'count', amount: { sum: 'totalAmount' } },
          ),
          countBy('ExpectedPackage', ['status']),
          count('Reminder', { status: 'PENDING', dueDate: { lte: now } }),
        ]);
      const packagesOf = countsBy('PackageStatus', 'status', packages);
      return {
        range: { startDate: isoDay(start), endDate: isoDay(finish) },
        serviceRequests: requestAnalytics(range, ...service),
        moveRequests: requestAnalytics(range, ...move),
        inventory: { items, lowStock, stockValue: stock.value },
        leases: { active, expiringIn90Days: expiring, dueThisMonth: due.amount },
        assets: { byStatus: countsBy('AssetStatus', 'status', assets), overdueMaintenance: overdue },
        procurement: { openRequisitions: open.count, openAmount: open.amount },
        packages: { expected: packagesOf['expected'] ?? 0, received: packagesOf['received'] ?? 0 },
        reminders: { due: reminders },
      };
    },
    { isolationLevel: 'REPEATABLE READ' },
  );
};

type Groups = readonly (Row & { readonly count: unknown })[];

function requestAnalytics(
  { start, finish }: DateRange,
  groups: Groups,
  perDay: Groups,
  [whole]: readonly { readonly hours: unknown }[],
): RequestAnalytics {
  // Days are dates, and averages decimals.
  const madeOn = new Map(perDay.map((group) => [isoDay(group['createdAt.day'] as Date), Number(group.count)]));
  const hours = (whole?.hours ?? null) as Prisma.Decimal | null;
  return {
    total: perDay.reduce((sum, { count }) => sum + Number(count), 0),
    byStatus: countsBy('RequestStatus', 'status', groups),
    byPriority: countsBy('RequestPriority', 'priority', groups),
    createdPerDay: [...days(start, finish)].map((date) => ({ date, count: madeOn.get(date) ?? 0 })),
    // Rounded to twelve places first, as an average of thirds can be slightly below the exact half.
    averageHoursToComplete:
      hours?.toDecimalPlaces(12).toDecimalPlaces(2, Prisma.Decimal.ROUND_HALF_UP).toNumber() ?? null,
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
    groups.reduce((sum, group) => sum + (group[column] === member ? Number(group.count) : 0), 0);
  return Object.fromEntries(Object.entries(enumFacts(enumName).words).map(([member, word]) => [word, countOf(member)]));
}
