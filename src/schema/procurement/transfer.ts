import type { Context } from '../../context.ts';
import type { InventoryItem, InventoryTransfer } from '../../database/generated/client/client.ts';
import { conflict, type FieldErrors, validationError } from '../../errors.ts';
import { resource } from '../../resource/define.ts';
import { lockRows, type Transaction } from '../../resource/writes.ts';

const written = ['itemId', 'quantity', 'fromLocationId', 'toLocationId', 'status', 'reason'] as const;

/** What a transfer says of the goods; once they have arrived it stands. */
const goods = ['itemId', 'quantity', 'fromLocationId', 'toLocationId'] as const;

type Goods = Pick<InventoryTransfer, (typeof goods)[number]>;

/** Inventory transfers (spec §4, Procurement). Completing one that takes the whole stock moves the item. */
resource('InventoryTransfer', {
  path: '/procurement/transfers',
  scope: 'procurement',
  fields: written,
  relations: ['item', 'fromLocation', 'toLocation'],
  input: written,
  search: ['reason'],
  moves: {
    PENDING: ['IN_TRANSIT', 'COMPLETED', 'CANCELLED'],
    IN_TRANSIT: ['COMPLETED', 'CANCELLED'],
    COMPLETED: [],
    CANCELLED: [],
  },
  async creating({ context, db, data }) {
    const item = await holdItem(data.itemId, db, context);
    const transfer = { ...data, fromLocationId: data.fromLocationId ?? item?.locationId ?? null };
    if (data.status === 'COMPLETED') checkWhole(transfer);
    return transfer;
  },
  async updating({ context, db, previous, data }) {
    const next = { ...previous, ...data };
    const changed = goods.filter((column) => next[column] !== previous[column]);
    if (previous.status === 'COMPLETED' && changed.length > 0) {
      throw conflict(
        'What has arrived cannot change.',
        Object.fromEntries(changed.map((column) => [column, 'cannot change any more'])),
      );
    }
    if (previous.status === 'COMPLETED') return data;
    // Another item is elsewhere, and what is cleared returns to its default.
    const elsewhere = data.fromLocationId === null || (data.fromLocationId === undefined && changed.includes('itemId'));
    const item = await holdItem(next.itemId, db, context);
    if (elsewhere) next.fromLocationId = item?.locationId ?? null;
    if (next.status === 'COMPLETED') checkWhole(next);
    return { ...data, fromLocationId: next.fromLocationId };
  },
  async after({ tx, context, previous, row }) {
    const completes = row.status === 'COMPLETED' && previous?.status !== 'COMPLETED';
    const moved = previous?.itemId !== row.itemId || previous.fromLocationId !== row.fromLocationId;
    const item = completes || moved ? await holdItem(row.itemId, tx, context) : null;
    if (!item) return;
    checkPlace(row, item);
    if (completes) await arrive(row, item, tx);
  },
});

/** Reads the item and holds it, so that its place and stock stay what they are. */
async function holdItem(
  id: string | null | undefined,
  tx: Transaction,
  context: Context,
): Promise<InventoryItem | null> {
  if (id == null) return null;
  await lockRows(tx, 'InventoryItem', [id], context);
  return tx.inventoryItem.findUnique({ where: { companyId_id: { companyId: context.caller.companyId, id } } });
}

/** @throws ServiceError VALIDATION_ERROR unless it says what arrived, how much, and where */
function checkWhole({ itemId, quantity, toLocationId }: Partial<Goods>): void {
  const faults: FieldErrors = {};
  if (itemId == null) faults['itemId'] = 'is required to complete a transfer';
  if (quantity == null) faults['quantity'] = 'is required to complete a transfer';
  else if (quantity === 0) faults['quantity'] = 'must be over 0 to complete a transfer';
  if (toLocationId == null) faults['toLocationId'] = 'is required to complete a transfer';
  if (Object.keys(faults).length > 0) throw validationError(faults);
}

/** @throws ServiceError CONFLICT when the item is not where the transfer takes it from */
function checkPlace({ fromLocationId }: Goods, { locationId }: InventoryItem): void {
  if (fromLocationId === null || locationId === null || fromLocationId === locationId) return;
  throw conflict('The item is not where this transfer takes it from.', { fromLocationId: 'is not where the item is' });
}

/** An item has one place: it goes along when all of it does. @throws ServiceError CONFLICT when there is not as much of it */
async function arrive(
  { quantity, toLocationId }: Goods,
  { companyId, id, quantity: stock }: InventoryItem,
  tx: Transaction,
): Promise<void> {
  if (quantity === null || quantity > stock)
    throw conflict(`There are only ${stock} in stock.`, { quantity: `is more than the ${stock} in stock` });
  if (quantity === stock)
    await tx.inventoryItem.update({
      where: { companyId_id: { companyId, id } },
      data: { locationId: toLocationId },
      select: { id: true },
    });
}
