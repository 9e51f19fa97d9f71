// The rows that have a page: those that notifications are about.
import type { rowTypes } from '../../../src/pages/addresses.ts';
import { type Column, choice, column, selectionOf } from './query.ts';

/** A kind of row that has a page. */
interface RowKind {
  /** What such a row is called, such as "Service request". */
  readonly label: string;
  /** The field that queries one. */
  readonly field: string;
  /** The values that are shown; the first one is the heading. */
  readonly columns: readonly [Column, ...Column[]];
  readonly hasComments?: boolean;
}

const request = {
  first: [
    column('Title', 'title'),
    choice('Status', 'status', 'RequestStatus'),
    choice('Priority', 'priority', 'RequestPriority'),
    column('Description', 'description', 'long'),
  ] as const,
  last: [
    column('Creator', 'creator.fullName'),
    column('Assignee', 'assignee.fullName'),
    column('Created', 'createdAt', 'date'),
  ],
};

/** The kinds by the part of their addresses. */
export const rowKinds = {
  'service-requests': {
    ...{ label: 'Service request', field: 'serviceRequest', hasComments: true },
    columns: [...request.first, column('Room', 'room'), column('Floor', 'floor'), ...request.last],
  },
  'move-requests': {
    ...{ label: 'Move request', field: 'moveRequest', hasComments: true },
    columns: [
      ...request.first,
      column('Scheduled date', 'scheduledDate', 'date'),
      column('From', 'fromLocation'),
      column('To', 'toLocation'),
      ...request.last,
    ],
  },
  reminders: {
    ...{ label: 'Reminder', field: 'reminder' },
    columns: [
      column('Title', 'title'),
      column('Description', 'description', 'long'),
      column('Due', 'dueDate', 'date'),
      choice('Repeats', 'recurrence', 'Recurrence'),
      choice('Status', 'status', 'ReminderStatus'),
    ],
  },
  'inventory-items': {
    ...{ label: 'Inventory item', field: 'inventoryItem' },
    columns: [
      column('Name', 'name'),
      column('SKU', 'sku'),
      column('Category', 'category'),
      column('Quantity', 'quantity', 'number'),
      column('Unit', 'unit'),
      column('Reorder point', 'reorderPoint', 'number'),
      column('Unit cost', 'unitCost', 'amount'),
      column('Location', 'location.name'),
    ],
  },
  leases: {
    ...{ label: 'Lease', field: 'lease' },
    columns: [
      column('Name', 'name'),
      choice('Type', 'leaseType', 'LeaseType'),
      column('Lessor', 'lessor'),
      column('Lessee', 'lessee'),
      column('Start date', 'startDate', 'date'),
      column('End date', 'endDate', 'date'),
      column('Monthly payment', 'monthlyPayment', 'amount'),
      choice('Status', 'status', 'LeaseStatus'),
    ],
  },
  'asset-maintenance': {
    ...{ label: 'Maintenance', field: 'assetMaintenance' },
    columns: [
      column('Asset', 'asset.assetName'),
      choice('Type', 'maintenanceType', 'MaintenanceType'),
      column('Scheduled date', 'scheduledDate', 'date'),
      column('Description', 'description', 'long'),
      choice('Status', 'status', 'MaintenanceStatus'),
    ],
  },
} as const satisfies Readonly<Record<RowType, RowKind>>;

/** The part of an address that names a kind of row. */
export type RowType = (typeof rowTypes)[number];

/** The columns of comments. */
export const commentColumns = [
  column('Time', 'createdAt', 'date'),
  column('Author', 'author.fullName'),
  column('Comment', 'comment', 'long'),
] as const;

/** The kind of a part of an address, if there is one. */
export const findRowKind = (type: string): RowKind | undefined =>
  Object.entries<RowKind>(rowKinds).find(([name]) => name === type)?.[1];

/** The GraphQL query of a row. @param id a UUID */
export const rowQuery = ({ label, field, columns, hasComments = false }: RowKind, id: string): string =>
  `query ${label.replaceAll(/ (\w)/g, (_, first: string) => first.toUpperCase())} {
  ${field}(id: "${id}") {
    ${selectionOf(columns)}${hasComments ? `\n    comments(first: 100) { totalCount nodes { ${selectionOf(commentColumns)} } }` : ''}
  }
}
`;
