import { currentUser, defineResource } from '../../resource/index.ts';
import { Vendor } from '../vendor.ts';
import { assertSeparateApproval, requestersOfOrder } from './approval.ts';

/** Invoices, also below their vendor. */
export const Invoice = defineResource('Invoice', {
  scope: 'procurement',
  fields: {
    vendorId: {},
    purchaseOrderId: {},
    invoiceNumber: { unique: 'is taken' },
    status: {
      transitions: {
        PENDING: ['APPROVED', 'VOID'],
        APPROVED: ['PAID', 'VOID'],
        PAID: [],
        VOID: [],
      },
    },
    amount: {},
    issuedDate: {},
    dueDate: { notBefore: 'issuedDate' },
    notes: {},
    createdBy: { readOnly: true, default: currentUser },
  },
  list: { search: ['invoiceNumber', 'notes'] },
  graphql: { relations: ['vendor', 'purchaseOrder', 'creator'] },
  rest: {
    path: '/procurement/invoices',
    mountedUnder: { resource: Vendor, column: 'vendorId', path: '/invoices', actions: ['list', 'create'] },
  },
  hooks: {
    resolveInput: {
      async create({ context, data }) {
        if (data.status === 'APPROVED') await assertSeparateApproval(context, () => [context.caller.userId]);
        return data;
      },
      async update({ context, data, previous }) {
        if (data.status === 'APPROVED' && previous.status !== 'APPROVED') {
          const { purchaseOrderId = previous.purchaseOrderId } = data;
          await assertSeparateApproval(context, async () => [
            previous.createdBy,
            ...(await requestersOfOrder(purchaseOrderId, context)),
          ]);
        }
        return data;
      },
    },
  },
});
