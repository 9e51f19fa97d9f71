// The rows that have a page: those that notifications are about.
import type { rowTypes } from '../../../src/pages/addresses.ts';
import { amount, related, type Shown, selectionOf } from './query.ts';

/** A kind of row that has a page. */
interface RowKind {
  /** The GraphQL type. */
  readonly type: string;
  /** The values that are shown; the first one is the heading. */
  readonly shown: readonly [Shown, ...Shown[]];
  /** The type of its comments, if it has any. */
  readonly comments?: string;
}

const request = {
  first: ['title', 'status', 'priority', 'description'] as const,
  last: [related('createdBy', 'creator.fullName'), related('assignedTo', 'assignee.fullName'), 'createdAt'],
};

/** The kinds by the part of their addresses. */
export const rowKinds = {
  'service-requests': {
    type: 'ServiceRequest',
    shown: [...request.first, 'room', 'floor', ...request.last],
    comments: 'ServiceRequestComment',
  },
  'move-requests': {
    type: 'MoveRequest',
    shown: [...request.first, 'scheduledDate', 'fromLocation', 'toLocation', ...request.last],
    comments: 'MoveRequestComment',
  },
  reminders: { type: 'Reminder', shown: ['title', 'description', 'dueDate', 'recurrence', 'status'] },
  'inventory-items': {
    type: 'InventoryItem',
    shown: [
      ...(['name', 'sku', 'category', 'quantity', 'unit', 'reorderPoint'] as const),
      ...[amount('unitCost'), related('locationId', 'location.name')],
    ],
  },
  leases: {
    type: 'Lease',
    shown: [
      ...(['name', 'leaseType', 'lessor', 'lessee', 'startDate', 'endDate'] as const),
      ...[amount('monthlyPayment'), 'status'],
    ],
  },
  'asset-maintenance': {
    type: 'AssetMaintenance',
    shown: [related('assetId', 'asset.assetName'), 'maintenanceType', 'scheduledDate', 'description', 'status'],
  },
} as const satisfies Readonly<Record<RowType, RowKind>>;

/** The part of an address that names a kind of row. */
export type RowType = (typeof rowTypes)[number];

/** What is shown of comments. */
export const shownOfComments = ['createdAt', related('userId', 'author.fullName'), 'comment'] as const;

/** The kind of a part of an address, if there is one. */
export const findRowKind = (type: string): RowKind | undefined =>
  Object.entries<RowKind>(rowKinds).find(([name]) => name === type)?.[1];

/** The field that queries a row of a type. */
export const fieldOf = (type: string): string => type.charAt(0).toLowerCase() + type.slice(1);

/** The GraphQL query of a row. @param id a UUID */
export const rowQuery = ({ type, shown, comments }: RowKind, id: string): string =>
  `query ${type} {
  ${fieldOf(type)}(id: "${id}") {
    ${selectionOf(shown)}${comments ? `\n    comments(first: 100) { totalCount nodes { ${selectionOf(shownOfComments)} } }` : ''}
  }
}
`;
