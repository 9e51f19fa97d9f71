import { badRequest } from '../../errors.ts';
import { lowerFirst, plural, words } from '../../names.ts';
import { addField, type Resource } from '../../resource/define.ts';
import type { Filter } from '../../resource/lists.ts';
import { relatedThrough } from '../../resource/relations.ts';
import { isUuid } from '../../resource/validate.ts';
import { InventoryItem } from '../inventory/item.ts';

/** What a line of a requisition or of an order says. */
export const orderLine = ['description', 'quantity', 'unitPrice', 'itemId'] as const;

/** Finds what has lines of certain inventory items. */
export const ofItem: Filter = {
  type: 'ID',
  list: true,
  description: 'It has a line of any of these inventory items.',
  where(ids: readonly string[]) {
    for (const id of ids) if (!isUuid(id)) throw badRequest('must be a uuid', 'itemId');
    return { lineItems: { some: { itemId: { in: ids } } } };
  },
};

/** Lets GraphQL go from an inventory item to what has lines of it. */
export function followFromItem(
  resource: Resource,
  lines: 'requisitionLines' | 'purchaseOrderLines' | 'receivingLines',
): void {
  const { type } = resource.listing;
  const model = (
    {
      requisitionLines: 'RequisitionLine',
      purchaseOrderLines: 'PurchaseOrderLine',
      receivingLines: 'ReceivingLine',
    } as const
  )[lines];
  const tie = { listing: { type: model, model, columns: ['id'], search: [], filters: {} } };
  const many = plural(type);
  addField(InventoryItem, lowerFirst(many), (t) =>
    relatedThrough(
      t,
      'InventoryItem',
      lines,
      tie,
      lowerFirst(type),
      resource,
      {},
      `The ${words(many)} with this item, once for each line of it, the latest line first.`,
    ),
  );
}
