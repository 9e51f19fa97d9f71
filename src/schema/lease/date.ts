import { defineResource } from '../../resource/index.ts';
import { Lease } from './lease.ts';

/** The important dates of a lease. */
export const LeaseDate = defineResource('LeaseDate', {
  words: { title: 'type' },
  parent: { resource: Lease, column: 'leaseId', relation: 'dates' },
  fields: { date: {}, type: {}, description: {} },
  list: { search: ['type', 'description'] },
  rest: { path: '/dates' },
});
