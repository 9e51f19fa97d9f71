import type { TableName } from '../../database/tables.ts';
import type { LoggedChange } from '../../events/log.ts';
import { type NotificationKind, notificationKinds } from './kinds.ts';

/** Something that people are notified of. */
export interface NotificationEvent {
  readonly kind: NotificationKind;
  readonly change: LoggedChange;
  /** The row that it is about: of a comment, the request. */
  readonly table: TableName;
  readonly rowId: string;
  /** The people whom the event itself concerns. */
  readonly userIds: readonly string[];
  /** Further recipients: those who follow the row, or all who turned on this kind. */
  readonly others: 'followers' | 'subscribers' | 'nobody';
  /** The people who made the change, or are notified of another event of it. */
  readonly except: readonly string[];
}

/** The tables of requests, which people follow. */
const requestTables: readonly TableName[] = ['service_requests', 'move_requests'];

/** The tables whose changes people are notified of. */
export const watchedTables: readonly TableName[] = [
  ...requestTables,
  'comments',
  'reminders',
  'inventory_items',
  'leases',
  'asset_maintenance',
];

/** The events of a change that people are notified of. Nobody is notified of their own changes. */
export function eventsOf(change: LoggedChange): NotificationEvent[] {
  const { table, rowId, action, fields, after } = change;
  // What they were told of these rows they were told before the rows were deleted, or by the import that is taken back.
  if (change.actor?.restores || change.actor?.undoes) return [];
  const own = textsOf(change.actor?.user_id);
  const event = (
    kind: NotificationKind,
    others: NotificationEvent['others'],
    more: Partial<NotificationEvent> = {},
  ): NotificationEvent => ({ kind, change, table, rowId, others, userIds: [], except: own, ...more });
  const becomes = (status: string) => action === 'update' && fields.includes('status') && after?.['status'] === status;

  if (requestTables.includes(table)) return requestEvents(change, event);
  if (table === 'comments' && action === 'create') {
    const [requestId = ''] = textsOf(after?.['service_request_id'], after?.['move_request_id']);
    const requestTable = after?.['service_request_id'] ? 'service_requests' : 'move_requests';
    return [event('commented', 'followers', { table: requestTable, rowId: requestId })];
  }
  if (table === 'reminders' && action === 'due') return [event('reminder_due', 'subscribers')];
  if (table === 'inventory_items' && action === 'low_stock') return [event('low_stock', 'subscribers')];
  if (table === 'leases' && becomes('expired')) return [event('lease_expired', 'subscribers')];
  if (table === 'asset_maintenance' && becomes('overdue')) return [event('maintenance_overdue', 'subscribers')];
  return [];
}

/** A new assignee is notified of the assignment, and everybody else who follows the request of the change. */
function requestEvents(
  { action, fields, before, after, actor }: LoggedChange,
  event: (
    kind: NotificationKind,
    others: NotificationEvent['others'],
    more: Partial<NotificationEvent>,
  ) => NotificationEvent,
): NotificationEvent[] {
  const isAssigned = action === 'create' || fields.includes('assigned_to');
  const assignees = isAssigned ? textsOf(after?.['assigned_to']) : [];
  const assigned = assignees.length > 0 ? [event('assigned', 'nobody', { userIds: assignees })] : [];
  if (action === 'create') return assigned;
  const userIds = textsOf(before?.['assigned_to'], before?.['created_by']);
  const except = [...textsOf(actor?.user_id), ...assignees];
  return [...assigned, event('request_changed', 'followers', { userIds, except })];
}

const textsOf = (...values: unknown[]): string[] => values.filter((value) => typeof value === 'string');

/** Groups events into messages: by request, or by kind for all other rows. */
export const mailGroupOf = ({ kind, rowId }: NotificationEvent): string =>
  notificationKinds[kind].isAboutRequest ? rowId : kind;
