import { type Context, callerId, timeOf } from '../../context.ts';
import type { ActivityAction, RequestPriority, RequestStatus } from '../../database/generated/client/enums.ts';
import type { FieldErrors } from '../../errors.ts';
import { snakeCase } from '../../names.ts';
import { type Column, column, createBySystem, enumWords, isSameValue, type Resource } from '../../resource/index.ts';

/** The foreign key of comments, watchers, time logs and activity to their request. */
export type RequestColumn = Extract<Column<'Comment'>, 'serviceRequestId' | 'moveRequestId'>;

/** The columns of both kinds of request whose changes activity records. */
export interface RequestRow {
  readonly id: string;
  readonly status: RequestStatus;
  readonly priority: RequestPriority;
  readonly assignedTo: string | null;
}

/** An event in a request's history; values are enum values, ids, or null. */
interface ActivityEvent {
  readonly action: ActivityAction;
  readonly fromValue?: string | null;
  readonly toValue?: string | null;
}

/**
 * Records an event by the caller, in the transaction of the change.
 *
 * @param ActivityEntry the entries of the kind of request
 */
export async function recordActivity(
  context: Context,
  ActivityEntry: Resource<'ActivityEntry'>,
  requestId: string | null,
  event: ActivityEvent,
): Promise<void> {
  const entry = { userId: callerId(context), ...event };
  await createBySystem(ActivityEntry, entry, { context, parentId: requestId ?? undefined });
}

/** Rejects a new request that is not pending. */
export const checkNewStatus = ({
  data,
  previous,
}: {
  data: Partial<RequestRow>;
  previous: RequestRow | null;
}): FieldErrors =>
  previous === null && data.status !== undefined && data.status !== 'PENDING'
    ? { status: 'must be pending in a new request' }
    : {};

/** Adds the activity entry of its creation to a new request. */
export const createWithActivity = <Data extends Partial<RequestRow>>({
  context,
  data,
}: {
  context: Context;
  data: Data;
}) => ({
  ...data,
  also: { activity: [{ action: 'CREATED', userId: callerId(context) } as const] },
});

/** Adds the completion time and the activity entries to a changed request. */
export function updateWithActivity<Data extends Partial<RequestRow>, Previous extends RequestRow>({
  context,
  data,
  previous,
}: {
  context: Context;
  data: Data;
  previous: Previous;
}) {
  const events = changeEvents(previous, { ...previous, ...data });
  const activity = events.map((event) => ({ userId: callerId(context), ...event }));
  return { ...data, ...resolveCompletion(context, previous.status, data.status), also: { activity } };
}

/** Sets or clears the completion time when the status changes. */
function resolveCompletion(context: Context, from: RequestStatus, to: RequestStatus = from) {
  return from === to ? {} : { completedAt: to === 'COMPLETED' ? timeOf(context) : null };
}

// Both kinds of request have the same.
const statusWords = enumWords(column('ServiceRequest', 'status'));
const priorityWords = enumWords(column('ServiceRequest', 'priority'));

/**
 * Lists a request's changes. Those without an action of their own are one `updated` entry with the names of the fields.
 */
function changeEvents(previous: RequestRow, row: RequestRow): ActivityEvent[] {
  const status = (request: RequestRow) => statusWords[request.status];
  const priority = (request: RequestRow) => priorityWords[request.priority];
  const events: ActivityEvent[] = [
    { action: 'STATUS_CHANGED', fromValue: status(previous), toValue: status(row) },
    { action: 'PRIORITY_CHANGED', fromValue: priority(previous), toValue: priority(row) },
    { action: 'ASSIGNED', fromValue: previous.assignedTo, toValue: row.assignedTo },
  ];
  const others = changedColumns(previous, row);
  if (others.length > 0) events.push({ action: 'UPDATED', fromValue: null, toValue: others.join(', ') });
  return events.filter(({ fromValue, toValue }) => fromValue !== toValue);
}

const recordedOtherwise = ['status', 'priority', 'assignedTo', 'completedAt', 'updatedAt'];

function changedColumns(previous: RequestRow, row: RequestRow): string[] {
  const before = new Map(Object.entries(previous));
  return Object.entries(row)
    .filter(([column, value]) => !recordedOtherwise.includes(column) && !isSameValue(value, before.get(column)))
    .map(([column]) => snakeCase(column));
}
