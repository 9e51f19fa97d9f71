import { type Context, callerId } from '../../context.ts';
import type { InventoryItem, StockAdjustment } from '../../database/generated/client/client.ts';
import { conflict } from '../../errors.ts';
import { lockRows } from '../../resource/index.ts';

/** The type and quantity of an adjustment. */
type Adjustment = Pick<StockAdjustment, 'type' | 'quantity'>;

/** Maximum stock of an item. */
const maxStock = 2 ** 31 - 1;

/**
 * The stock after an adjustment.
 * @param field the field named in errors
 * @throws ServiceError CONFLICT when it would be negative, or above the maximum
 */
export function stockAfter(stock: number, { type, quantity }: Adjustment, field = 'quantity'): number {
  const after = { ADDITION: stock + quantity, REMOVAL: stock - quantity, CORRECTION: quantity }[type];
  if (after < 0) throw conflict(`There are only ${stock} in stock.`, { [field]: `is more than the ${stock} in stock` });
  if (after > maxStock) {
    throw conflict(`The stock cannot exceed ${maxStock}.`, { [field]: `would make the stock more than ${maxStock}` });
  }
  return after;
}

/** The ledger entry of a stock that is set by hand: a correction, or none if the stock is unchanged. */
export function correctStock(item: InventoryItem, quantity: number | undefined, userId: string) {
  if (quantity === undefined || quantity === item.quantity) return {};
  const entry = {
    type: 'CORRECTION',
    quantity,
    quantityBefore: item.quantity,
    quantityAfter: quantity,
    userId,
  } as const;
  return { adjustments: { create: [entry] } };
}

/**
 * Adds received goods to the stock of several items, each with a ledger entry. Runs in the transaction of `context`.
 * @param quantities the quantities to add, by item id
 * @param because other columns of the entries
 * @throws ServiceError CONFLICT
 */
export async function receiveStock(
  context: Context,
  quantities: ReadonlyMap<string, number>,
  because: Partial<Pick<StockAdjustment, 'reason' | 'reference' | 'receivingRecordId'>>,
): Promise<void> {
  const { db } = context;
  const ids = [...quantities.keys()];
  await lockRows('InventoryItem', ids, context);
  for (const item of await db.inventoryItem.findMany({ where: { id: { in: ids } } })) {
    const adjustment = { type: 'ADDITION', quantity: quantities.get(item.id) ?? 0 } as const;
    const quantityAfter = stockAfter(item.quantity, adjustment, 'lineItems');
    const entry = {
      ...adjustment,
      quantityBefore: item.quantity,
      quantityAfter,
      userId: callerId(context),
      itemId: item.id,
    };
    await db.stockAdjustment.create({ data: { ...entry, ...because } });
    await db.inventoryItem.update({ where: { id: item.id }, data: { quantity: quantityAfter } });
  }
}
