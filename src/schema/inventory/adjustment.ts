import type { FieldErrors } from '../../errors.ts';
import { currentUser, defineResource, updateBySystem } from '../../resource/index.ts';
import { InventoryItem } from './item.ts';
import { resolveEntry } from './stock.ts';

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
    // A stock can be corrected to 0.
    validate: ({ row: { type, quantity } }): FieldErrors =>
      quantity === 0 && type !== 'CORRECTION' ? { quantity: 'must be over 0, except in a correction' } : {},
    resolveInput: { create: ({ parent: { quantity }, data }) => resolveEntry(quantity, data) },
    afterOperation: {
      create: ({ context, row: { quantityAfter: quantity }, parent }) =>
        updateBySystem(InventoryItem, parent, { quantity }, context),
    },
  },
});
