// The lists behind the figures of the dashboard.
import type { lists } from '../../../src/pages/addresses.ts';
import { addDays, dayIn, firstOfMonth, startOfDay } from '../company-time.ts';
import { type Column, choice, column, selectionOf } from './query.ts';
import type { RowType } from './rows.ts';

/** What a figure of the dashboard counts. */
export interface List {
  readonly title: string;
  /** What is in the list, as a sentence. */
  readonly about: string;
  /** A GraphQL query; its variable `after` is where a page begins. */
  readonly query: string;
  /** The field that it queries. */
  readonly field: string;
  readonly columns: readonly Column[];
  /** The measure whose sum is shown, if any. */
  readonly sum?: Column;
  /** What the pages of its rows are, if they have any. */
  readonly rowType?: RowType;
}

/** What a query is written from. */
interface Definition extends Omit<List, 'query'> {
  /** The name of the query. */
  readonly name: string;
  /** The arguments besides the page. */
  readonly args: string;
}

/** The last part of a list's address. */
export type ListName = (typeof lists)[number];

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
    about: `Requests created from ${start} to ${end}.`,
    args: `filter: { ${inRange} }`,
    columns: [
      column('Title', 'title'),
      choice('Status', 'status', 'RequestStatus'),
      choice('Priority', 'priority', 'RequestPriority'),
      column('Created', 'createdAt', 'date'),
      column('Assignee', 'assignee.fullName'),
    ],
  };
  const definitions: Readonly<Record<ListName, Definition>> = {
    'service-requests': {
      ...requests,
      ...{ title: 'Service requests', name: 'ServiceRequestsCreated', field: 'serviceRequests' },
      rowType: 'service-requests',
    },
    'move-requests': {
      ...requests,
      ...{ title: 'Move requests', name: 'MoveRequestsCreated', field: 'moveRequests', rowType: 'move-requests' },
    },
    'low-stock': {
      ...{ title: 'Low stock', about: 'Items below their reorder point.', name: 'LowStockItems' },
      ...{ field: 'inventoryItems', rowType: 'inventory-items' },
      args: 'filter: { lowStock: { eq: true } }, orderBy: [{ field: NAME }]',
      columns: [
        column('Name', 'name'),
        column('SKU', 'sku'),
        column('Quantity', 'quantity', 'number'),
        column('Reorder point', 'reorderPoint', 'number'),
        column('Unit', 'unit'),
      ],
    },
    'stock-value': {
      ...{ title: 'Stock value', about: 'What the stock is worth, and the items: quantity times unit cost.' },
      ...{ name: 'StockValue', field: 'inventoryItems', rowType: 'inventory-items' },
      args: 'orderBy: [{ field: NAME }]',
      sum: column('Stock value', 'stockValue', 'amount'),
      columns: [
        column('Name', 'name'),
        column('SKU', 'sku'),
        column('Quantity', 'quantity', 'number'),
        column('Unit cost', 'unitCost', 'amount'),
      ],
    },
    'expiring-leases': {
      ...{ title: 'Expiring leases', about: 'Active leases that end in the next 90 days.', name: 'ExpiringLeases' },
      ...{ field: 'leases', rowType: 'leases' },
      args: 'filter: { status: { eq: ACTIVE }, endDate: { gte: "today", lte: "today+90" } }, orderBy: [{ field: END_DATE }]',
      columns: [
        column('Name', 'name'),
        column('Lessor', 'lessor'),
        column('End date', 'endDate', 'date'),
        column('Monthly payment', 'monthlyPayment', 'amount'),
      ],
    },
    'lease-payments': {
      ...{ title: 'Lease payments', about: 'Pending payments of leases that are due this month.' },
      ...{ name: 'LeasePaymentsDue', field: 'leasePayments' },
      args: `filter: { status: { eq: PENDING }, dueDate: { ${thisMonth} } }, orderBy: [{ field: DUE_DATE }]`,
      sum: column('Due this month', 'amount', 'amount'),
      columns: [
        column('Lease', 'lease.name'),
        column('Due date', 'dueDate', 'date'),
        column('Amount', 'amount', 'amount'),
        column('Description', 'description'),
      ],
    },
    'overdue-maintenance': {
      ...{ title: 'Overdue maintenance', about: 'Overdue maintenance of assets.', name: 'MaintenanceOverdue' },
      ...{ field: 'assetMaintenanceRecords', rowType: 'asset-maintenance' },
      args: 'filter: { status: { eq: OVERDUE } }, orderBy: [{ field: SCHEDULED_DATE }]',
      columns: [
        column('Asset', 'asset.assetName'),
        column('Scheduled date', 'scheduledDate', 'date'),
        choice('Type', 'maintenanceType', 'MaintenanceType'),
        column('Description', 'description'),
      ],
    },
    'open-requisitions': {
      ...{ title: 'Open requisitions', about: 'Draft and pending requisitions.', name: 'OpenRequisitions' },
      field: 'requisitions',
      args: 'filter: { status: { in: [DRAFT, PENDING] } }',
      sum: column('Total', 'totalAmount', 'amount'),
      columns: [
        column('Title', 'title'),
        choice('Status', 'status', 'RequisitionStatus'),
        column('Total', 'totalAmount', 'amount'),
        column('Requester', 'requester.fullName'),
      ],
    },
    'expected-packages': {
      ...{ title: 'Expected packages', about: 'Packages that guests registered and that have not arrived.' },
      ...{ name: 'PackagesExpected', field: 'expectedPackages' },
      args: 'filter: { status: { eq: EXPECTED } }',
      columns: [
        column('Guest', 'guestName'),
        column('Contents', 'description'),
        column('Tracking number', 'trackingNumber'),
        column('Expected date', 'expectedDate', 'date'),
      ],
    },
    'reminders-due': {
      ...{ title: 'Reminders due', about: 'Pending reminders that are due.', name: 'RemindersDue' },
      ...{ field: 'reminders', rowType: 'reminders' },
      args: 'filter: { status: { eq: PENDING }, dueDate: { lte: "now" } }, orderBy: [{ field: DUE_DATE }]',
      columns: [
        column('Title', 'title'),
        column('Due', 'dueDate', 'date'),
        choice('Repeats', 'recurrence', 'Recurrence'),
      ],
    },
  };
  const list = definitions[listName];
  return { ...list, query: queryOf(list) };
}

const queryOf = ({ about, name, field, args, sum, columns }: Definition) => `# ${about}
query ${name}($after: String) {
  ${field}(first: 100, after: $after, ${args}) {
    totalCount${sum ? `\n    aggregates { ${sum.path} { sum } }` : ''}
    pageInfo { hasNextPage endCursor }
    nodes { id ${selectionOf(columns)} }
  }
}
`;
