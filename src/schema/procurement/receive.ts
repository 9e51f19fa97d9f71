import type { Context } from '../../context.ts';
import type {
  StockAdjustment as Entry,
  PurchaseOrder as Order,
  ReceivingLine,
  ReceivingRecord,
} from '../../database/generated/client/client.ts';
import type { TenantClient } from '../../database/tenant.ts';
import { conflict } from '../../errors.ts';
import { assertAllowed, createBySystem, decide, lockRow, lockRows, updateBySystem } from '../../resource/index.ts';
import { StockAdjustment } from '../inventory/adjustment.ts';
import { stockAfter } from '../inventory/stock.ts';
import { PurchaseOrder } from './purchase-order.ts';
import { findReceivedStatus, orderStatuses } from './received-status.ts';

/**
 * Adds the goods of a receiving record to the stock, and advances its order. Runs in the transaction that completes the
 * record.
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
  if (order) await advanceOrder(order, context);
}

/**
 * Adds goods to the stock of several items, each with a ledger entry.
 *
 * @param quantities the quantities to add, by item id
 * @param because other columns of the entries
 * @throws ServiceError CONFLICT
 */
async function receiveStock(
  context: Context,
  quantities: ReadonlyMap<string, number>,
  because: Partial<Pick<Entry, 'reason' | 'reference' | 'receivingRecordId'>>,
): Promise<void> {
  const ids = [...quantities.keys()];
  await lockRows('InventoryItem', ids, context);
  for (const { id: itemId, quantity: stock } of await context.db.inventoryItem.findMany({
    where: { id: { in: ids } },
  })) {
    const adjustment = { type: 'ADDITION', quantity: quantities.get(itemId) ?? 0 } as const;
    // The client knows the quantity as one of the lines.
    stockAfter(stock, adjustment, 'lineItems');
    await createBySystem(StockAdjustment, { ...adjustment, ...because }, { context, parentId: itemId });
  }
}

/**
 * Locks the order of a receiving record.
 * @throws ServiceError CONFLICT unless the order awaits goods, INSUFFICIENT_SCOPE for a draft that the caller may not
 * send
 */
async function lockOrder({ purchaseOrderId }: ReceivingRecord, context: Context): Promise<Order | null> {
  if (purchaseOrderId === null) return null;
  const order = await lockRow(PurchaseOrder, purchaseOrderId, context);
  if (order.status === 'DRAFT') {
    const changes = { status: 'SENT' };
    assertAllowed(
      await decide(context, { ...PurchaseOrder, action: 'update' }, { previous: order, data: changes, changes }),
    );
  }
  if (order.status !== 'CANCELLED' && order.status !== 'RECEIVED') return order;
  const word = orderStatuses[order.status];
  throw conflict(`Nothing can be received for an order that is ${word}.`, {
    purchaseOrderId: `names an order that is ${word}`,
  });
}

/**
 * Advances an order by the items received so far; an order without items by its first completed record. A draft is sent
 * first, also where a record has other goods than its order.
 */
async function advanceOrder(order: Order, context: Context): Promise<void> {
  const { db } = context;
  const { id } = order;
  const isSent = order.status !== 'DRAFT';
  if (!isSent) await updateBySystem(PurchaseOrder, order, { status: 'SENT' }, context);
  const sent = isSent ? order : await lockRow(PurchaseOrder, id, context);
  const lines = await db.purchaseOrderLine.findMany({ where: { purchaseOrderId: id } });
  const received = await findReceivedStatus(id, lines, db);
  const status = received === undefined ? 'RECEIVED' : (received ?? sent.status);
  await updateBySystem(PurchaseOrder, sent, { status }, context);
}

/** Whether a completed record has no goods although its order has items. */
export async function lacksGoods(
  purchaseOrderId: string | null,
  lines: readonly Partial<Pick<ReceivingLine, 'quantity'>>[],
  db: TenantClient,
): Promise<boolean> {
  if (purchaseOrderId === null || lines.some(({ quantity = 0 }) => quantity > 0)) return false;
  return (await db.purchaseOrderLine.count({ where: { purchaseOrderId, itemId: { not: null } } })) > 0;
}
