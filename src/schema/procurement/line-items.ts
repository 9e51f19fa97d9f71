import { lowerFirst, plural, words } from '../../names.ts';
import {
  extendSchema,
  type ListParameters,
  type ModelName,
  type Resource,
  relatedThrough,
  type SchemaExtension,
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
export const linkFromItem = (resource: Resource, lines: keyof typeof lineModels): SchemaExtension =>
  extendSchema((kit) => {
    const model = lineModels[lines];
    const listing = { type: model, model, columns: ['id'], search: [], filters: {}, normalized: {} };
    const link = { relation: lines, listing, to: lowerFirst(resource.type) };
    const many = plural(resource.type);
    kit.addRelatedList(InventoryItem, lowerFirst(many), {
      relation: lines,
      target: resource,
      through: { to: link.to, where: {} },
    });
    const description = `The ${words(many)} with this item, once for each line of it, the latest line first.`;
    kit.addField(InventoryItem, lowerFirst(many), (t) =>
      relatedThrough(kit, t, 'InventoryItem', link, resource, description),
    );
  });
