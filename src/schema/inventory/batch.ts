import {
  defineOperation,
  defineType,
  findRowsById,
  inspectRows,
  maxItems,
  type Row,
  requiredOfClient,
  selectionOf,
  writableColumns,
  writeRows,
} from '../../resource/index.ts';
import { InventoryItem } from './item.ts';

const columns = writableColumns(InventoryItem, 'create');
const required = requiredOfClient(InventoryItem);

const Input = defineType((kit) => {
  const ItemInput = kit.builder.inputType('BatchInventoryItemInput', {
    description: 'One of several new inventory items.',
    fields: (t) => ({ ...kit.inputFields(t, InventoryItem, columns, required), ...kit.newId(t, InventoryItem) }),
  });
  return kit.builder.inputType('CreateInventoryItemsInput', {
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
});

/** The rows of a body: the reader has checked that it is a list of objects. */
const writesOf = ({ items }: Row) => ((items ?? []) as Row[]).map((input) => ({ action: 'create', input }) as const);

/** Creates several items at once, or none. Errors are named by position: `items.3.sku`. */
export const batchCreateItems = defineOperation({
  of: InventoryItem,
  action: 'batch',
  rest: true,
  field: 'createInventoryItems',
  label: 'Create several',
  path: `${InventoryItem.path}/batch`,
  access: 'inventory:write',
  description: 'Create several inventory items: all of them or, if one is refused, none.',
  returns: (kit) => [kit.typesOf(InventoryItem).ref],
  args: (arg, kit) => ({ input: arg({ type: Input(kit), required: true, description: 'The new items.' }) }),
  inspect: async (body, context) => inspectRows(InventoryItem, writesOf(body), { name: 'items', context }),
  async run(args, context, info) {
    await context.countRows?.(writesOf(args.input).length);
    const rows = await writeRows(InventoryItem, writesOf(args.input), { name: 'items', context });
    const ids = rows.map(({ id }) => String(id));
    return findRowsById(InventoryItem, ids, context, selectionOf(context, info, { id: true }));
  },
});
