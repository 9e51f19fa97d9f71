// The steps from low stock to goods on the shelf. Each takes what is known from the one before.

import { write } from '../../console/Place.tsx';
import { t } from '../../texts/places-stock.ts';

/** A line of a requisition or an order. */
export interface Line {
  readonly description: string | null;
  readonly quantity: number | null;
  readonly unitPrice: number | null;
  readonly itemId: string | null;
}

/** An item whose stock is below its reorder point. */
export interface Item {
  readonly id: string;
  readonly name: string;
  readonly sku: string | null;
  readonly quantity: number;
  readonly unit: string | null;
  readonly reorderPoint: number | null;
  readonly unitCost: number | null;
}

export interface Requisition {
  readonly id: string;
  readonly title: string;
  readonly status: 'PENDING' | 'APPROVED';
  readonly vendorId: string | null;
  readonly totalAmount: number | null;
  readonly lineItems: readonly Line[];
}

export interface Order {
  readonly id: string;
  readonly number: string;
  readonly status: 'DRAFT' | 'SENT' | 'PARTIALLY_RECEIVED';
  readonly etag: string;
  readonly totalAmount: number | null;
  readonly allowedStatuses: readonly string[];
  readonly vendor: { readonly companyName: string } | null;
  readonly lineItems: readonly Line[];
  readonly receivingRecords: {
    readonly nodes: readonly {
      readonly lineItems: readonly { readonly itemId: string; readonly quantity: number }[];
    }[];
  };
}

export interface Data {
  readonly items: { readonly totalCount: number; readonly nodes: readonly Item[] };
  readonly requisitions: { readonly nodes: readonly Requisition[] };
  readonly orders: { readonly nodes: readonly Order[] };
}

const lines = 'lineItems { description quantity unitPrice itemId }';

export const query = `query Stock {
  items: inventoryItems(
    first: 100, filter: { lowStock: { eq: true }, status: { eq: ACTIVE } }, orderBy: [{ field: NAME }]
  ) { totalCount nodes { id name sku quantity unit reorderPoint unitCost } }
  requisitions(
    first: 30, filter: { status: { in: [PENDING, APPROVED] }, purchaseOrders: { none: {} } }
  ) { nodes { id title status vendorId totalAmount ${lines} } }
  orders: purchaseOrders(first: 25, filter: { status: { in: [DRAFT, SENT, PARTIALLY_RECEIVED] } }) { nodes {
    id number status etag totalAmount allowedStatuses vendor { companyName } ${lines}
    receivingRecords(first: 5, filter: { status: { eq: COMPLETE } }) { nodes { lineItems { itemId quantity } } }
  } }
}`;

/** How many of an item to order: so many that its stock is no longer low. */
export const missing = ({ quantity, reorderPoint }: Item): number => Math.max(1, (reorderPoint ?? 0) - quantity);

/** The items that are asked for, or ordered and not here yet. */
export const underwayIds = ({ requisitions, orders }: Data): ReadonlySet<string> =>
  new Set(
    [...requisitions.nodes, ...orders.nodes].flatMap(({ lineItems }) =>
      lineItems.flatMap(({ itemId }) => itemId ?? []),
    ),
  );

/** Asks for items. @param quantities by the ids of the items */
export function request(items: readonly Item[], quantities: ReadonlyMap<string, number>): Promise<unknown> {
  const [first, ...others] = items;
  const name = first?.name ?? '';
  const title = others.length > 0 ? t('restockMore', { name, count: others.length }) : t('restock', { name });
  const lineItems = items.map((item) => ({
    description: item.name,
    quantity: quantities.get(item.id) ?? missing(item),
    unitPrice: item.unitCost,
    itemId: item.id,
  }));
  return write('mutation Request($input: CreateRequisitionInput!) { createRequisition(input: $input) { id } }', {
    input: { title, status: 'PENDING', lineItems },
  });
}

/** Makes an order of a requisition: its vendor and lines. */
export const order = ({ id, vendorId, lineItems }: Requisition, orderDate: string): Promise<unknown> =>
  write('mutation Order($input: CreatePurchaseOrderInput!) { createPurchaseOrder(input: $input) { id } }', {
    input: { requisitionId: id, vendorId, orderDate, lineItems },
  });

/** Sends an order. */
export const send = ({ id, etag }: Order): Promise<unknown> =>
  write(
    `mutation Send($id: ID!, $ifMatch: String) {
      updatePurchaseOrder(id: $id, ifMatch: $ifMatch, input: { status: SENT }) { id }
    }`,
    { id, ifMatch: etag },
  );

/** What of an order is still to come, a line each item. */
export function outstanding({ lineItems, receivingRecords }: Order): Map<string, { name: string; quantity: number }> {
  const open = new Map<string, { name: string; quantity: number }>();
  for (const { itemId, description, quantity } of lineItems) {
    if (itemId === null) continue;
    const before = open.get(itemId)?.quantity ?? 0;
    open.set(itemId, { name: description ?? t('item'), quantity: before + Math.ceil(quantity ?? 0) });
  }
  for (const { itemId, quantity } of receivingRecords.nodes.flatMap((record) => record.lineItems)) {
    const line = open.get(itemId);
    if (line) open.set(itemId, { ...line, quantity: Math.max(0, line.quantity - quantity) });
  }
  return open;
}

/** Receives goods of an order, which adds them to the stock. @param quantities by the ids of the items */
export const receive = ({ id }: Order, quantities: ReadonlyMap<string, number>): Promise<unknown> =>
  write('mutation Receive($input: CreateReceivingRecordInput!) { createReceivingRecord(input: $input) { id } }', {
    input: {
      purchaseOrderId: id,
      status: 'COMPLETE',
      lineItems: [...quantities].flatMap(([itemId, quantity]) => (quantity > 0 ? [{ itemId, quantity }] : [])),
    },
  });
