import { defineResource } from '../../resource/index.ts';
import { Vendor } from '../vendor.ts';

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
  },
  list: { search: ['invoiceNumber', 'notes'] },
  graphql: { relations: ['vendor', 'purchaseOrder'] },
  rest: {
    path: '/procurement/invoices',
    mountedUnder: { resource: Vendor, column: 'vendorId', path: '/invoices', actions: ['list', 'create'] },
  },
});
