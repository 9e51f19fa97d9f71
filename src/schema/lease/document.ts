import { defineResource, rules } from '../../resource/index.ts';
import { Lease } from './lease.ts';

/** The versions of a lease's document. */
export const LeaseDocument = defineResource('LeaseDocument', {
  parent: { resource: Lease, column: 'leaseId', relation: 'documents' },
  fields: { version: {}, fileUrl: { rule: rules.url }, notes: {} },
  list: { search: ['version', 'notes'] },
  rest: { path: '/documents' },
});
