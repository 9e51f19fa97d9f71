import { callerId } from '../../context.ts';
import { resource } from '../../resource/define.ts';
import { InventoryItem } from './item.ts';
import { stockAfter } from './stock.ts';

/** The ledger of an item's stock (spec §4, Inventory): entries are added, never changed. */
resource('StockAdjustment', {
  path: '/adjustments',
  parent: { resource: InventoryItem, column: 'itemId', relation: 'adjustments', hold: true },
  actions: ['list', 'read', 'create'],
  rest: ['list', 'create'],
  fields: [
    'itemId',
    'type',
    'quantity',
    'reason',
    'reference',
    'quantityBefore',
    'quantityAfter',
    'userId',
    'receivingRecordId',
  ],
  relations: ['item', 'author', 'receivingRecord'],
  input: ['type', 'quantity', 'reason', 'reference'],
  search: ['reason', 'reference'],
  defaults: { userId: callerId },
  creating({ parent, data }) {
    const { quantity: quantityBefore } = parent;
    return { ...data, quantityBefore, quantityAfter: stockAfter(quantityBefore, data) };
  },
  after: ({
    tx,
    context: {
      caller: { companyId },
    },
    row,
  }) =>
    tx.inventoryItem.update({
      where: { companyId_id: { companyId, id: row.itemId } },
      data: { quantity: row.quantityAfter },
      select: { id: true },
    }),
});
