import { assertRoleForRow, changesWhatWasApproved } from '../../auth/roles.ts';
import type { Context } from '../../context.ts';
import type { PurchaseOrder } from '../../database/generated/client/client.ts';
import { insufficientRole } from '../../errors.ts';

/** The ids of the users who asked for a row; null where that is unknown. */
type Requesters = readonly (string | null | undefined)[];

/**
 * Rejects an approval by somebody who requested the row, if the company requires that somebody else approves.
 *
 * @param requesters finds who requested it
 * @throws ServiceError INSUFFICIENT_SCOPE
 */
async function assertSeparateApproval(
  { caller, unscopedDb }: Context,
  requesters: () => Requesters | Promise<Requesters>,
): Promise<void> {
  // Settings are columns of the company, which is no row of a company: the scoped client does not have it.
  const { separateApproval } = await unscopedDb.company.findFirstOrThrow({
    where: { id: caller.companyId },
    select: { separateApproval: true },
  });
  if (!separateApproval || !(await requesters()).includes(caller.userId)) return;
  throw insufficientRole('Your company requires that somebody else approves what you requested.');
}

/** The columns that lead to who requested a row, besides its creator. */
type Column = 'requestedBy' | 'requisitionId' | 'purchaseOrderId';

/** How rows of a type are approved. */
interface Approval {
  /** Their GraphQL type. */
  readonly type: string;
  /** The status of those that are approved. */
  readonly status: string;
  readonly column: Column;
  /** Finds who requested a row with this value of the column. */
  readonly findRequesters: (value: string | null | undefined, context: Context) => Requesters | Promise<Requesters>;
}

/** An update of a row that is approved. */
interface Update {
  readonly context: Context;
  readonly previous: { readonly createdBy: string | null } & { readonly [Name in Column]?: string | null };
  readonly changes: { readonly status?: string } & { readonly [Name in Column]?: string | null };
}

/**
 * Creates the checks that separate approval: who requested a row neither approves it, nor changes what was approved in
 * it, nor removes themselves from its requesters.
 */
export const separateApproval = ({ type, status, column, findRequesters }: Approval) => ({
  /** Checks a new row, which its creator requests. @throws ServiceError INSUFFICIENT_SCOPE */
  async authorizeNew(context: Context, data: { readonly status: string }): Promise<void> {
    if (data.status === status) await assertSeparateApproval(context, () => [context.caller.userId]);
  },

  /** The hook of updates. */
  async authorizeChanges({ context, previous, changes }: Update): Promise<void> {
    const approves = changes.status === status;
    // The creator of the row cannot be removed from its requesters.
    const leaves = column in changes && previous.createdBy !== context.caller.userId;
    if (!approves && !leaves && !changesWhatWasApproved(type, previous, changes)) return;
    await assertSeparateApproval(context, async () => [
      previous.createdBy,
      ...(await findRequesters(previous[column], context)),
      ...(approves ? await findRequesters(changes[column], context) : []),
    ]);
  },
});

/**
 * Rejects a change that takes an order beyond a draft if the caller may not send it, because of their role or because
 * they requested it.
 *
 * @throws ServiceError INSUFFICIENT_SCOPE
 */
export async function assertMaySend(order: PurchaseOrder, context: Context): Promise<void> {
  await assertRoleForRow(context.caller, 'PurchaseOrder', 'update', order, { status: 'SENT' }, async () => false);
  await assertSeparateApproval(context, async () => [
    order.createdBy,
    ...(await requestersOfRequisition(order.requisitionId, context)),
  ]);
}

/** Finds who requested the requisition of an order. */
export async function requestersOfRequisition(id: string | null | undefined, { db }: Context): Promise<Requesters> {
  const requisition = id == null ? null : await db.requisition.findFirst({ where: { id } });
  return [requisition?.requestedBy, requisition?.createdBy];
}

/** Finds who requested the order of an invoice. */
export async function requestersOfOrder(id: string | null | undefined, context: Context): Promise<Requesters> {
  const order = id == null ? null : await context.db.purchaseOrder.findFirst({ where: { id } });
  return [order?.createdBy, ...(await requestersOfRequisition(order?.requisitionId, context))];
}
