import { permits } from '../../auth/access.ts';
import { approvers } from '../../auth/roles.ts';
import type { TenantClient } from '../../database/tenant.ts';
import { approved, column, currentUser, defineResource, own, reservedStatuses } from '../../resource/index.ts';
import { isRequisitionReliedOn, separateApproval } from './approval.ts';
import { itemParameter, linkFromItem, orderLine } from './line-items.ts';
import { resolveTotal, validateCosting } from './total.ts';

/** The vendor's fields in a requisition. */
const vendor = { select: { id: true, companyName: true } } as const;

/** The fields that an approval approves. */
const fields = ['requestedBy', 'vendorId', 'totalAmount', 'lineItems'] as const;

/** Requisitions. */
export const Requisition = defineResource('Requisition', {
  words: { title: 'title' },
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
  access: {
    write: [
      own('requestedBy', { except: approvers }),
      reservedStatuses(['APPROVED', 'REJECTED'], { except: approvers }),
      approved({ statuses: ['APPROVED'], fields }, { except: approvers }),
      separateApproval({
        status: 'APPROVED',
        undecided: ['DRAFT', 'PENDING', 'REJECTED'],
        fields,
        column: 'requestedBy',
        findRequesters: (requestedBy) => [requestedBy],
        isReliedOn: isRequisitionReliedOn,
      }),
    ],
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
          id: t.exposeID('id', { description: 'ID of the vendor.', extensions: { stored: column('Vendor', 'id') } }),
          companyName: t.exposeString('companyName', {
            description: "The vendor's name.",
            extensions: { stored: column('Vendor', 'companyName') },
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
    validate: ({ context: { db, caller }, data, previous, errors }) =>
      validateCosting(data, () => storedLines(db, previous), errors, permits(caller, 'procurement:read')),
    resolveInput: {
      create: ({ data }) => resolveTotal(data),
      update: ({ context: { db }, data, previous }) => resolveTotal(data, () => storedLines(db, previous)),
    },
  },
});

const storedLines = async (db: TenantClient, requisition: { readonly id: string } | null) =>
  requisition ? db.requisitionLine.findMany({ where: { requisitionId: requisition.id } }) : [];

export const requisitionsOfItem = linkFromItem(Requisition, 'requisitionLines');
