import { type Counts, enumFacts, extendSchema } from '../../resource/index.ts';
import type { Analyst, Analytics, RequestAnalytics } from './analytics.ts';
import { byQueries } from './batch.ts';
import { type GivenRange, readRange } from './range.ts';
import { byFunction } from './rpc.ts';

/** Adds the numbers of the dashboard, for people who are signed in. */
export const dashboardAnalytics = extendSchema((kit) => {
  const { builder } = kit;
  const RequestNumbers = builder.objectRef<RequestAnalytics>('RequestAnalytics').implement({
    description: 'Requests that were made in the range.',
    fields: (t) => ({
      total: t.exposeInt('total', { description: 'How many were made.' }),
      byStatus: t.field({
        type: 'Counts',
        description: 'How many of them have each status now.',
        resolve: ({ byStatus }) => inOrder('RequestStatus', byStatus),
      }),
      byPriority: t.field({
        type: 'Counts',
        description: 'How many of them have each priority now.',
        resolve: ({ byPriority }) => inOrder('RequestPriority', byPriority),
      }),
      createdPerDay: t.field({
        type: [DayCount],
        description: 'How many were made on each day of the range, in order.',
        resolve: ({ createdPerDay }) => [...createdPerDay],
      }),
      averageHoursToComplete: t.exposeFloat('averageHoursToComplete', {
        nullable: true,
        description:
          'From being made to being completed, on average of those that are; to two decimal places. Null while none is.',
      }),
    }),
  });

  const DayCount = builder.objectRef<RequestAnalytics['createdPerDay'][number]>('DayCount').implement({
    description: 'How many there were on one day.',
    fields: (t) => ({
      date: t.field({ type: 'Date', description: 'The day (UTC).', resolve: ({ date }) => new Date(date) }),
      count: t.exposeInt('count', { description: 'How many.' }),
    }),
  });

  const Range = builder.objectRef<Analytics['range']>('AnalyticsRange').implement({
    description: 'The days that are looked at.',
    fields: (t) => ({
      startDate: t.field({
        type: 'Date',
        description: 'The first day.',
        resolve: ({ startDate }) => new Date(startDate),
      }),
      endDate: t.field({
        type: 'Date',
        description: 'The last day; it counts too.',
        resolve: ({ endDate }) => new Date(endDate),
      }),
    }),
  });

  const Inventory = builder.objectRef<Analytics['inventory']>('InventoryAnalytics').implement({
    description: 'The stock as it is.',
    fields: (t) => ({
      items: t.exposeInt('items', { description: 'How many items there are.' }),
      lowStock: t.exposeInt('lowStock', { description: 'How many of them are below their reorder point.' }),
      stockValue: t.exposeFloat('stockValue', {
        description: 'What all that is in stock costs; items without a unit cost count nothing.',
      }),
    }),
  });

  const Leases = builder.objectRef<Analytics['leases']>('LeaseAnalytics').implement({
    description: 'The leases as they are.',
    fields: (t) => ({
      active: t.exposeInt('active', { description: 'How many leases are active.' }),
      expiringIn90Days: t.exposeInt('expiringIn90Days', {
        description: 'How many of them end today or in the next 90 days.',
        extensions: { rest: 'expiring_in_90_days' },
      }),
      dueThisMonth: t.exposeFloat('dueThisMonth', {
        description: 'The sum of the pending payments that are due in this calendar month (UTC).',
      }),
    }),
  });

  const Assets = builder.objectRef<Analytics['assets']>('AssetAnalytics').implement({
    description: 'The fixed assets as they are.',
    fields: (t) => ({
      byStatus: t.field({
        type: 'Counts',
        description: 'How many assets have each status.',
        resolve: ({ byStatus }) => inOrder('AssetStatus', byStatus),
      }),
      overdueMaintenance: t.exposeInt('overdueMaintenance', { description: 'How much maintenance is overdue.' }),
    }),
  });

  const Procurement = builder.objectRef<Analytics['procurement']>('ProcurementAnalytics').implement({
    description: 'What nobody has decided on yet.',
    fields: (t) => ({
      openRequisitions: t.exposeInt('openRequisitions', {
        description: 'How many requisitions are drafts or pending.',
      }),
      openAmount: t.exposeFloat('openAmount', { description: 'What they come to.' }),
    }),
  });

  const Packages = builder.objectRef<Analytics['packages']>('PackageAnalytics').implement({
    description: 'The packages that guests have announced.',
    fields: (t) => ({
      expected: t.exposeInt('expected', { description: 'How many have not come.' }),
      received: t.exposeInt('received', { description: 'How many have come and wait to be collected.' }),
    }),
  });

  const Reminders = builder.objectRef<Analytics['reminders']>('ReminderAnalytics').implement({
    description: 'The reminders as they are.',
    fields: (t) => ({ due: t.exposeInt('due', { description: 'How many are pending and due by now.' }) }),
  });

  const DashboardAnalytics = builder.objectRef<Analytics>('DashboardAnalytics').implement({
    description: 'What the dashboard shows: the requests that were made in the range, and all else as it is now.',
    fields: (t) => ({
      range: t.expose('range', { type: Range, description: 'The days that are looked at.' }),
      serviceRequests: t.expose('serviceRequests', { type: RequestNumbers, description: 'The service requests.' }),
      moveRequests: t.expose('moveRequests', { type: RequestNumbers, description: 'The move requests.' }),
      inventory: t.expose('inventory', { type: Inventory, description: 'The stock.' }),
      leases: t.expose('leases', { type: Leases, description: 'The leases.' }),
      assets: t.expose('assets', { type: Assets, description: 'The fixed assets.' }),
      procurement: t.expose('procurement', { type: Procurement, description: 'The requisitions.' }),
      packages: t.expose('packages', { type: Packages, description: 'The expected packages.' }),
      reminders: t.expose('reminders', { type: Reminders, description: 'The reminders.' }),
    }),
  });

  const Mode = builder.enumType('AnalyticsMode', {
    description: 'How the numbers are found. They are the same either way.',
    values: {
      RPC: { description: 'By one function of the database.' },
      BATCH: { description: 'By a batch of queries.' },
    },
  });

  kit.addOperation({
    action: 'read',
    rest: true,
    field: 'dashboardAnalytics',
    path: '/dashboard/analytics',
    access: 'session',
    tag: { name: 'Dashboard', description: 'Analytics of the company, for signed-in users.' },
    type: 'DashboardAnalytics',
    description: 'What the dashboard shows of the company.',
    returns: DashboardAnalytics,
    args: (arg) => ({
      startDate: arg({
        type: 'Date',
        description: 'The first day (UTC) of the range; 29 days before the last unless given.',
        extensions: { rest: 'startDate' },
      }),
      endDate: arg({
        type: 'Date',
        description: 'The last day (UTC), which counts too; today unless given.',
        extensions: { rest: 'endDate' },
      }),
      mode: arg({ type: Mode, description: 'How the numbers are found; RPC unless given.' }),
    }),
    async resolve(args, context) {
      const { mode, ...given } = args as GivenRange & { mode?: keyof typeof analysts | null };
      const range = readRange(given);
      return analysts[mode ?? 'RPC'](context, { ...range, now: new Date() });
    },
  });
});

/** Counts in the order of their enum. */
const inOrder = (enumName: string, counts: Counts): Counts =>
  Object.fromEntries(Object.values(enumFacts(enumName).words).map((word) => [word, counts[word] ?? 0]));

const analysts = { RPC: byFunction, BATCH: byQueries } satisfies Record<string, Analyst>;
