import { Prisma, type PurchaseOrder } from '../../database/generated/client/client.ts';
import type { TenantClient } from '../../database/tenant.ts';
import { conflict } from '../../errors.ts';
import type { Row } from '../../resource/index.ts';

/** The status of an order according to its received goods; null before the first arrive. */
export type ReceivedStatus = 'PARTIALLY_RECEIVED' | 'RECEIVED' | null;

/**
 * Compares an order's quantities with those of its completed receiving records. Lines without an item or a quantity are
 * ignored.
 * @returns undefined for an order without items, whose status no quantity determines
 */
export async function findReceivedStatus(
  purchaseOrderId: string,
  orderLines: readonly Row[],
  db: TenantClient,
): Promise<ReceivedStatus | undefined> {
  const ordered = new Map<string, Prisma.Decimal>();
  for (const { itemId, quantity } of orderLines)
    if (typeof itemId === 'string')
      ordered.set(
        itemId,
        Prisma.Decimal.add(ordered.get(itemId) ?? 0, Prisma.Decimal.isDecimal(quantity) ? quantity : 0),
      );
  if (ordered.size === 0) return undefined;
  const received = await db.receivingLine.groupBy({
    by: 'itemId',
    where: { receivingRecord: { purchaseOrderId, status: 'COMPLETE' }, itemId: { in: [...ordered.keys()] } },
    _sum: { quantity: true },
  });
  const receivedOf = new Map(received.map(({ itemId, _sum }) => [itemId, _sum.quantity ?? 0]));
  if ([...ordered].every(([itemId, quantity]) => quantity.lte(receivedOf.get(itemId) ?? 0))) return 'RECEIVED';
  return [...receivedOf.values()].some((quantity) => quantity > 0) ? 'PARTIALLY_RECEIVED' : null;
}

/**
 * Rejects a status for which too few goods have been received.
 * @param orderLines reads the order's lines as they will be
 * @throws ServiceError CONFLICT
 */
export async function assertReceived(
  { id, status: from }: Pick<PurchaseOrder, 'id' | 'status'>,
  to: PurchaseOrder['status'] | undefined,
  orderLines: () => Promise<readonly Row[]>,
  db: TenantClient,
): Promise<void> {
  if (to === from || (to !== 'PARTIALLY_RECEIVED' && to !== 'RECEIVED')) return;
  const status = await findReceivedStatus(id, await orderLines(), db);
  if (status === undefined || status === 'RECEIVED' || status === to) return;
  throw conflict('The completed receiving records have less than the ordered quantity.', {
    status: `cannot be ${to === 'RECEIVED' ? 'received' : 'partially_received'} before its items are`,
  });
}
