import type { Context } from '../../context.ts';
import type { ActivityAction, RequestPriority, RequestStatus } from '../../database/generated/client/enums.ts';
import { snakeCase } from '../../names.ts';
import { type Column, enumFacts } from '../../resource/model.ts';
import { enumType } from '../../resource/types.ts';
import type { Transaction } from '../../resource/writes.ts';

// The capitalized words of the second create shape (spec §2) are the same priorities.
enumType('RequestPriority', { anyCase: true });

/** The column by which comments, watchers, time logs and activity name their request. */
export type RequestColumn = Extract<Column<'Comment'>, 'serviceRequestId' | 'moveRequestId'>;

/** What both kinds of request have and activity tells of. */
export interface Request {
  readonly id: string;
  readonly status: RequestStatus;
  readonly priority: RequestPriority;
  readonly assignedTo: string | null;
}

/** One thing that happened to a request; values are words of the spec, ids, or null. */
interface Happening {
  readonly action: ActivityAction;
  readonly fromValue?: string | null;
  readonly toValue?: string | null;
}

/** Writes an activity entry by the caller, in the transaction of what it tells (spec §2). */
export async function record(
  tx: Transaction,
  { caller: { companyId, userId } }: Context,
  column: RequestColumn,
  requestId: string | null,
  happening: Happening,
): Promise<void> {
  await tx.activityEntry.create({
    data: { companyId, userId, [column]: requestId, ...happening },
    select: { id: true },
  });
}

/**
 * What is stored when a request is written (spec §3): when it was completed, as its status comes and goes, and with
 * it the entries that tell of the write.
 */
export function withActivity<Data extends Partial<Request>>({
  context,
  data,
  previous,
}: {
  context: Context;
  data: Data;
  previous?: Request;
}) {
  const { userId } = context.caller;
  const was = previous?.status ?? 'PENDING';
  const is = data.status ?? was;
  const completion = was === is ? {} : { completedAt: is === 'COMPLETED' ? new Date() : null };
  const happenings = previous ? changes(previous, { ...previous, ...data }) : [{ action: 'CREATED' as const }];
  return { ...data, ...completion, activity: { create: happenings.map((happening) => ({ userId, ...happening })) } };
}

/** What changed of a request. A change without an action of its own is `updated`, and names the fields. */
function changes(previous: Request, row: Request): Happening[] {
  const status = (request: Request) => enumFacts('RequestStatus').words[request.status];
  const priority = (request: Request) => enumFacts('RequestPriority').words[request.priority];
  const told: Happening[] = [
    { action: 'STATUS_CHANGED', fromValue: status(previous), toValue: status(row) },
    { action: 'PRIORITY_CHANGED', fromValue: priority(previous), toValue: priority(row) },
    { action: 'ASSIGNED', fromValue: previous.assignedTo, toValue: row.assignedTo },
  ];
  const others = changedColumns(previous, row);
  if (others.length > 0) told.push({ action: 'UPDATED', fromValue: null, toValue: others.join(', ') });
  return told.filter(({ fromValue, toValue }) => fromValue !== toValue);
}

const toldOtherwise = ['status', 'priority', 'assignedTo', 'completedAt', 'updatedAt'];

function changedColumns(previous: Request, row: Request): string[] {
  const before = new Map(Object.entries(previous));
  return Object.entries(row)
    .filter(([column, value]) => !toldOtherwise.includes(column) && String(before.get(column)) !== String(value))
    .map(([column]) => snakeCase(column));
}
