import { addDays, dayIn, firstOfMonth, startOfDay } from '../company-time.ts';

/** The GraphQL queries of what the dashboard counts; GraphiQL opens them. */
interface TileQueries {
  readonly serviceRequests: string;
  readonly moveRequests: string;
  readonly lowStock: string;
  readonly stockValue: string;
  readonly expiringLeases: string;
  readonly leasePayments: string;
  readonly overdueMaintenance: string;
  readonly openRequisitions: string;
  readonly expectedPackages: string;
  readonly remindersDue: string;
}

/**
 * Writes the queries.
 * @param start the first day of the range
 * @param end its last day
 * @param timeZone the company's time zone
 * @param now the current time
 */
export function tileQueries(start: string, end: string, timeZone: string, now: Date): TileQueries {
  const today = dayIn(timeZone, now);
  const thisMonth = `gte: "${firstOfMonth(today)}", lt: "${firstOfMonth(today, 1)}"`;
  const dueThisMonth = `{ status: { eq: PENDING }, dueDate: { ${thisMonth} } }`;
  const inRange = `createdAt: { gte: "${startOfDay(start, timeZone)}", lt: "${startOfDay(addDays(end, 1), timeZone)}" }`;
  const requests = (name: string, field: string) => `# Requests created from ${start} to ${end}.
query ${name} {
  ${field}(first: 100, filter: { ${inRange} }) {
    totalCount
    nodes { title status priority createdAt assignee { fullName } }
  }
}
`;
  return {
    serviceRequests: requests('ServiceRequestsCreated', 'serviceRequests'),
    moveRequests: requests('MoveRequestsCreated', 'moveRequests'),
    lowStock: `# Items below their reorder point.
query LowStockItems {
  inventoryItems(first: 100, filter: { lowStock: { eq: true } }, orderBy: [{ field: NAME }]) {
    totalCount
    nodes { name sku quantity reorderPoint unit }
  }
}
`,
    stockValue: `# What the stock is worth, and the items: quantity times unit cost.
query StockValue {
  inventoryItems(first: 100, orderBy: [{ field: NAME }]) {
    totalCount
    aggregates { stockValue { sum } }
    nodes { name sku quantity unitCost }
  }
}
`,
    expiringLeases: `# Active leases that end in the next 90 days.
query ExpiringLeases {
  leases(first: 100, orderBy: [{ field: END_DATE }], filter: {
    status: { eq: ACTIVE }
    endDate: { gte: "today", lte: "today+90" }
  }) {
    totalCount
    nodes { name lessor endDate monthlyPayment }
  }
}
`,
    leasePayments: `# Pending payments of leases that are due this month.
query LeasePaymentsDue {
  leasePayments(first: 100, orderBy: [{ field: DUE_DATE }], filter: ${dueThisMonth}) {
    totalCount
    aggregates { amount { sum } }
    nodes { dueDate amount description lease { name } }
  }
}
`,
    overdueMaintenance: `# Overdue maintenance of assets.
query MaintenanceOverdue {
  assetMaintenanceRecords(first: 100, orderBy: [{ field: SCHEDULED_DATE }], filter: { status: { eq: OVERDUE } }) {
    totalCount
    nodes { scheduledDate maintenanceType description asset { assetName } }
  }
}
`,
    openRequisitions: `# Draft and pending requisitions.
query OpenRequisitions {
  requisitions(first: 100, filter: { status: { in: [DRAFT, PENDING] } }) {
    totalCount
    aggregates { totalAmount { sum } }
    nodes { title status totalAmount requester { fullName } }
  }
}
`,
    expectedPackages: `# Packages that guests registered and that have not arrived.
query PackagesExpected {
  expectedPackages(first: 100, filter: { status: { eq: EXPECTED } }) {
    totalCount
    nodes { guestName description trackingNumber expectedDate }
  }
}
`,
    remindersDue: `# Pending reminders that are due.
query RemindersDue {
  reminders(first: 100, orderBy: [{ field: DUE_DATE }], filter: { status: { eq: PENDING }, dueDate: { lte: "now" } }) {
    totalCount
    nodes { title dueDate recurrence }
  }
}
`,
  };
}
