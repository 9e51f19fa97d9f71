import { callerId } from '../../context.ts';
import { resource } from '../../resource/define.ts';
import { batchCreate, itemInput } from './batch.ts';
import { correction } from './stock.ts';

/** Inventory items (spec §4, Inventory). */
export const InventoryItem = resource('InventoryItem', {
  path: '/inventory',
  scope: 'inventory',
  fields: itemInput,
  relations: ['location', 'transfers'],
  input: itemInput,
  search: ['name', 'description', 'sku'],
  filters: {
    lowStock: {
      type: 'Boolean',
      description: 'Whether there are fewer than its reorder point.',
      where(low: boolean, { db }) {
        const { reorderPoint } = db.inventoryItem.fields;
        return low
          ? { quantity: { lt: reorderPoint } }
          : { OR: [{ reorderPoint: null }, { quantity: { gte: reorderPoint } }] };
      },
    },
  },
  // The ledger explains the stock, so a change of it by hand is a correction.
  updating: ({ context, previous, data }) => ({ ...data, ...correction(previous, data.quantity, callerId(context)) }),
});

batchCreate(InventoryItem);
