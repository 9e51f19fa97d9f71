import type { LeaseType, PaymentStatus } from '../../database/generated/client/client.ts';
import { LeaseDate } from '../../schema/lease/date.ts';
import { LeaseDocument } from '../../schema/lease/document.ts';
import { Lease } from '../../schema/lease/lease.ts';
import { LeasePayment } from '../../schema/lease/payment.ts';
import type { Seed, SeedContext } from '../context.ts';

/** A lease; its days count from today. */
interface LeasePlan {
  name: string;
  leaseType: LeaseType;
  lessor: string;
  lessee: string;
  starts: number;
  ends: number | null;
  monthlyPayment: number;
  description: string | null;
  /** Whether this month's payment is late. */
  late?: boolean;
  terminated?: boolean;
  versions: readonly (readonly [version: string, notes: string | null])[];
  dates: readonly (readonly [days: number, type: string, description: string])[];
}

const ours = 'Larkfield Instruments';
const terminatedOn = -48;

const plans: readonly LeasePlan[] = [
  {
    name: 'Harbour House, all floors',
    leaseType: 'PROPERTY',
    lessor: 'Quayside Estates',
    lessee: ours,
    starts: -1460,
    ends: 2190,
    monthlyPayment: 18_400,
    description: 'Ten years with one option for five more',
    versions: [
      ['1.0', 'As signed'],
      ['1.1', 'Parking spaces added'],
      ['2.0', 'Rent review of the fourth year'],
    ],
    dates: [
      [1825, 'renewal_option', 'Last day to take the option for five more years'],
      [340, 'rent_review', 'Index-linked'],
    ],
  },
  {
    name: 'Northgate Depot, unit 7',
    leaseType: 'PROPERTY',
    lessor: 'Northgate Industrial Estate',
    lessee: ours,
    starts: -1765,
    ends: 62,
    monthlyPayment: 9650,
    description: 'Hall, yard and four docks',
    versions: [
      ['1.0', 'As signed'],
      ['1.1', 'Fourth dock'],
    ],
    dates: [
      [14, 'renewal_option', 'Last day to ask for three more years'],
      [62, 'handover', 'Swept, keys returned'],
    ],
  },
  {
    name: 'Mill Annex, ground floor east',
    leaseType: 'PROPERTY',
    lessor: ours,
    lessee: 'Tideway Graphics',
    starts: -705,
    ends: 25,
    monthlyPayment: 1480,
    description: 'Let to the printers next door',
    versions: [['1.0', null]],
    dates: [[25, 'handover', 'Walk through with Tideway at ten']],
  },
  {
    name: 'Forklift 2.5 t',
    leaseType: 'EQUIPMENT',
    lessor: 'Eastmere Lift Trucks',
    lessee: ours,
    starts: -700,
    ends: 395,
    monthlyPayment: 415.5,
    description: 'With full service',
    late: true,
    versions: [
      ['1.0', null],
      ['1.1', 'Service twice a year'],
    ],
    dates: [[30, 'inspection', 'Yearly safety inspection by the lessor']],
  },
  {
    name: 'Copiers, six',
    leaseType: 'EQUIPMENT',
    lessor: 'Cobalt Office Supply',
    lessee: ours,
    starts: -1130,
    ends: -35,
    monthlyPayment: 288,
    description: 'Still in use; the new contract is being negotiated',
    versions: [['1.0', null]],
    dates: [
      [-125, 'notice_deadline', 'Three months before the end'],
      [-35, 'handover', 'Collection was put off'],
    ],
  },
  {
    name: 'Delivery van LK 204',
    leaseType: 'VEHICLE',
    lessor: 'Marlow Fleet',
    lessee: ours,
    starts: -400,
    ends: 330,
    monthlyPayment: 379,
    description: 'Electric, 20,000 miles a year',
    versions: [
      ['1.0', null],
      ['1.1', 'More miles'],
    ],
    dates: [
      [150, 'inspection', 'First inspection'],
      [240, 'notice_deadline', 'Three months before the end'],
    ],
  },
  {
    name: 'Delivery van LK 118',
    leaseType: 'VEHICLE',
    lessor: 'Marlow Fleet',
    lessee: ours,
    starts: -1580,
    ends: -120,
    monthlyPayment: 342,
    description: 'Returned',
    versions: [['1.0', null]],
    dates: [[-120, 'handover', 'Returned with 71,300 miles']],
  },
  {
    name: 'Storage at the Old Ropeworks',
    leaseType: 'PROPERTY',
    lessor: 'Ropeworks Trust',
    lessee: ours,
    starts: -600,
    ends: 130,
    monthlyPayment: 720,
    description: 'Ended early: the roof leaks',
    terminated: true,
    versions: [
      ['1.0', null],
      ['1.0-T', 'Termination by mutual consent'],
    ],
    dates: [[terminatedOn, 'termination', 'Both sides have signed']],
  },
  {
    name: 'Coffee machines',
    leaseType: 'EQUIPMENT',
    lessor: 'Bean & Bowl',
    lessee: ours,
    starts: -210,
    ends: null,
    monthlyPayment: 164.5,
    description: 'Month by month',
    versions: [['1.0', null]],
    dates: [],
  },
];

