import { callerId } from '../../context.ts';
import { defineResource } from '../../resource/index.ts';
import { whereLowStock } from './low-stock.ts';
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
    measures: {
      stockValue: { description: 'Quantity times unit cost.', product: ['quantity', 'unitCost'] },
    },
    filters: {
      lowStock: {
        description: 'Whether the stock is below the reorder point.',
        where: (isLow, { db }) => whereLowStock(isLow, db),
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
