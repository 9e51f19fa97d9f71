import { DateTime } from 'luxon';
import type { Context } from '../../context.ts';
import { Prisma } from '../../database/generated/client/client.ts';
import { addDays, dayIn, inDays, isoDay } from '../../fields/index.ts';
import {
  type Counts,
  enumWords,
  groupRows,
  type ModelName,
  type Row,
  type StoredField,
  type Where,
} from '../../resource/index.ts';
import { whereLowStock } from '../inventory/low-stock.ts';
import { type Analytics, type ComputeAnalytics, counted, type DateRange, type RequestAnalytics } from './analytics.ts';

/**
 * Computes the figures with one query each, in one snapshot, for `mode=batch`; see `Analytics` for why there are two.
 * The queries are those of aggregates, so that each figure is what its query in GraphQL returns.
 */
export const computeInBatch: ComputeAnalytics = (context, range) =>
  context.transaction(
    async () => {
      const rows = new RowCounter(context);
      const today = DateTime.fromJSDate(dayIn(context.caller.timeZone, range.now), { zone: 'utc' });
      const [serviceRequests, moveRequests, inventory, leases, assets, procurement, packages, reminders] =
        await Promise.all([
          computeRequests(rows, 'ServiceRequest', range, context),
          computeRequests(rows, 'MoveRequest', range, context),
          computeInventory(rows, context),
          computeLeases(rows, today),
          computeAssets(rows),
          computeProcurement(rows),
          computePackages(rows),
          rows.count('Reminder', { status: 'PENDING', dueDate: { lte: range.now } }),
        ]);
      return {
        range: { startDate: isoDay(range.start), endDate: isoDay(range.finish) },
        ...{ serviceRequests, moveRequests, inventory, leases, assets, procurement, packages },
        reminders: { due: reminders },
      };
    },
    { isolationLevel: 'REPEATABLE READ' },
  );

/** Counts and measures rows of the caller's company. */
class RowCounter {
  constructor(private readonly context: Context) {}

  async count(model: ModelName, where: Where = {}): Promise<number> {
    return Number((await this.measure(model, where, { count: 'count' })).count);
  }

  countBy(model: ModelName, columns: readonly string[], where: Where = {}): Promise<Groups> {
    return groupRows(this.context, model, where, columns, { count: 'count' });
  }

  /** Measures all rows together; without any, all is zero. */
  async measure<Name extends string>(
    model: ModelName,
    where: Where,
    measures: Parameters<typeof groupRows<Name>>[4],
  ): Promise<Record<Name, number | Prisma.Decimal>> {
    const [all = {}] = await groupRows(this.context, model, where, [], measures);
    // The names of the measures, of which the compiler sees only text.
    return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value ?? 0])) as Record<
      Name,
      number | Prisma.Decimal
    >;
  }
}

async function computeRequests(
  rows: RowCounter,
  model: 'ServiceRequest' | 'MoveRequest',
  range: DateRange,
  context: Context,
): Promise<RequestAnalytics> {
  const made = { createdAt: inDays(range.start, addDays(range.finish, 1), context.caller.timeZone) };
  const found = await Promise.all([
    rows.countBy(model, ['status', 'priority'], made),
    rows.countBy(model, ['createdAt.day'], made),
    groupRows(context, model, made, [], { hours: { avg: { hours: ['createdAt', 'completedAt'] } } }),
  ]);
  return summarizeRequests(range, ...found);
}

async function computeInventory(rows: RowCounter, { db }: Context): Promise<Analytics['inventory']> {
  const [items, lowStock, stock] = await Promise.all([
    rows.count('InventoryItem'),
    rows.count('InventoryItem', whereLowStock(true, db)),
    rows.measure('InventoryItem', {}, { value: { sum: { product: ['quantity', 'unitCost'] } } }),
  ]);
  return { items, lowStock, stockValue: stock.value };
}

async function computeLeases(rows: RowCounter, today: DateTime): Promise<Analytics['leases']> {
  const month = today.startOf('month');
  const dueDate = { gte: month.toJSDate(), lt: month.plus({ months: 1 }).toJSDate() };
  const endDate = { gte: today.toJSDate(), lte: today.plus({ days: 90 }).toJSDate() };
  const [active, expiringIn90Days, due] = await Promise.all([
    rows.count('Lease', { status: 'ACTIVE' }),
    rows.count('Lease', { status: 'ACTIVE', endDate }),
    rows.measure('LeasePayment', { status: 'PENDING', dueDate }, { amount: { sum: 'amount' } }),
  ]);
  return { active, expiringIn90Days, dueThisMonth: due.amount };
}

async function computeAssets(rows: RowCounter): Promise<Analytics['assets']> {
  const [assets, overdueMaintenance] = await Promise.all([
    rows.countBy('Asset', ['status']),
    rows.count('AssetMaintenance', { status: 'OVERDUE' }),
  ]);
  return { byStatus: countsBy(counted.assetStatus, assets), overdueMaintenance };
}

async function computeProcurement(rows: RowCounter): Promise<Analytics['procurement']> {
  const open = { status: { in: ['DRAFT', 'PENDING'] } };
  const { count, amount } = await rows.measure('Requisition', open, {
    count: 'count',
    amount: { sum: 'totalAmount' },
  });
  return { openRequisitions: Number(count), openAmount: amount };
}

async function computePackages(rows: RowCounter): Promise<Analytics['packages']> {
  const counts = countsBy(counted.packageStatus, await rows.countBy('ExpectedPackage', ['status']));
  return { expected: counts['expected'] ?? 0, received: counts['received'] ?? 0 };
}

type Groups = readonly (Row & { readonly count: unknown })[];

function summarizeRequests(
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
    byStatus: countsBy(counted.requestStatus, groups),
    byPriority: countsBy(counted.requestPriority, groups),
    createdPerDay: [...days(start, finish)].map((date) => ({ date, count: madeOn.get(date) ?? 0 })),
    // Rounded to twelve places first, as an average of thirds can be slightly below the exact half.
    averageHoursToComplete:
      hours?.toDecimalPlaces(12).toDecimalPlaces(2, Prisma.Decimal.ROUND_HALF_UP).toNumber() ?? null,
  };
}

/** The calendar days between two days, inclusive. */
function* days(start: Date, finish: Date): Generator<string> {
  for (let day = start; day <= finish; day = addDays(day, 1)) yield isoDay(day);
}

/** Adds up groups by one enum column, keyed by the enum's values in REST. */
function countsBy(field: StoredField, groups: Groups): Counts {
  const countOf = (member: string) =>
    groups.reduce((sum, group) => sum + (group[field.name] === member ? Number(group.count) : 0), 0);
  return Object.fromEntries(Object.entries(enumWords(field)).map(([member, word]) => [word, countOf(member)]));
}
