import { currentUser, defineResource } from '../../resource/index.ts';
import { Vendor } from '../vendor.ts';
import { requestersOfOrder, separateApproval } from './approval.ts';

const approval = separateApproval({
  type: 'Invoice',
  status: 'APPROVED',
  column: 'purchaseOrderId',
  findRequesters: requestersOfOrder,
});

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
        await approval.authorizeNew(context, data);
        return data;
      },
    },
    authorizeChanges: approval.authorizeChanges,
  },
});
