import type { InventoryItem, StockAdjustment } from '../../database/generated/client/client.ts';
import { conflict } from '../../errors.ts';

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

/** The rows beside an item whose stock is set by hand: a correction in the ledger, or none if it is unchanged. */
export function correctStock(item: InventoryItem, quantity: number | undefined, userId: string) {
  if (quantity === undefined || quantity === item.quantity) return {};
  const entry = resolveEntry(item.quantity, { type: 'CORRECTION', quantity });
  return { adjustments: [{ ...entry, userId }] };
}
