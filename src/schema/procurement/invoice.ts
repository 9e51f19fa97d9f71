import { resource } from '../../resource/define.ts';
import { Vendor } from '../vendor.ts';

const written = [
  'vendorId',
  'purchaseOrderId',
  'invoiceNumber',
  'status',
  'amount',
  'issuedDate',
  'dueDate',
  'notes',
] as const;

/** Invoices (spec §4, Procurement), also below their vendor. */
resource('Invoice', {
  path: '/procurement/invoices',
  scope: 'procurement',
  also: { resource: Vendor, column: 'vendorId', path: '/invoices', actions: ['list', 'create'] },
  fields: written,
  relations: ['vendor', 'purchaseOrder'],
  input: written,
  search: ['invoiceNumber', 'notes'],
  ordered: [['issuedDate', 'dueDate']],
  moves: {
    PENDING: ['APPROVED', 'VOID'],
    APPROVED: ['PAID', 'VOID'],
    PAID: [],
    VOID: [],
  },
  // A number is taken for its vendor; the vendor is not.
  taken: { vendorId: {} },
});
