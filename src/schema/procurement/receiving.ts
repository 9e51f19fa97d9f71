import { type Context, callerId } from '../../context.ts';
import { Prisma, type PurchaseOrder, type ReceivingRecord as Record } from '../../database/generated/client/client.ts';
import { conflict } from '../../errors.ts';
import { resource } from '../../resource/define.ts';
import { enumFacts } from '../../resource/model.ts';
import { lockRows, type Transaction } from '../../resource/writes.ts';
import { receiveStock } from '../inventory/stock.ts';
import { followFromItem, ofItem } from './lines.ts';

const written = ['purchaseOrderId', 'receivedBy', 'receivedAt', 'status', 'notes'] as const;

/** Receiving records (spec §4, Procurement). Completing one adds its goods to the stock, and moves its order on. */
export const ReceivingRecord = resource('ReceivingRecord', {
  path: '/procurement/receiving',
  scope: 'procurement',
  fields: written,
  lines: { lineItems: ['itemId', 'quantity'] },
  relations: ['purchaseOrder', 'receiver', 'adjustments'],
  input: written,
  search: ['notes'],
  filters: { itemId: ofItem },
  defaults: { receivedBy: callerId },
  moves: { PENDING: ['COMPLETE'], COMPLETE: [] },
  updating({ previous, data }) {
    const { lineItems, purchaseOrderId = previous.purchaseOrderId } = data;
    if (previous.status !== 'COMPLETE') return data;
    // The stock and the order were told of these.
    if (lineItems)
      throw conflict('The lines of a complete receiving record cannot change.', {
        lineItems: 'are in the stock already',
      });
    if (purchaseOrderId !== previous.purchaseOrderId) {
      throw conflict('A complete receiving record stays with its order.', {
        purchaseOrderId: 'cannot change any more',
      });
    }
    return data;
  },
  async after({ tx, context, previous, row }) {
    if (row.status === 'COMPLETE' && previous?.status !== 'COMPLETE') await complete(row, tx, context);
  },
});

followFromItem(ReceivingRecord, 'receivingLines');

/** Adds what came to the stock, and moves the order on. @throws ServiceError CONFLICT */
async function complete(record: Record, tx: Transaction, context: Context): Promise<void> {
  const order = await holdOrder(record, tx, context);
  const quantities = new Map<string, number>();
  const lines = await tx.receivingLine.findMany({
    where: { companyId: record.companyId, receivingRecordId: record.id },
  });
  for (const { itemId, quantity } of lines)
    if (quantity > 0) quantities.set(itemId, (quantities.get(itemId) ?? 0) + quantity);
  await receiveStock(tx, context, quantities, {
    reason: 'Received',
    reference: order?.number,
    receivingRecordId: record.id,
  });
  if (order) await moveOn(order, tx);
}

/** Holds the order that goods came for. @throws ServiceError CONFLICT unless it waits for some */
async function holdOrder({ companyId, purchaseOrderId: id }: Record, tx: Transaction, context: Context) {
  if (id === null) return null;
  await lockRows(tx, 'PurchaseOrder', [id], context);
  const order = await tx.purchaseOrder.findUniqueOrThrow({ where: { companyId_id: { companyId, id } } });
  if (order.status !== 'CANCELLED' && order.status !== 'RECEIVED') return order;
  const word = enumFacts('PurchaseOrderStatus').words[order.status];
  throw conflict(`Nothing can be received for an order that is ${word}.`, {
    purchaseOrderId: `names an order that is ${word}`,
  });
}

/** An order is received when all complete records together have what it orders of each item. Lines without an item or a quantity wait for nothing. */
async function moveOn({ companyId, id }: PurchaseOrder, tx: Transaction): Promise<void> {
  const ordered = await tx.purchaseOrderLine.groupBy({
    by: 'itemId',
    where: { companyId, purchaseOrderId: id, itemId: { not: null } },
    _sum: { quantity: true },
  });
  const came = await tx.receivingLine.groupBy({
    by: 'itemId',
    where: { companyId, receivingRecord: { purchaseOrderId: id, status: 'COMPLETE' } },
    _sum: { quantity: true },
  });
  const cameOf = new Map(came.map(({ itemId, _sum }) => [itemId, _sum.quantity ?? 0]));
  const all = ordered.every(({ itemId, _sum }) =>
    new Prisma.Decimal(_sum.quantity ?? 0).lte(cameOf.get(itemId ?? '') ?? 0),
  );
  await tx.purchaseOrder.update({
    where: { companyId_id: { companyId, id } },
    data: { status: all ? 'RECEIVED' : 'PARTIALLY_RECEIVED' },
    select: { id: true },
  });
}
