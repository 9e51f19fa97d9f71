import { defineResource } from '../../resource/index.ts';
import { Lease } from './lease.ts';

/** A lease's payment schedule. */
export const LeasePayment = defineResource('LeasePayment', {
  parent: { resource: Lease, column: 'leaseId', relation: 'payments' },
  fields: { dueDate: {}, amount: {}, description: {}, status: {} },
  list: { search: ['description'] },
  rest: { path: '/payments' },
});
