import { Prisma, type PurchaseOrder, type PurchaseOrderLine } from '../../database/generated/client/client.ts';
import type { TenantClient } from '../../database/tenant.ts';
import { validationError } from '../../errors.ts';
import { column, enumWords } from '../../resource/index.ts';

/** The statuses of orders, in words. */
export const orderStatuses = enumWords(column('PurchaseOrder', 'status'));

/** A line item of an order, as far as it can be received. */
type Line = Partial<Pick<PurchaseOrderLine, 'itemId' | 'quantity'>>;

/** The status of an order according to its received goods; null before the first arrive. */
type ReceivedStatus = 'PARTIALLY_RECEIVED' | 'RECEIVED' | null;

/**
 * Compares an order's quantities with those of its completed receiving records. For an item without a quantity, any
 * received quantity is enough; lines without an item are ignored.
 *
 * @returns undefined for an order without items, whose status no quantity determines
 */
export async function findReceivedStatus(
  purchaseOrderId: string,
  orderLines: readonly Line[],
  db: TenantClient,
): Promise<ReceivedStatus | undefined> {
  const ordered = new Map<string, Prisma.Decimal>();
  for (const { itemId, quantity } of orderLines)
    if (itemId != null) ordered.set(itemId, Prisma.Decimal.add(ordered.get(itemId) ?? 0, quantity ?? 0));
  if (ordered.size === 0) return undefined;
  const received = await db.receivingLine.groupBy({
    by: 'itemId',
    where: { receivingRecord: { purchaseOrderId, status: 'COMPLETE' }, itemId: { in: [...ordered.keys()] } },
    _sum: { quantity: true },
  });
  const arrived = new Map(received.map(({ itemId, _sum }) => [itemId, _sum.quantity ?? 0]));
  const isReceived = ([itemId, quantity]: [string, Prisma.Decimal]) => {
    const count = arrived.get(itemId) ?? 0;
    return count > 0 && quantity.lte(count);
  };
  if ([...ordered].every(isReceived)) return 'RECEIVED';
  return [...arrived.values()].some((count) => count > 0) ? 'PARTIALLY_RECEIVED' : null;
}

/**
 * Sets the status of an order by the received goods when its lines or its status change.
 *
 * @param changes the changes from the client
 * @param orderLines reads the order's lines as they will be
 * @returns the changes, with the status
 * @throws ServiceError VALIDATION_ERROR for a status that claims more than was received
 */
export async function updateReceivedStatus<Changes extends Partial<Pick<PurchaseOrder, 'status'>>>(
  { id, status: from }: Pick<PurchaseOrder, 'id' | 'status'>,
  changes: Changes & { readonly lineItems?: readonly Line[] },
  orderLines: () => Promise<readonly Line[]>,
  db: TenantClient,
): Promise<Changes> {
  const to = changes.status ?? from;
  // A draft is sent before anything is received for it: the approval that this takes has been checked for `to` only.
  if (from === 'DRAFT') return changes;
  if (to === 'CANCELLED' || (to === from && !changes.lineItems)) return changes;
  const received = await findReceivedStatus(id, await orderLines(), db);
  if (received === undefined) return changes;
  const saysMore = to === 'RECEIVED' ? received !== 'RECEIVED' : to === 'PARTIALLY_RECEIVED' && received === null;
  if (saysMore && changes.status)
    throw validationError({
      status: `cannot be ${orderStatuses[to]} before its items are`,
    });
  return { ...changes, status: received ?? (saysMore ? 'SENT' : to) };
}
