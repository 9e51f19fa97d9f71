import { callerId } from '../../context.ts';
import { builder } from '../../resource/builder.ts';
import { resource } from '../../resource/define.ts';
import { followFromItem, ofItem, orderLine } from './lines.ts';
import { inspectTotal, withTotal } from './total.ts';

const VendorSummary = builder.objectRef<{ id: string; companyName: string }>('VendorSummary').implement({
  description: 'What a requisition shows of its vendor, also to a token that may not read vendors.',
  fields: (t) => ({
    id: t.exposeID('id', { description: "The vendor's id.", extensions: { column: ['Vendor', 'id'] } }),
    companyName: t.exposeString('companyName', {
      description: "The vendor's name.",
      extensions: { column: ['Vendor', 'companyName'] },
    }),
  }),
});

const shows = { vendor: { select: { id: true, companyName: true } } } as const;

/** Requisitions (spec §4, Procurement). */
export const Requisition = resource('Requisition', {
  path: '/procurement/requisitions',
  scope: 'procurement',
  fields: ['title', 'description', 'status', 'requestedBy', 'vendorId', 'totalAmount'],
  lines: { lineItems: orderLine },
  relations: ['requester', 'vendor', 'purchaseOrders'],
  shows,
  extra: (t) => ({
    vendorSummary: t.field({
      type: VendorSummary,
      nullable: true,
      description: 'The vendor it is to come from, in short.',
      extensions: { rest: 'vendor' },
      select: shows,
      resolve: ({ vendor }) => vendor,
    }),
  }),
  input: ['title', 'description', 'status', 'requestedBy', 'vendorId', 'totalAmount'],
  search: ['title', 'description'],
  filters: { itemId: ofItem },
  defaults: { requestedBy: callerId },
  moves: {
    DRAFT: ['PENDING'],
    PENDING: ['APPROVED', 'REJECTED', 'DRAFT'],
    APPROVED: [],
    REJECTED: ['DRAFT'],
  },
  read: ({ data, faults }) => inspectTotal(data, faults),
  compose: ({ data }) => withTotal(data),
  updating: ({
    context: {
      caller: { companyId },
    },
    db,
    previous,
    data,
  }) => withTotal(data, () => db.requisitionLine.findMany({ where: { companyId, requisitionId: previous.id } })),
});

followFromItem(Requisition, 'requisitionLines');
