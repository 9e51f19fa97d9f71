import { approvers } from '../../auth/roles.ts';
import { approved, currentUser, defineResource, reservedStatuses } from '../../resource/index.ts';
import { Vendor } from '../vendor.ts';
import { separateApproval, throughOrder } from './approval.ts';

/** The fields that an approval approves. */
const fields = ['vendorId', 'purchaseOrderId', 'invoiceNumber', 'amount'] as const;

/** Invoices, also below their vendor. */
export const Invoice = defineResource('Invoice', {
  words: { title: 'invoiceNumber' },
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
  access: {
    write: [
      reservedStatuses(['APPROVED', 'PAID', 'VOID'], { except: approvers }),
      approved({ statuses: ['APPROVED', 'PAID'], fields }, { except: approvers }),
      separateApproval({
        status: 'APPROVED',
        undecided: ['PENDING'],
        fields,
        column: 'purchaseOrderId',
        ...throughOrder,
      }),
    ],
  },
  list: { search: ['invoiceNumber', 'notes'] },
  graphql: { relations: ['vendor', 'purchaseOrder', 'creator'] },
  rest: {
    path: '/procurement/invoices',
    mountedUnder: { resource: Vendor, column: 'vendorId', path: '/invoices', actions: ['list', 'create'] },
  },
});
