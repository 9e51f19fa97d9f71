import { permits } from '../../auth/access.ts';
import { approvers } from '../../auth/roles.ts';
import type { TenantClient } from '../../database/tenant.ts';
import { approved, currentUser, defineResource, reservedStatuses } from '../../resource/index.ts';
import { Vendor } from '../vendor.ts';
import { isOrderReliedOn, separateApproval, throughRequisition } from './approval.ts';
import { itemParameter, linkFromItem, orderLine } from './line-items.ts';
import { issueNumber, lockNumbers } from './order-number.ts';
import { updateReceivedStatus } from './received-status.ts';
import { resolveTotal, validateCosting } from './total.ts';

/** The fields that are approved by sending an order. */
const fields = ['requisitionId', 'vendorId', 'totalAmount', 'lineItems'] as const;

/** Purchase orders, also below their vendor. Their status follows what was received: see `received-status.ts`. */
export const PurchaseOrder = defineResource('PurchaseOrder', {
  words: { title: 'number' },
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
  access: {
    write: [
      reservedStatuses(['SENT', 'PARTIALLY_RECEIVED', 'RECEIVED', 'CANCELLED'], { except: approvers }),
      approved({ statuses: ['SENT', 'PARTIALLY_RECEIVED', 'RECEIVED'], fields }, { except: approvers }),
      separateApproval({
        status: 'SENT',
        undecided: ['DRAFT'],
        fields,
        column: 'requisitionId',
        ...throughRequisition,
        isReliedOn: isOrderReliedOn,
      }),
    ],
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
    validate: ({ context: { db, caller }, data, previous, errors }) =>
      validateCosting(data, () => storedLines(db, previous), errors, permits(caller, 'procurement:read')),
    resolveInput: {
      async create({ context, data }) {
        await lockNumbers(context);
        return resolveTotal(data);
      },
      async update({ context, data, previous }) {
        const { db } = context;
        if (data.number !== undefined) await lockNumbers(context);
        const lines = async () => data.lineItems ?? storedLines(db, previous);
        return resolveTotal(await updateReceivedStatus(previous, data, lines, db), lines);
      },
    },
  },
});

const storedLines = async (db: TenantClient, order: { readonly id: string } | null) =>
  order ? db.purchaseOrderLine.findMany({ where: { purchaseOrderId: order.id } }) : [];

export const purchaseOrdersOfItem = linkFromItem(PurchaseOrder, 'purchaseOrderLines');
