import type { Prisma } from '../../database/generated/client/client.ts';
import type { TenantClient } from '../../database/tenant.ts';
import type { Reported } from '../../events/occurrences.ts';

/** The condition for items whose stock is, or is not, below the reorder point. */
export function whereLowStock(isLow: boolean, { inventoryItem }: TenantClient): Prisma.InventoryItemWhereInput {
  const { reorderPoint } = inventoryItem.fields;
  if (isLow) return { quantity: { lt: reorderPoint } };
  return { OR: [{ reorderPoint: null }, { quantity: { gte: reorderPoint } }] };
}

/** Stock has fallen below its reorder point: a trigger reports it with the write by which it does. */
export const lowStock: Reported = { action: 'low_stock', table: 'inventory_items' };
