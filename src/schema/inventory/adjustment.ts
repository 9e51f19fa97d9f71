import { currentUser, defineResource } from '../../resource/index.ts';
import { InventoryItem } from './item.ts';
import { resolveEntry, setStock } from './stock.ts';

/** The ledger of an item's stock: entries are added, never changed. */
export const StockAdjustment = defineResource('StockAdjustment', {
  parent: { resource: InventoryItem, column: 'itemId', relation: 'adjustments', lock: true },
  fields: {
    type: {},
    quantity: {},
    reason: {},
    reference: {},
    quantityBefore: { readOnly: true },
    quantityAfter: { readOnly: true },
    userId: { readOnly: true, default: currentUser },
    receivingRecordId: { readOnly: true },
  },
  list: {
    search: ['reason', 'reference'],
    measures: {
      change: { description: 'By how much the stock grew.', difference: ['quantityAfter', 'quantityBefore'] },
      value: { description: "Quantity times the item's unit cost.", product: ['quantity', 'item.unitCost'] },
    },
  },
  access: { actions: ['list', 'read', 'create'] },
  graphql: { relations: ['author', 'receivingRecord'] },
  rest: { path: '/adjustments' },
  hooks: {
    resolveInput: { create: ({ parent: { quantity }, data }) => resolveEntry(quantity, data) },
    afterOperation: { create: ({ context, row }) => setStock(row, context) },
  },
});
