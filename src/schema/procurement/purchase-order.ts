import type { TenantClient } from '../../database/tenant.ts';
import { currentUser, defineResource } from '../../resource/index.ts';
import { Vendor } from '../vendor.ts';
import { requestersOfRequisition, separateApproval } from './approval.ts';
import { itemParameter, linkFromItem, orderLine } from './line-items.ts';
import { issueNumber, lockNumbers } from './order-number.ts';
import { updateReceivedStatus } from './received-status.ts';
import { resolveTotal, validateTotal } from './total.ts';

const approval = separateApproval({
  type: 'PurchaseOrder',
  status: 'SENT',
  column: 'requisitionId',
  findRequesters: requestersOfRequisition,
});

/** Purchase orders, also below their vendor. Their status follows what was received: see `received-status.ts`. */
export const PurchaseOrder = defineResource('PurchaseOrder', {
  scope: 'procurement',
  fields: {
    number: { default: ({ context }) => issueNumber(context) },
    requisitionId: {},
    vendorId: {},
    status: {
      transitions: {
        DRAFT: ['SENT', 'CANCELLED'],
        SENT: ['PARTIALLY_RECEIVED', 'RECEIVED', 'CANCELLED'],
        PARTIALLY_RECEIVED: ['RECEIVED'],
        RECEIVED: [],
        CANCELLED: [],
      },
    },
    totalAmount: {},
    orderDate: {},
    expectedDate: { notBefore: 'orderDate' },
    notes: {},
    createdBy: { readOnly: true, default: currentUser },
  },
  nestedItems: { lineItems: orderLine },
  list: {
    search: ['number', 'notes'],
    measures: {
      plannedDays: { description: 'Days from the order to its expected date.', days: ['orderDate', 'expectedDate'] },
    },
  },
  graphql: { relations: ['requisition', 'vendor', 'creator'] },
  rest: {
    parameters: itemParameter,
    path: '/procurement/orders',
    mountedUnder: { resource: Vendor, column: 'vendorId', path: '/purchase-orders', actions: ['list'] },
  },
  hooks: {
    validate: ({ context: { db }, data, previous, errors }) =>
      validateTotal(data, () => storedLines(db, previous), errors),
    resolveInput: {
      async create({ context, data }) {
        await lockNumbers(context);
        await approval.authorizeNew(context, data);
        return resolveTotal(data);
      },
      async update({ context, data, previous }) {
        const { db } = context;
        if (data.number !== undefined) await lockNumbers(context);
        const lines = async () => data.lineItems ?? storedLines(db, previous);
        return resolveTotal(await updateReceivedStatus(previous, data, lines, db), lines);
      },
    },
    authorizeChanges: approval.authorizeChanges,
  },
});

const storedLines = async (db: TenantClient, order: { readonly id: string } | null) =>
  order ? db.purchaseOrderLine.findMany({ where: { purchaseOrderId: order.id } }) : [];

export const purchaseOrdersOfItem = linkFromItem(PurchaseOrder, 'purchaseOrderLines');
