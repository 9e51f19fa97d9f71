import { type Counts, enumWords, type SchemaKit, type StoredField } from '../../resource/index.ts';
import { type Analytics, counted, type RequestAnalytics } from './analytics.ts';

/** Adds the type of the dashboard's figures. */
export function analyticsType(kit: SchemaKit) {
  const { builder } = kit;
  const RequestFigures = createRequestFigures(kit);
  const Range = builder.objectRef<Analytics['range']>('AnalyticsRange').implement({
    description: 'The range of days.',
    fields: (t) => ({
      startDate: t.field({
        type: 'Date',
        description: 'The first day.',
        resolve: ({ startDate }) => new Date(startDate),
      }),
      endDate: t.field({
        type: 'Date',
        description: 'The last day, inclusive.',
        resolve: ({ endDate }) => new Date(endDate),
      }),
    }),
  });

  const { Inventory, Leases, Assets, Procurement, Packages, Reminders } = createCurrentFigures(kit);
  return builder.objectRef<Analytics>('DashboardAnalytics').implement({
    description: 'Figures for the dashboard: requests created in the range, and current figures for everything else.',
    fields: (t) => ({
      range: t.expose('range', { type: Range, description: 'The range of days.' }),
      serviceRequests: t.expose('serviceRequests', { type: RequestFigures, description: 'The service requests.' }),
      moveRequests: t.expose('moveRequests', { type: RequestFigures, description: 'The move requests.' }),
      inventory: t.expose('inventory', { type: Inventory, description: 'The stock.' }),
      leases: t.expose('leases', { type: Leases, description: 'The leases.' }),
      assets: t.expose('assets', { type: Assets, description: 'The fixed assets.' }),
      procurement: t.expose('procurement', { type: Procurement, description: 'The requisitions.' }),
      packages: t.expose('packages', { type: Packages, description: 'The expected packages.' }),
      reminders: t.expose('reminders', { type: Reminders, description: 'The reminders.' }),
    }),
  });
}

/** The figures of the requests of a range. */
function createRequestFigures({ builder }: SchemaKit) {
  const RequestFigures = builder.objectRef<RequestAnalytics>('RequestAnalytics').implement({
    description: 'Figures about the requests created in the range.',
    fields: (t) => ({
      total: t.exposeInt('total', { description: 'Number of requests created in the range.' }),
      byStatus: t.field({
        type: 'Counts',
        description: 'Number of these requests by their current status.',
        resolve: ({ byStatus }) => inOrder(counted.requestStatus, byStatus),
      }),
      byPriority: t.field({
        type: 'Counts',
        description: 'Number of these requests by their current priority.',
        resolve: ({ byPriority }) => inOrder(counted.requestPriority, byPriority),
      }),
      createdPerDay: t.field({
        type: [DayCount],
        description: 'Number of requests created on each day of the range, in order.',
        resolve: ({ createdPerDay }) => [...createdPerDay],
      }),
      averageHoursToComplete: t.exposeFloat('averageHoursToComplete', {
        nullable: true,
        description:
          'Average hours from creation to completion, to two decimal places. Null if no request is completed.',
      }),
    }),
  });

  const DayCount = builder.objectRef<RequestAnalytics['createdPerDay'][number]>('DayCount').implement({
    description: 'A count for one day.',
    fields: (t) => ({
      date: t.field({ type: 'Date', description: 'The day.', resolve: ({ date }) => new Date(date) }),
      count: t.exposeInt('count', { description: 'The count.' }),
    }),
  });

  return RequestFigures;
}

/** The figures that are current, whatever the range. */
function createCurrentFigures(kit: SchemaKit) {
  return {
    Inventory: createInventoryFigures(kit),
    Leases: createLeaseFigures(kit),
    Assets: createAssetFigures(kit),
    Procurement: createProcurementFigures(kit),
    Packages: createPackageFigures(kit),
    Reminders: createReminderFigures(kit),
  };
}

const createInventoryFigures = ({ builder }: SchemaKit) =>
  builder.objectRef<Analytics['inventory']>('InventoryAnalytics').implement({
    description: 'Current stock figures.',
    fields: (t) => ({
      items: t.exposeInt('items', { description: 'Number of items.' }),
      lowStock: t.exposeInt('lowStock', { description: 'Number of items below their reorder point.' }),
      stockValue: t.exposeFloat('stockValue', {
        description: 'Total value of the stock. Items without a unit cost count as zero.',
      }),
    }),
  });

const createLeaseFigures = ({ builder }: SchemaKit) =>
  builder.objectRef<Analytics['leases']>('LeaseAnalytics').implement({
    description: 'Current lease figures.',
    fields: (t) => ({
      active: t.exposeInt('active', { description: 'Number of active leases.' }),
      expiringIn90Days: t.exposeInt('expiringIn90Days', {
        description: 'Number of active leases that end today or in the next 90 days.',
        extensions: { rest: 'expiring_in_90_days' },
      }),
      dueThisMonth: t.exposeFloat('dueThisMonth', {
        description: 'Sum of the pending payments that are due in the current calendar month.',
      }),
    }),
  });

const createAssetFigures = ({ builder }: SchemaKit) =>
  builder.objectRef<Analytics['assets']>('AssetAnalytics').implement({
    description: 'Current figures about fixed assets.',
    fields: (t) => ({
      byStatus: t.field({
        type: 'Counts',
        description: 'Number of assets by status.',
        resolve: ({ byStatus }) => inOrder(counted.assetStatus, byStatus),
      }),
      overdueMaintenance: t.exposeInt('overdueMaintenance', { description: 'Number of overdue maintenance records.' }),
    }),
  });

const createProcurementFigures = ({ builder }: SchemaKit) =>
  builder.objectRef<Analytics['procurement']>('ProcurementAnalytics').implement({
    description: 'Figures about requisitions that await a decision.',
    fields: (t) => ({
      openRequisitions: t.exposeInt('openRequisitions', {
        description: 'Number of draft and pending requisitions.',
      }),
      openAmount: t.exposeFloat('openAmount', { description: 'Total amount of these requisitions.' }),
    }),
  });

const createPackageFigures = ({ builder }: SchemaKit) =>
  builder.objectRef<Analytics['packages']>('PackageAnalytics').implement({
    description: 'Figures about the packages registered by guests.',
    fields: (t) => ({
      expected: t.exposeInt('expected', { description: 'Number of packages that have not arrived.' }),
      received: t.exposeInt('received', { description: 'Number of packages that have arrived and await collection.' }),
    }),
  });

const createReminderFigures = ({ builder }: SchemaKit) =>
  builder.objectRef<Analytics['reminders']>('ReminderAnalytics').implement({
    description: 'Current reminder figures.',
    fields: (t) => ({ due: t.exposeInt('due', { description: 'Number of pending reminders that are due.' }) }),
  });

/** Counts in the order of their enum. */
const inOrder = (field: StoredField, counts: Counts): Counts =>
  Object.fromEntries(Object.values(enumWords(field)).map((word) => [word, counts[word] ?? 0]));
