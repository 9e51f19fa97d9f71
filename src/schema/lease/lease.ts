import { resource } from '../../resource/define.ts';
import { statusToday } from '../lapse.ts';
import { accounting } from './accounting.ts';

const written = [
  'name',
  'leaseType',
  'lessor',
  'lessee',
  'startDate',
  'endDate',
  'monthlyPayment',
  'description',
  'status',
] as const;

/** An active lease has expired the day after its end. A terminated one stays so. */
const expiry = { lasting: 'ACTIVE', lapsed: 'EXPIRED' } as const;

/** Leases (spec §4). */
export const Lease = resource('Lease', {
  path: '/leases',
  scope: 'leases',
  fields: written,
  input: written,
  search: ['name', 'description', 'lessor', 'lessee'],
  ordered: [['startDate', 'endDate']],
  compose: ({ data }) => ({ ...data, status: statusToday(expiry, { status: data.status, day: data.endDate }) }),
  updating({ previous, data }) {
    const { status, endDate } = { ...previous, ...data };
    const was = data.status === undefined ? { status: previous.status, day: previous.endDate } : undefined;
    return { ...data, status: statusToday(expiry, { status, day: endDate }, was) };
  },
  settle: ({ db, caller: { companyId } }, today) =>
    db.lease.updateMany({
      where: { companyId, status: expiry.lasting, endDate: { lt: today } },
      data: { status: expiry.lapsed },
    }),
});

accounting(Lease);
