import { defineResource } from '../../resource/index.ts';
import { Lease } from './lease.ts';

/** A lease's payment schedule. */
export const LeasePayment = defineResource('LeasePayment', {
  parent: { resource: Lease, column: 'leaseId', relation: 'payments' },
  fields: { leaseId: {}, dueDate: {}, amount: {}, description: {}, status: {} },
  list: { search: ['description'] },
  graphql: { relations: ['lease'] },
  rest: { path: '/payments' },
});
