import { resource } from '../../resource/define.ts';
import { rules } from '../../resource/validate.ts';
import { Lease } from './lease.ts';

/** The versions of a lease's document. */
resource('LeaseDocument', {
  path: '/documents',
  parent: { resource: Lease, column: 'leaseId', relation: 'documents' },
  rest: ['list', 'create'],
  fields: ['leaseId', 'version', 'fileUrl', 'notes'],
  relations: ['lease'],
  input: ['version', 'fileUrl', 'notes'],
  search: ['version', 'notes'],
  rules: { fileUrl: rules.url },
});

/** The days that matter to a lease. */
resource('LeaseDate', {
  path: '/dates',
  parent: { resource: Lease, column: 'leaseId', relation: 'dates' },
  rest: ['list', 'create'],
  fields: ['leaseId', 'date', 'type', 'description'],
  relations: ['lease'],
  input: ['date', 'type', 'description'],
  search: ['type', 'description'],
});

/** A lease's payment schedule. */
resource('LeasePayment', {
  path: '/payments',
  parent: { resource: Lease, column: 'leaseId', relation: 'payments' },
  rest: ['list', 'create'],
  fields: ['leaseId', 'dueDate', 'amount', 'description', 'status'],
  relations: ['lease'],
  input: ['dueDate', 'amount', 'description', 'status'],
  search: ['description'],
});
