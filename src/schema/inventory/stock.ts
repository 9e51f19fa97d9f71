import { type Context, callerId } from '../../context.ts';
import type { InventoryItem, StockAdjustment } from '../../database/generated/client/client.ts';
import { conflict } from '../../errors.ts';
import { lockRows } from '../../resource/index.ts';

/** The type and quantity of an adjustment. */
type Adjustment = Pick<StockAdjustment, 'type' | 'quantity'>;

/** Maximum stock of an item. */
const maxStock = 2 ** 31 - 1;

/** The error of taking more than the stock. @param field the field named in it */
export const notInStock = (stock: number, field = 'quantity') =>
  conflict(`There are only ${stock} in stock.`, { [field]: `is more than the ${stock} in stock` });

/**
 * The stock after an adjustment.
 * @param field the field named in errors
 * @throws ServiceError CONFLICT when it would be negative, or above the maximum
 */
export function stockAfter(stock: number, { type, quantity }: Adjustment, field = 'quantity'): number {
  const after = { ADDITION: stock + quantity, REMOVAL: stock - quantity, CORRECTION: quantity }[type];
  if (after < 0) throw notInStock(stock, field);
  if (after > maxStock) {
    throw conflict(`The stock cannot exceed ${maxStock}.`, { [field]: `would make the stock more than ${maxStock}` });
  }
  return after;
}

/**
 * Resolves an adjustment to its ledger entry, which has the stock before and after.
 * @param stock the stock before, of the locked item
 * @param field the field named in errors
 * @throws ServiceError as `stockAfter`
 */
export const resolveEntry = <Given extends Adjustment>(stock: number, adjustment: Given, field?: string) => ({
  ...adjustment,
  quantityBefore: stock,
  quantityAfter: stockAfter(stock, adjustment, field),
});

/** Sets the stock of an item to that after its latest ledger entry. */
export async function setStock(
  { itemId, quantityAfter }: Pick<StockAdjustment, 'itemId' | 'quantityAfter'>,
  { db }: Context,
): Promise<void> {
  await db.inventoryItem.update({ where: { id: itemId }, data: { quantity: quantityAfter } });
}

/** The ledger entry of a stock that is set by hand: a correction, or none if the stock is unchanged. */
export function correctStock(item: InventoryItem, quantity: number | undefined, userId: string) {
  if (quantity === undefined || quantity === item.quantity) return {};
  const entry = resolveEntry(item.quantity, { type: 'CORRECTION', quantity });
  return { adjustments: { create: [{ ...entry, userId }] } };
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
    const adjustment = { type: 'ADDITION', quantity: quantities.get(item.id) ?? 0, itemId: item.id } as const;
    const entry = resolveEntry(item.quantity, adjustment, 'lineItems');
    await db.stockAdjustment.create({ data: { ...entry, ...because, userId: callerId(context) } });
    await setStock(entry, context);
  }
}
