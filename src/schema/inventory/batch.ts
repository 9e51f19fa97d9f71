import { queryFromInfo } from '@pothos/plugin-prisma';
import type { Context } from '../../context.ts';
import { conflict, type FieldErrors, validationError } from '../../errors.ts';
import { builder } from '../../resource/builder.ts';
import type { Resource } from '../../resource/define.ts';
import { inspectRows, mostLines, requiredOf } from '../../resource/lines.ts';
import type { Row } from '../../resource/lists.ts';
import { rootField } from '../../resource/operations.ts';
import { inputField } from '../../resource/types.ts';
import { isPrisma } from '../../resource/writes.ts';

/** The columns of an item that clients write. */
export const itemInput = [
  'name',
  'description',
  'sku',
  'category',
  'quantity',
  'unit',
  'reorderPoint',
  'locationId',
  'unitCost',
  'status',
] as const;
const required = requiredOf('InventoryItem', itemInput);

/** Makes many items at once, or none (spec §4, Inventory). FieldErrors are named by place: `items.3.sku`. */
export function batchCreate(Item: Resource<'InventoryItem'>): void {
  const ItemInput = builder.inputType('BatchInventoryItemInput', {
    description: 'One of several new inventory items.',
    fields: (t) =>
      Object.fromEntries(
        itemInput.map((column) => [column, inputField(t, 'InventoryItem', column, required.includes(column))]),
      ),
  });
  const Input = builder.inputType('CreateInventoryItemsInput', {
    description: 'New inventory items.',
    fields: (t) => ({
      items: t.field({
        type: [ItemInput],
        required: true,
        description: `The items, 1 to ${mostLines}.`,
        extensions: { least: 1 },
      }),
    }),
  });
  rootField({
    action: 'batch',
    rest: true,
    field: 'createInventoryItems',
    path: `${Item.path}/batch`,
    access: 'inventory:write',
    type: Item.listing.type,
    description: 'Makes several inventory items: all of them or, when one is refused, none.',
    returns: [Item.ref],
    args: (arg) => ({ input: arg({ type: Input, required: true, description: 'The new items.' }) }),
    inspect: async (body) => inspect(body).faults,
    async resolve(args, context, info) {
      const { items, faults } = inspect(args['input'] as Row);
      if (Object.keys(faults).length > 0) throw validationError(faults);
      const ids = await insert(items, context);
      const where = { companyId: context.caller.companyId, id: { in: ids } };
      const rows = await context.db.inventoryItem.findMany({
        ...queryFromInfo({ context, info, select: { id: true } }),
        where,
      });
      return rows.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
    },
  });
}

type Item = { name: string; sku?: string | null; locationId?: string | null };

function inspect(body: Row): { items: Item[]; faults: FieldErrors } {
  const faults: FieldErrors = {};
  const given = (body['items'] ?? []) as Row[];
  if (given.length === 0) faults['items'] = 'must not be empty';
  return { items: inspectRows('InventoryItem', itemInput, {}, 'items', given, faults) as Item[], faults };
}

/** Inserts all items. @returns their ids, in order. @throws ServiceError CONFLICT or VALIDATION_ERROR */
async function insert(items: Item[], { caller: { companyId }, db }: Context): Promise<string[]> {
  // In the order of their SKUs: of two batches that share some, one waits for the other, and never both.
  const sorted = items
    .map((item, place) => ({ item, place }))
    .sort((one, other) => compare(one.item.sku ?? '', other.item.sku ?? ''));
  try {
    const rows = await db.inventoryItem.createManyAndReturn({
      data: sorted.map(({ item }) => ({ ...item, companyId })),
      select: { id: true },
    });
    const ids: string[] = [];
    for (const [n, { id }] of rows.entries()) ids[sorted[n]?.place ?? n] = id;
    return ids;
  } catch (error) {
    if (isPrisma(error, 'P2002'))
      throw conflict('Some of these items are there already.', await takenSkus(items, companyId, db));
    if (isPrisma(error, 'P2003')) throw validationError(await danglingLocations(items, companyId, db));
    throw error;
  }
}

const compare = (one: string, other: string) => Number(one > other) - Number(one < other);

async function takenSkus(items: Item[], companyId: string, db: Context['db']): Promise<FieldErrors> {
  const skus = items.flatMap(({ sku }) => sku ?? []);
  const stored = await db.inventoryItem.findMany({ where: { companyId, sku: { in: skus } }, select: { sku: true } });
  const taken = new Set(stored.map(({ sku }) => sku));
  return Object.fromEntries(
    items.flatMap(({ sku }, n) => {
      if (sku == null) return [];
      const earlier = items.findIndex((item) => item.sku === sku);
      if (taken.has(sku)) return [[`items.${n}.sku`, 'is taken']];
      return earlier < n ? [[`items.${n}.sku`, `is that of items.${earlier} too`]] : [];
    }),
  );
}

async function danglingLocations(items: Item[], companyId: string, db: Context['db']): Promise<FieldErrors> {
  const ids = items.flatMap(({ locationId }) => locationId ?? []);
  const found = await db.building.findMany({ where: { companyId, id: { in: ids } }, select: { id: true } });
  const known = new Set(found.map(({ id }) => id));
  return Object.fromEntries(
    items.flatMap(({ locationId }, n) =>
      locationId != null && !known.has(locationId)
        ? [[`items.${n}.locationId`, 'names no building of your company']]
        : [],
    ),
  );
}
