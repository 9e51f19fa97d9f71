import { defineResource, today } from '../../resource/index.ts';
import { dateTransitionSql, statusToday } from '../date-transition.ts';

/** An active lease expires on the day after its end. A terminated lease stays terminated. */
const expiry = { from: 'ACTIVE', to: 'EXPIRED' } as const;

/** Leases. */
export const Lease = defineResource('Lease', {
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
    measures: { termDays: { description: 'Days from the start to the end.', days: ['startDate', 'endDate'] } },
  },
  rest: { path: '/leases' },
  hooks: {
    resolveInput: {
      create: ({ context, data }) => ({
        ...data,
        status: statusToday(expiry, today(context), { status: data.status, day: data.endDate ?? null }),
      }),
      update({ context, previous, data }) {
        const { status, endDate: day } = { ...previous, ...data };
        const before = data.status === undefined ? { status: previous.status, day: previous.endDate } : undefined;
        return { ...data, status: statusToday(expiry, today(context), { status, day }, before) };
      },
    },
  },
  refreshStale: (given) => [dateTransitionSql('Lease', 'end_date', expiry, given)],
});
