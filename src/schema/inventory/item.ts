import { callerId } from '../../context.ts';
import { defineResource } from '../../resource/index.ts';
import { whereLowStock } from './low-stock.ts';
import { correctStock } from './stock.ts';

/** Inventory items. */
export const InventoryItem = defineResource('InventoryItem', {
  words: { title: 'name' },
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
      // Every change of the stock is in the ledger: one by hand as a correction, others before they are made.
      update: ({ context, previous, data, bySystem }) =>
        bySystem ? data : { ...data, also: correctStock(previous, data.quantity, callerId(context)) },
    },
  },
});
