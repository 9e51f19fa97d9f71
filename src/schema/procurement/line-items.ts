import { lowerFirst } from '../../names.ts';
import {
  defineList,
  type ListParameters,
  listOf,
  noPolicies,
  type Resource,
  type SchemaExtension,
} from '../../resource/index.ts';
import { InventoryItem } from '../inventory/item.ts';

/** The columns of a line item of a requisition or of an order. */
export const orderLine = ['description', 'quantity', 'unitPrice', 'itemId'] as const;

/** The parameter of orders and requisitions for the inventory items of their line items. */
export const itemParameter: ListParameters = { itemId: 'lineItems.some.itemId' };

/**
 * Adds a list of requisitions, orders or receiving records to inventory items.
 * @param lines the item's relation to their line items
 */
export function linkFromItem(resource: Resource, lines: string): SchemaExtension {
  const { many, manyInNames } = resource.words;
  const { model, words, stored, roles } = listOf(InventoryItem, lines).target;
  const listing = {
    ...{ type: model, words, model, stored, roles },
    columns: ['id'],
    search: [],
    filters: {},
    normalized: {},
    policies: noPolicies,
  };
  return defineList(InventoryItem, lowerFirst(manyInNames), {
    relation: lines,
    target: resource,
    through: { listing, to: lowerFirst(resource.type) },
    description: `The ${many} with this item, once for each line of it, the latest line first.`,
  });
}
