import { callerId } from '../../context.ts';
import { defineResource } from '../../resource/index.ts';
import { correctStock } from './stock.ts';

/** Inventory items. */
export const InventoryItem = defineResource('InventoryItem', {
  scope: 'inventory',
  fields: {
    name: {},
    description: {},
    sku: {},
    category: {},
    quantity: {},
    unit: {},
    reorderPoint: {},
    locationId: {},
    unitCost: {},
    status: {},
  },
  list: {
    search: ['name', 'description', 'sku'],
    filters: {
      lowStock: {
        type: 'Boolean',
        list: true,
        description: 'Whether the stock is below the reorder point.',
        where(values: readonly boolean[], { db }) {
          const { reorderPoint } = db.inventoryItem.fields;
          const notLow = { OR: [{ reorderPoint: null }, { quantity: { gte: reorderPoint } }] };
          return { OR: values.map((low) => (low ? { quantity: { lt: reorderPoint } } : notLow)) };
        },
      },
    },
  },
  graphql: { relations: ['location'] },
  rest: { path: '/inventory' },
  hooks: {
    resolveInput: {
      // Every change of the stock is in the ledger; a change by hand is recorded as a correction.
      update: ({ context, previous, data }) => ({
        ...data,
        ...correctStock(previous, data.quantity, callerId(context)),
      }),
    },
  },
});
