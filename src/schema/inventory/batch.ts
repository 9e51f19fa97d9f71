import { queryFromInfo } from '@pothos/plugin-prisma';
import {
  createRows,
  extendSchema,
  findRowsById,
  inspectRows,
  maxItems,
  type Row,
  requiredOfClient,
  writableColumns,
} from '../../resource/index.ts';
import { InventoryItem } from './item.ts';

/** Creates several items at once, or none. Errors are named by position: `items.3.sku`. */
export const batchCreateItems = extendSchema((kit) => {
  const { builder } = kit;
  const columns = writableColumns(InventoryItem, 'create');
  const required = requiredOfClient(InventoryItem);
  const ItemInput = builder.inputType('BatchInventoryItemInput', {
    description: 'One of several new inventory items.',
    fields: (t) => kit.inputFields(t, 'InventoryItem', columns, required),
  });
  const Input = builder.inputType('CreateInventoryItemsInput', {
    description: 'New inventory items.',
    fields: (t) => ({
      items: t.field({
        type: [ItemInput],
        required: true,
        description: `The items, 1 to ${maxItems}.`,
        extensions: { minItems: 1, maxItems },
      }),
    }),
  });
  // The reader has checked that it is a list of objects.
  const rowsOf = ({ items }: Row) => (items ?? []) as Row[];
  kit.addOperation({
    action: 'batch',
    rest: true,
    field: 'createInventoryItems',
    path: `${InventoryItem.path}/batch`,
    access: 'inventory:write',
    type: InventoryItem.type,
    description: 'Create several inventory items: all of them or, if one is refused, none.',
    returns: [kit.typesOf(InventoryItem).ref],
    args: (arg) => ({ input: arg({ type: Input, required: true, description: 'The new items.' }) }),
    inspect: async (body, context) => inspectRows(InventoryItem, { name: 'items', inputs: rowsOf(body), context }),
    async resolve(args, context, info) {
      const batch = { name: 'items', inputs: rowsOf(args.input), context };
      const ids = await createRows(InventoryItem, undefined, batch);
      return findRowsById(InventoryItem, ids, context, queryFromInfo({ context, info, select: { id: true } }));
    },
  });
});
