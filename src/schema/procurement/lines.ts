import { defineListing } from '../../resource/index.ts';
import { PurchaseOrder } from './purchase-order.ts';
import { ReceivingRecord } from './receiving-record.ts';
import { Requisition } from './requisition.ts';

/** What each line item costs. */
const measures = { value: { description: 'Quantity times unit price.', product: ['quantity', 'unitPrice'] } } as const;

const fields = { position: {}, description: {}, quantity: {}, unitPrice: {}, itemId: {} } as const;

/** The line items of all requisitions. */
export const RequisitionLineItem = defineListing('RequisitionLine', {
  parent: { resource: Requisition, column: 'requisitionId' },
  fields,
  list: { measures },
  graphql: { type: 'RequisitionLineItem', relations: ['item'] },
  rest: { path: '/line-items' },
});

/** The line items of all purchase orders. */
export const PurchaseOrderLineItem = defineListing('PurchaseOrderLine', {
  parent: { resource: PurchaseOrder, column: 'purchaseOrderId' },
  fields,
  list: { measures },
  graphql: { type: 'PurchaseOrderLineItem', relations: ['item'] },
  rest: { path: '/line-items' },
});

/** The line items of all receiving records. */
export const ReceivingRecordLineItem = defineListing('ReceivingLine', {
  parent: { resource: ReceivingRecord, column: 'receivingRecordId' },
  fields: { position: {}, itemId: {}, quantity: {} },
  graphql: { type: 'ReceivingRecordLineItem', relations: ['item'] },
  rest: { path: '/line-items' },
});
