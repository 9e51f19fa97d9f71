import type { TenantClient } from '../../database/tenant.ts';
import { currentUser, defineResource } from '../../resource/index.ts';
import { separateApproval } from './approval.ts';
import { itemParameter, linkFromItem, orderLine } from './line-items.ts';
import { resolveTotal, validateTotal } from './total.ts';

/** The vendor's fields in a requisition. */
const vendor = { select: { id: true, companyName: true } } as const;

const approval = separateApproval({
  type: 'Requisition',
  status: 'APPROVED',
  column: 'requestedBy',
  findRequesters: (requestedBy) => [requestedBy],
});

/** Requisitions. */
export const Requisition = defineResource('Requisition', {
  scope: 'procurement',
  fields: {
    title: {},
    description: {},
    status: {
      transitions: {
        DRAFT: ['PENDING'],
        PENDING: ['APPROVED', 'REJECTED', 'DRAFT'],
        APPROVED: [],
        REJECTED: ['DRAFT'],
      },
    },
    requestedBy: { default: currentUser },
    vendorId: {},
    totalAmount: {},
    createdBy: { readOnly: true, default: currentUser },
  },
  nestedItems: { lineItems: orderLine },
  list: { search: ['title', 'description'] },
  graphql: {
    relations: ['requester', 'creator', 'vendor'],
    etagSelect: { vendor },
    virtualFields({ builder }) {
      const VendorSummary = builder.objectRef<{ id: string; companyName: string }>('VendorSummary').implement({
        description: 'The ID and name of a vendor. Reading it requires no scope for vendors.',
        fields: (t) => ({
          id: t.exposeID('id', { description: 'ID of the vendor.', extensions: { column: ['Vendor', 'id'] } }),
          companyName: t.exposeString('companyName', {
            description: "The vendor's name.",
            extensions: { column: ['Vendor', 'companyName'] },
          }),
        }),
      });
      return (t) => ({
        vendorSummary: t.field({
          type: VendorSummary,
          nullable: true,
          description: 'The ID and name of the vendor.',
          extensions: { rest: 'vendor' },
          select: { vendor },
          resolve: (row) => row.vendor,
        }),
      });
    },
  },
  rest: { path: '/procurement/requisitions', parameters: itemParameter },
  hooks: {
    validate: ({ context: { db }, data, previous, errors }) =>
      validateTotal(data, () => storedLines(db, previous), errors),
    resolveInput: {
      create: ({ data }) => resolveTotal(data),
      update: ({ context: { db }, data, previous }) => resolveTotal(data, () => storedLines(db, previous)),
    },
    authorizeChanges: approval.authorizeChanges,
  },
});

const storedLines = async (db: TenantClient, requisition: { readonly id: string } | null) =>
  requisition ? db.requisitionLine.findMany({ where: { requisitionId: requisition.id } }) : [];

export const requisitionsOfItem = linkFromItem(Requisition, 'requisitionLines');
