import { defineResource } from '../../resource/index.ts';
import { documentFields, documentHooks } from '../files/document-file.ts';
import { Lease } from './lease.ts';

/** The versions of a lease's document. */
export const LeaseDocument = defineResource('LeaseDocument', {
  parent: { resource: Lease, column: 'leaseId', relation: 'documents' },
  fields: { version: {}, ...documentFields, notes: {} },
  list: { search: ['version', 'notes'] },
  rest: { path: '/documents' },
  hooks: documentHooks,
});
