import type { LeaseStatus } from '../../database/generated/client/enums.ts';
import { defineResource } from '../../resource/index.ts';
import { followDate } from '../date-transition.ts';

/** An active lease expires on the day after its end. A terminated lease stays terminated. */
const expiry = followDate<LeaseStatus, 'endDate'>('endDate', { from: 'ACTIVE', to: 'EXPIRED' });

/** Leases. */
export const Lease = defineResource('Lease', {
  words: { title: 'name' },
  scope: 'leases',
  fields: {
    name: {},
    leaseType: {},
    lessor: {},
    lessee: {},
    startDate: {},
    endDate: { notBefore: 'startDate' },
    monthlyPayment: {},
    description: {},
    status: {},
  },
  list: {
    search: ['name', 'description', 'lessor', 'lessee'],
    ranges: { term: { from: 'startDate', to: 'endDate' } },
    measures: { termDays: { description: 'Days from the start to the end.', days: ['startDate', 'endDate'] } },
  },
  rest: { path: '/leases' },
  hooks: { resolveInput: expiry.resolveInput },
  refreshStale: expiry.refreshStale,
});
