import type { AdjustmentType, Prisma } from '../../database/generated/client/client.ts';
import type { SeedContext } from '../context.ts';

/** Something that changes a stock. */
export interface Change {
  at: Date;
  type: AdjustmentType;
  quantity: number;
  reason: string;
  userId: string;
  reference?: string;
  receivingRecordId?: string;
}

const aMoment = 60_000;

/**
 * Writes down, one after the other, what changed the stock of an item that was made empty.
 * @returns the entries, and how many there are now
 */
export function keepLedger(seed: SeedContext, itemId: string, changes: readonly Change[]) {
  const entries: Prisma.StockAdjustmentCreateManyInput[] = [];
  let [stock, last] = [0, 0];
  for (const { at, ...change } of [...changes].sort((one, other) => one.at.getTime() - other.at.getTime())) {
    const quantityBefore = stock;
    stock = { ADDITION: stock + change.quantity, REMOVAL: stock - change.quantity, CORRECTION: change.quantity }[
      change.type
    ];
    // Two on the same working hour would have no order.
    last = Math.max(at.getTime(), last + aMoment);
    entries.push({ ...seed.row(new Date(last)), ...change, itemId, quantityBefore, quantityAfter: stock });
  }
  return { entries, stock, updatedAt: new Date(last) };
}
