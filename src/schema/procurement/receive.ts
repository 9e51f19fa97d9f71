import type { Context } from '../../context.ts';
import { type PurchaseOrder as Order, Prisma, type ReceivingRecord } from '../../database/generated/client/client.ts';
import type { TenantClient } from '../../database/tenant.ts';
import { conflict } from '../../errors.ts';
import { enumFacts, lockRow } from '../../resource/index.ts';
import { receiveStock } from '../inventory/stock.ts';
import { PurchaseOrder } from './purchase-order.ts';

/**
 * Adds the goods of a receiving record to the stock, and moves its order on. Runs in the transaction that completes the record.
 * @throws ServiceError CONFLICT
 */
export async function receiveGoods(record: ReceivingRecord, context: Context): Promise<void> {
  const { db } = context;
  const order = await lockOrder(record, context);
  const quantities = new Map<string, number>();
  const lines = await db.receivingLine.findMany({ where: { receivingRecordId: record.id } });
  for (const { itemId, quantity } of lines) {
    if (quantity > 0) quantities.set(itemId, (quantities.get(itemId) ?? 0) + quantity);
  }
  const because = { reason: 'Received', reference: order?.number, receivingRecordId: record.id };
  await receiveStock(context, quantities, because);
  if (order) await advanceOrder(order, db);
}

/** Locks the order that goods came for. @throws ServiceError CONFLICT unless it waits for some */
async function lockOrder({ purchaseOrderId }: ReceivingRecord, context: Context): Promise<Order | null> {
  if (purchaseOrderId === null) return null;
  const order = await lockRow(PurchaseOrder, purchaseOrderId, context);
  if (order.status !== 'CANCELLED' && order.status !== 'RECEIVED') return order;
  const word = enumFacts('PurchaseOrderStatus').words[order.status];
  throw conflict(`Nothing can be received for an order that is ${word}.`, {
    purchaseOrderId: `names an order that is ${word}`,
  });
}

/** An order is received when all complete records together have what it orders of each item. Lines without an item or a quantity wait for nothing. */
async function advanceOrder({ id }: Order, db: TenantClient): Promise<void> {
  const ordered = await db.purchaseOrderLine.groupBy({
    by: 'itemId',
    where: { purchaseOrderId: id, itemId: { not: null } },
    _sum: { quantity: true },
  });
  const received = await db.receivingLine.groupBy({
    by: 'itemId',
    where: { receivingRecord: { purchaseOrderId: id, status: 'COMPLETE' } },
    _sum: { quantity: true },
  });
  const receivedOf = new Map(received.map(({ itemId, _sum }) => [itemId, _sum.quantity ?? 0]));
  const complete = ordered.every(({ itemId, _sum }) =>
    new Prisma.Decimal(_sum.quantity ?? 0).lte(receivedOf.get(itemId ?? '') ?? 0),
  );
  await db.purchaseOrder.update({ where: { id }, data: { status: complete ? 'RECEIVED' : 'PARTIALLY_RECEIVED' } });
}
