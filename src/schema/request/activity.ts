import { type Context, callerId, timeOf } from '../../context.ts';
import type { ActivityAction, RequestPriority, RequestStatus } from '../../database/generated/client/enums.ts';
import type { TenantClient } from '../../database/tenant.ts';
import { snakeCase } from '../../names.ts';
import { type Column, enumFacts } from '../../resource/index.ts';

/** The column by which comments, watchers, time logs and activity name their request. */
export type RequestColumn = Extract<Column<'Comment'>, 'serviceRequestId' | 'moveRequestId'>;

/** What both kinds of request have and activity records. */
export interface Request {
  readonly id: string;
  readonly status: RequestStatus;
  readonly priority: RequestPriority;
  readonly assignedTo: string | null;
}

/** One thing that happened to a request; values are words of an enum, ids, or null. */
interface Event {
  readonly action: ActivityAction;
  readonly fromValue?: string | null;
  readonly toValue?: string | null;
}

/** What an activity entry says of when it happened, where that is not now. */
const stamp = ({ at }: Context) => at && { createdAt: at, updatedAt: at };

/** Records an event of a request by the caller, in the transaction of what happened. */
export async function recordActivity(
  { context, db }: { readonly context: Context; readonly db: TenantClient },
  column: RequestColumn,
  requestId: string | null,
  event: Event,
): Promise<void> {
  await db.activityEntry.create({ data: { userId: callerId(context), [column]: requestId, ...event } });
}

/** What is stored of a new request: with it the entry that records its creation. */
export function createWithActivity<Data extends Partial<Request>>({ context, data }: { context: Context; data: Data }) {
  const created = { action: 'CREATED', userId: callerId(context), ...stamp(context) } as const;
  return { ...data, ...completion(context, 'PENDING', data.status), activity: { create: [created] } };
}

/** What is stored of a changed request: when it was completed, and with it the entries that record the change. */
export function updateWithActivity<Data extends Partial<Request>, Previous extends Request>({
  context,
  data,
  previous,
}: {
  context: Context;
  data: Data;
  previous: Previous;
}) {
  const events = changeEvents(previous, { ...previous, ...data });
  const create = events.map((event) => ({ userId: callerId(context), ...event, ...stamp(context) }));
  return { ...data, ...completion(context, previous.status, data.status), activity: { create } };
}

/** When a request was completed, as its status comes and goes. */
function completion(context: Context, from: RequestStatus, to: RequestStatus = from) {
  return from === to ? {} : { completedAt: to === 'COMPLETED' ? timeOf(context) : null };
}

/** What changed of a request. A change without an action of its own is `updated`, and names the fields. */
function changeEvents(previous: Request, row: Request): Event[] {
  const status = (request: Request) => enumFacts('RequestStatus').words[request.status];
  const priority = (request: Request) => enumFacts('RequestPriority').words[request.priority];
  const events: Event[] = [
    { action: 'STATUS_CHANGED', fromValue: status(previous), toValue: status(row) },
    { action: 'PRIORITY_CHANGED', fromValue: priority(previous), toValue: priority(row) },
    { action: 'ASSIGNED', fromValue: previous.assignedTo, toValue: row.assignedTo },
  ];
  const others = changedColumns(previous, row);
  if (others.length > 0) events.push({ action: 'UPDATED', fromValue: null, toValue: others.join(', ') });
  return events.filter(({ fromValue, toValue }) => fromValue !== toValue);
}

const recordedOtherwise = ['status', 'priority', 'assignedTo', 'completedAt', 'updatedAt'];

function changedColumns(previous: Request, row: Request): string[] {
  const before = new Map(Object.entries(previous));
  return Object.entries(row)
    .filter(([column, value]) => !recordedOtherwise.includes(column) && String(before.get(column)) !== String(value))
    .map(([column]) => snakeCase(column));
}
