import type { Context } from '../../context.ts';
import type { InventoryItem as Item, InventoryTransfer as Transfer } from '../../database/generated/client/client.ts';
import { conflict, type FieldErrors, validationError } from '../../errors.ts';
import { defineResource, lockRows, rules, updateBySystem } from '../../resource/index.ts';
import { InventoryItem } from '../inventory/item.ts';
import { notInStock } from '../inventory/stock.ts';

/** The columns that cannot change once a transfer is completed. */
const goods = ['itemId', 'quantity', 'fromLocationId', 'toLocationId'] as const;

type Goods = Pick<Transfer, (typeof goods)[number]>;

/** Inventory transfers. Completing a transfer of the whole stock moves the item. */
export const InventoryTransfer = defineResource('InventoryTransfer', {
  scope: 'procurement',
  fields: {
    itemId: {},
    quantity: { rule: rules.atLeast(1) },
    fromLocationId: {},
    toLocationId: {},
    status: {
      transitions: {
        PENDING: ['IN_TRANSIT', 'COMPLETED', 'CANCELLED'],
        IN_TRANSIT: ['COMPLETED', 'CANCELLED'],
        COMPLETED: [],
        CANCELLED: [],
      },
    },
    reason: {},
  },
  list: { search: ['reason'] },
  graphql: { relations: ['item', 'fromLocation', 'toLocation'] },
  rest: { path: '/procurement/transfers' },
  hooks: {
    resolveInput: {
      async create({ context, data }) {
        const item = await lockItem(data.itemId, context);
        const transfer = { ...data, fromLocationId: data.fromLocationId ?? item?.locationId ?? null };
        if (data.status === 'COMPLETED') assertComplete(transfer);
        return transfer;
      },
      async update({ context, previous, data }) {
        const next = { ...previous, ...data };
        const changed = goods.filter((column) => next[column] !== previous[column]);
        if (previous.status === 'COMPLETED') {
          if (changed.length === 0) return data;
          const errors = Object.fromEntries(changed.map((column) => [column, 'cannot be changed']));
          throw conflict('A completed transfer cannot change.', errors);
        }
        // Another item may be at another place, and a cleared place returns to its default.
        const elsewhere =
          data.fromLocationId === null || (data.fromLocationId === undefined && changed.includes('itemId'));
        const item = await lockItem(next.itemId, context);
        if (elsewhere) next.fromLocationId = item?.locationId ?? null;
        if (next.status === 'COMPLETED') assertComplete(next);
        return { ...data, fromLocationId: next.fromLocationId };
      },
    },
    afterOperation: {
      create: ({ context, row }) => moveItem(row, null, context),
      update: ({ context, previous, row }) => moveItem(row, previous, context),
    },
  },
});

/** Locks and reads the item, so that its place and stock cannot change; null if there is none. */
async function lockItem(id: string | null | undefined, context: Context): Promise<Item | null> {
  if (id == null) return null;
  await lockRows('InventoryItem', [id], context);
  return context.db.inventoryItem.findFirst({ where: { id } });
}

/** @throws ServiceError VALIDATION_ERROR unless the transfer has an item, a quantity and a destination */
function assertComplete({ itemId, quantity, toLocationId }: Partial<Goods>): void {
  const errors: FieldErrors = {};
  if (itemId == null) errors['itemId'] = 'is required to complete a transfer';
  if (quantity == null) errors['quantity'] = 'is required to complete a transfer';
  else if (quantity === 0) errors['quantity'] = 'must be over 0 to complete a transfer';
  if (toLocationId == null) errors['toLocationId'] = 'is required to complete a transfer';
  if (Object.keys(errors).length > 0) throw validationError(errors);
}

/**
 * Checks that the item is at the transfer's origin, and moves it if the transfer is completed.
 * @throws ServiceError CONFLICT
 */
async function moveItem(row: Transfer, previous: Transfer | null, context: Context): Promise<void> {
  const completes = row.status === 'COMPLETED' && previous?.status !== 'COMPLETED';
  const redirected = previous?.itemId !== row.itemId || previous.fromLocationId !== row.fromLocationId;
  const item = completes || redirected ? await lockItem(row.itemId, context) : null;
  if (!item) return;
  assertPlace(row, item);
  if (!completes) return;
  const { quantity: stock } = item;
  if (row.quantity === null || row.quantity > stock) throw notInStock(stock);
  // An item has a single place: it moves only with the whole stock.
  if (row.quantity === stock) await updateBySystem(InventoryItem, item, { locationId: row.toLocationId }, context);
}

/** @throws ServiceError CONFLICT when the item is not at the transfer's origin */
function assertPlace({ fromLocationId }: Goods, { locationId }: Item): void {
  if (fromLocationId === null || locationId === null || fromLocationId === locationId) return;
  throw conflict('The item is not at the location that this transfer names as its origin.', {
    fromLocationId: "is not the item's location",
  });
}
