import { lowerFirst } from '../../names.ts';
import {
  defineList,
  type ListParameters,
  type ModelName,
  modelFacts,
  noPolicies,
  type Resource,
  type SchemaExtension,
  wordsOfModel,
} from '../../resource/index.ts';
import { InventoryItem } from '../inventory/item.ts';

/** The columns of a line item of a requisition or of an order. */
export const orderLine = ['description', 'quantity', 'unitPrice', 'itemId'] as const;

/** The parameter of orders and requisitions for the inventory items of their line items. */
export const itemParameter: ListParameters = { itemId: 'lineItems.some.itemId' };

/** An inventory item's lists of line items, each with the model of its rows. */
const lineModels = {
  requisitionLines: 'RequisitionLine',
  purchaseOrderLines: 'PurchaseOrderLine',
  receivingLines: 'ReceivingLine',
} as const satisfies Record<string, ModelName>;

/**
 * Adds a list of requisitions, orders or receiving records to inventory items.
 * @param lines the item's relation to their line items
 */
export function linkFromItem(resource: Resource, lines: keyof typeof lineModels): SchemaExtension {
  const { many, manyInNames } = resource.words;
  const model = lineModels[lines];
  const listing = {
    type: model,
    words: wordsOfModel(model),
    model,
    stored: modelFacts(model).stored,
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
