import { Prisma } from '../../database/generated/client/client.ts';
import type { TenantClient } from '../../database/tenant.ts';
import type { Occurrence } from '../../events/occurrences.ts';

/** The condition for items whose stock is, or is not, below the reorder point. */
export function whereLowStock(isLow: boolean, { inventoryItem }: TenantClient): Prisma.InventoryItemWhereInput {
  const { reorderPoint } = inventoryItem.fields;
  if (isLow) return { quantity: { lt: reorderPoint } };
  return { OR: [{ reorderPoint: null }, { quantity: { gte: reorderPoint } }] };
}

/** Stock has fallen below its reorder point. */
export const lowStock: Occurrence = {
  action: 'low_stock',
  table: 'inventory_items',
  holds: Prisma.sql`stored.quantity < stored.reorder_point`,
  since: Prisma.sql`'epoch'::timestamptz`,
};
