import type { Context } from '../../context.ts';
import { Prisma } from '../../database/generated/client/client.ts';
import { builder } from '../builder.ts';
import type { Resource } from '../resource/define.ts';
import { exists, rootField, uuid } from '../resource/operations.ts';

/** What a lease's payment schedule adds up to (spec §2, Leases). */
interface Accounting {
  readonly totalPaid: Prisma.Decimal;
  readonly totalDue: Prisma.Decimal;
  /** The earliest pending payment, if any is pending. */
  readonly next: { readonly dueDate: Date; readonly amount: Prisma.Decimal } | null;
}

const LeaseAccounting = builder.objectRef<Accounting>('LeaseAccounting').implement({
  description: "What a lease's payment schedule adds up to.",
  fields: (t) => ({
    totalPaid: t.exposeFloat('totalPaid', { description: 'The sum of the payments that are paid.' }),
    totalDue: t.exposeFloat('totalDue', { description: 'The sum of the payments that are pending.' }),
    remainingBalance: t.exposeFloat('totalDue', { description: 'What is still to be paid: overdue payments and those to come, which is all that are pending.' }),
    nextPaymentDue: t.field({ type: 'Date', nullable: true, description: 'When the earliest pending payment is due.', resolve: ({ next }) => next?.dueDate }),
    nextPaymentAmount: t.float({ nullable: true, description: 'How much the earliest pending payment is.', resolve: ({ next }) => next?.amount }),
  }),
});

/** Adds the accounting summary of a lease, read-only (spec §4, Leases). */
export function accounting(Lease: Resource): void {
  rootField({
    action: 'read',
    rest: true,
    field: 'leaseAccounting',
    path: `${Lease.path}/:leaseId/accounting`,
    access: 'leases:read',
    type: 'LeaseAccounting',
    description: "What a lease's payment schedule adds up to.",
    returns: LeaseAccounting,
    args: (arg) => ({ leaseId: arg.id({ required: true, description: 'The lease.' }) }),
    async resolve(args, context) {
      const leaseId = uuid(args, 'leaseId');
      await exists(Lease, leaseId, context);
      return account(leaseId, context);
    },
  });
}

async function account(leaseId: string, { db, caller: { companyId } }: Context): Promise<Accounting> {
  const sums = db.leasePayment.groupBy({ by: 'status', where: { companyId, leaseId }, orderBy: { status: 'asc' }, _sum: { amount: true } });
  const earliest = db.leasePayment.findFirst({
    where: { companyId, leaseId, status: 'PENDING' },
    orderBy: [{ dueDate: 'asc' }, { id: 'asc' }],
    select: { dueDate: true, amount: true },
  });
  // Of one moment, so that the next payment is one of those that are due.
  const [groups, next] = await db.$transaction([sums, earliest], { isolationLevel: 'RepeatableRead' });
  const sumOf = (wanted: string) => groups.find(({ status }) => status === wanted)?._sum?.amount ?? new Prisma.Decimal(0);
  return { totalPaid: sumOf('PAID'), totalDue: sumOf('PENDING'), next };
}
