import type { Context } from '../../context.ts';
import { insufficientRole } from '../../errors.ts';

/** The ids of the users who asked for a row; null where that is unknown. */
export type Requesters = readonly (string | null | undefined)[];

/**
 * Rejects an approval by somebody who requested the row, if the company requires that somebody else approves.
 *
 * @param requesters finds who requested it
 * @throws ServiceError INSUFFICIENT_SCOPE
 */
export async function assertSeparateApproval(
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
