import { type Context, callerId } from '../../context.ts';
import type { InventoryItem, StockAdjustment } from '../../database/generated/client/client.ts';
import { conflict } from '../../errors.ts';
import { lockRows, type Transaction } from '../../resource/writes.ts';

/** What an adjustment says: how much, and in which way. */
type Adjustment = Pick<StockAdjustment, 'type' | 'quantity'>;

/** The largest stock there can be. */
const most = 2 ** 31 - 1;

/**
 * The stock after an adjustment (spec §2, Inventory).
 * @param field what a refusal names
 * @throws ServiceError CONFLICT when it would go below zero, or over what is counted
 */
export function stockAfter(stock: number, { type, quantity }: Adjustment, field = 'quantity'): number {
  const after = { ADDITION: stock + quantity, REMOVAL: stock - quantity, CORRECTION: quantity }[type];
  if (after < 0) throw conflict(`There are only ${stock} in stock.`, { [field]: `is more than the ${stock} in stock` });
  if (after > most)
    throw conflict(`A stock is at most ${most}.`, { [field]: `would make the stock more than ${most}` });
  return after;
}

/** What explains a stock that is set by hand: a correction, unless it is what it was. */
export function correction(item: InventoryItem, quantity: number | undefined, userId: string) {
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
 * Adds lines of goods to the stock of several items, each with an adjustment that explains it.
 * @param quantities what to add, by the item's id
 * @param because what else the adjustments say
 */
export async function receiveStock(
  tx: Transaction,
  context: Context,
  quantities: ReadonlyMap<string, number>,
  because: Partial<Pick<StockAdjustment, 'reason' | 'reference' | 'receivingRecordId'>>,
): Promise<void> {
  const { companyId } = context.caller;
  await lockRows(tx, 'InventoryItem', [...quantities.keys()], context);
  for (const item of await tx.inventoryItem.findMany({ where: { companyId, id: { in: [...quantities.keys()] } } })) {
    const adjustment = { type: 'ADDITION', quantity: quantities.get(item.id) ?? 0 } as const;
    const quantityAfter = stockAfter(item.quantity, adjustment, 'lineItems');
    const entry = {
      ...adjustment,
      quantityBefore: item.quantity,
      quantityAfter,
      userId: callerId(context),
      companyId,
      itemId: item.id,
      ...because,
    };
    await tx.stockAdjustment.create({ data: entry, select: { id: true } });
    await tx.inventoryItem.update({
      where: { companyId_id: { companyId, id: item.id } },
      data: { quantity: quantityAfter },
      select: { id: true },
    });
  }
}
