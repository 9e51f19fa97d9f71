// The lists behind the figures of the dashboard.

import { addDays, dayIn, firstOfMonth, startOfDay } from '../company-time.ts';
import { formatDate } from '../format.ts';
import { t } from '../texts/lists.ts';
import { amount, related, type Shown, selectionOf } from './query.ts';
import type { ListName } from './titles.ts';

/** What a figure of the dashboard counts. */
export interface List {
  /** What is in the list, as a sentence. */
  readonly about: string;
  /** A GraphQL query; its variable `after` is where a page begins. */
  readonly query: string;
  /** The field that it queries. */
  readonly field: string;
  /** The GraphQL type of its rows. */
  readonly type: string;
  readonly shown: readonly Shown[];
  /** The measure whose sum is shown, an amount, with what it is of the list: measures have no words in the API. */
  readonly sum?: { readonly label: string; readonly path: string };
}

/** What a query is written from. */
interface Definition extends Omit<List, 'query'> {
  /** The name of the query. */
  readonly name: string;
  /** The arguments besides the page. */
  readonly args: string;
}

/** The first and last day of a range. */
export interface Days {
  readonly start: string;
  readonly end: string;
}

/**
 * Describes a list.
 *
 * @param range the days whose new requests are listed
 * @param timeZone the company's time zone
 * @param now the current time
 */
export function describeList(listName: ListName, { start, end }: Days, timeZone: string, now: Date): List {
  const today = dayIn(timeZone, now);
  const thisMonth = `gte: "${firstOfMonth(today)}", lt: "${firstOfMonth(today, 1)}"`;
  const inRange = `createdAt: { gte: "${startOfDay(start, timeZone)}", lt: "${startOfDay(addDays(end, 1), timeZone)}" }`;
  const requests = {
    about: t('requestsCreatedFromStartToEnd', { start: formatDate(start), end: formatDate(end) }),
    args: `filter: { ${inRange} }`,
    shown: ['title', 'status', 'priority', 'createdAt', related('assignedTo', 'assignee.fullName')],
  };
  const definitions: Readonly<Record<ListName, Definition>> = {
    'service-requests': {
      ...requests,
      ...{ name: 'ServiceRequestsCreated', field: 'serviceRequests', type: 'ServiceRequest' },
    },
    'move-requests': {
      ...requests,
      ...{ name: 'MoveRequestsCreated', field: 'moveRequests', type: 'MoveRequest' },
    },
    'low-stock': {
      ...{ about: t('itemsBelowTheirReorderPoint'), name: 'LowStockItems' },
      ...{ field: 'inventoryItems', type: 'InventoryItem' },
      args: 'filter: { lowStock: { eq: true } }, orderBy: [{ field: NAME }]',
      shown: ['name', 'sku', 'quantity', 'reorderPoint', 'unit'],
    },
    'stock-value': {
      ...{ about: t('whatTheStockIsWorthAnd') },
      ...{ name: 'StockValue', field: 'inventoryItems', type: 'InventoryItem' },
      args: 'orderBy: [{ field: NAME }]',
      sum: { label: t('stockValue'), path: 'stockValue' },
      shown: ['name', 'sku', 'quantity', amount('unitCost')],
    },
    'expiring-leases': {
      ...{ about: t('activeLeasesThatEndInThe'), name: 'ExpiringLeases' },
      ...{ field: 'leases', type: 'Lease' },
      args: 'filter: { status: { eq: ACTIVE }, endDate: { gte: "today", lte: "today+90" } }, orderBy: [{ field: END_DATE }]',
      shown: ['name', 'lessor', 'endDate', amount('monthlyPayment')],
    },
    'lease-payments': {
      ...{ about: t('pendingPaymentsOfLeasesThatAre') },
      ...{ name: 'LeasePaymentsDue', field: 'leasePayments', type: 'LeasePayment' },
      args: `filter: { status: { eq: PENDING }, dueDate: { ${thisMonth} } }, orderBy: [{ field: DUE_DATE }]`,
      sum: { label: t('dueThisMonth'), path: 'amount' },
      shown: [related('leaseId', 'lease.name'), 'dueDate', amount('amount'), 'description'],
    },
    'overdue-maintenance': {
      ...{ about: t('overdueMaintenanceOfAssets'), name: 'MaintenanceOverdue' },
      ...{ field: 'assetMaintenanceRecords', type: 'AssetMaintenance' },
      args: 'filter: { status: { eq: OVERDUE } }, orderBy: [{ field: SCHEDULED_DATE }]',
      shown: [related('assetId', 'asset.assetName'), 'scheduledDate', 'maintenanceType', 'description'],
    },
    'open-requisitions': {
      ...{ about: t('draftAndPendingRequisitions'), name: 'OpenRequisitions' },
      field: 'requisitions',
      type: 'Requisition',
      args: 'filter: { status: { in: [DRAFT, PENDING] } }',
      sum: { label: t('total'), path: 'totalAmount' },
      shown: ['title', 'status', amount('totalAmount'), related('requestedBy', 'requester.fullName')],
    },
    'expected-packages': {
      ...{ about: t('packagesThatGuestsRegisteredAndThat') },
      ...{ name: 'PackagesExpected', field: 'expectedPackages', type: 'ExpectedPackage' },
      args: 'filter: { status: { eq: EXPECTED } }',
      shown: ['guestName', 'description', 'trackingNumber', 'expectedDate'],
    },
    'reminders-due': {
      ...{ about: t('pendingRemindersThatAreDue'), name: 'RemindersDue' },
      ...{ field: 'reminders', type: 'Reminder' },
      args: 'filter: { status: { eq: PENDING }, dueDate: { lte: "now" } }, orderBy: [{ field: DUE_DATE }]',
      shown: ['title', 'dueDate', 'recurrence'],
    },
  };
  const list = definitions[listName];
  return { ...list, query: queryOf(list) };
}

const queryOf = ({ about, name, field, args, sum, shown }: Definition) => `# ${about}
query ${name}($after: String) {
  ${field}(first: 100, after: $after, ${args}) {
    totalCount${sum ? `\n    aggregates { ${sum.path} { sum } }` : ''}
    pageInfo { hasNextPage endCursor }
    nodes { id ${selectionOf(shown)} }
  }
}
`;
