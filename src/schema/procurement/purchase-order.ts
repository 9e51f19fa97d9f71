import { resource } from '../../resource/define.ts';
import { Vendor } from '../vendor.ts';
import { followFromItem, ofItem, orderLine } from './lines.ts';
import { holdNumbers, issueNumber } from './order-number.ts';
import { inspectTotal, withTotal } from './total.ts';

/** Stands for a number until one is issued; nobody can give it, as a number is not empty. */
const unnumbered = '';

const written = [
  'number',
  'requisitionId',
  'vendorId',
  'status',
  'totalAmount',
  'orderDate',
  'expectedDate',
  'notes',
] as const;

/** Purchase orders (spec §4, Procurement), also below their vendor. Receiving moves them on: see `receiving.ts`. */
export const PurchaseOrder = resource('PurchaseOrder', {
  path: '/procurement/orders',
  scope: 'procurement',
  also: { resource: Vendor, column: 'vendorId', path: '/purchase-orders', actions: ['list'] },
  fields: written,
  lines: { lineItems: orderLine },
  relations: ['requisition', 'vendor', 'receivingRecords', 'invoices'],
  input: written,
  search: ['number', 'notes'],
  filters: { itemId: ofItem },
  defaults: { number: () => unnumbered },
  ordered: [['orderDate', 'expectedDate']],
  moves: {
    DRAFT: ['SENT', 'CANCELLED'],
    SENT: ['PARTIALLY_RECEIVED', 'RECEIVED', 'CANCELLED'],
    PARTIALLY_RECEIVED: ['RECEIVED'],
    RECEIVED: [],
    CANCELLED: [],
  },
  read: ({ data, faults }) => inspectTotal(data, faults),
  async creating({ context, db, data }) {
    const order = await withTotal(data);
    if (order.number === unnumbered) return { ...order, number: await issueNumber(db, context) };
    await holdNumbers(db, context);
    return order;
  },
  async updating({ context, db, previous, data }) {
    if (data.number !== undefined) await holdNumbers(db, context);
    const { companyId } = context.caller;
    return withTotal(data, () => db.purchaseOrderLine.findMany({ where: { companyId, purchaseOrderId: previous.id } }));
  },
});

followFromItem(PurchaseOrder, 'purchaseOrderLines');