/** The demo company's leases, with their documents, dates and payments. */
export const leases: Seed = async (seed) => {
  for (const [nth, plan] of plans.entries()) {
    const { id: parentId, createdAt: at } = await seedLease(plan, seed.ago(150 + 4 * nth), seed);
    for (const [place, [version, notes]] of plan.versions.entries()) {
      const fileUrl = fileOf(plan.name, version);
      await seed.create(LeaseDocument, { at: seed.ago(148 - 30 * place), parentId }, { version, notes, fileUrl });
    }
    for (const [days, type, description] of plan.dates) {
      await seed.create(LeaseDate, { at, parentId }, { date: seed.date(days), type, description });
    }
    for (const payment of paymentsOf(plan, seed)) await seed.create(LeasePayment, { at, parentId }, payment);
  }
};

async function seedLease(
  { starts, ends, late: _, terminated, versions: __, dates: ___, ...columns }: LeasePlan,
  at: Date,
  seed: SeedContext,
) {
  const days = { startDate: seed.date(starts), endDate: ends === null ? null : seed.date(ends) };
  const lease = await seed.create(Lease, { at, name: columns.name }, { ...columns, ...days });
  if (terminated) await seed.update(Lease, lease.id, { at: seed.ago(-terminatedOn) }, { status: 'TERMINATED' });
  return lease;
}

const fileOf = (name: string, version: string) =>
  `https://files.demo.test/leases/${name.toLowerCase().replace(/\W+/g, '-')}-${version}.pdf`;

/** A payment on the first of each of six months: around now, or before the lease's end if it has ended. */
function paymentsOf({ starts, ends, monthlyPayment, late = false, terminated = false }: LeasePlan, seed: SeedContext) {
  const thisMonth = seed.date(Math.min(0, ends ?? 0));
  thisMonth.setUTCDate(1);
  const dueDates = [-3, -2, -1, 0, 1, 2].map((months) => {
    const dueDate = new Date(thisMonth);
    dueDate.setUTCMonth(thisMonth.getUTCMonth() + months);
    return dueDate;
  });
  return dueDates
    .filter((dueDate) => dueDate >= seed.date(starts) && (ends === null || dueDate <= seed.date(ends)))
    .map((dueDate) => {
      const month = dueDate.toLocaleDateString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
      const paid = dueDate < thisMonth || (dueDate <= seed.date(0) && !late);
      const cancelled = terminated && dueDate > seed.date(terminatedOn);
      const status: PaymentStatus = cancelled ? 'CANCELLED' : paid ? 'PAID' : 'PENDING';
      return { dueDate, amount: monthlyPayment, description: `Rent for ${month}`, status };
    });
}
