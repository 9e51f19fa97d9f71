import type { Context } from '../../context.ts';
import { Prisma } from '../../database/generated/client/client.ts';
import { builder } from '../../resource/builder.ts';
import { addField, type Resource } from '../../resource/define.ts';
import { loadTogether } from '../../resource/load.ts';
import { exists, rootField, uuid } from '../../resource/operations.ts';

/** What a lease's payment schedule adds up to (spec §2, Leases). */
interface Accounting {
  readonly totalPaid: Prisma.Decimal;
  readonly totalDue: Prisma.Decimal;
  /** Of the earliest pending payment, if any is pending. */
  readonly nextPaymentDue: Date | null;
  readonly nextPaymentAmount: Prisma.Decimal | null;
}

const description = "What a lease's payment schedule adds up to.";

const LeaseAccounting = builder.objectRef<Accounting>('LeaseAccounting').implement({
  description,
  fields: (t) => ({
    totalPaid: t.exposeFloat('totalPaid', { description: 'The sum of the payments that are paid.' }),
    totalDue: t.exposeFloat('totalDue', { description: 'The sum of the payments that are pending.' }),
    remainingBalance: t.exposeFloat('totalDue', {
      description: 'What is still to be paid: overdue payments and those to come, which is all that are pending.',
    }),
    nextPaymentDue: t.expose('nextPaymentDue', {
      type: 'Date',
      nullable: true,
      description: 'When the earliest pending payment is due.',
    }),
    nextPaymentAmount: t.exposeFloat('nextPaymentAmount', {
      nullable: true,
      description: 'How much the earliest pending payment is.',
    }),
  }),
});

/** Adds the accounting summary of a lease, read-only (spec §4, Leases); GraphQL has it in the lease too. */
export function accounting(Lease: Resource): void {
  addField(Lease, 'accounting', (t) =>
    t.field({
      type: LeaseAccounting,
      nullable: true,
      description,
      extensions: { rest: false },
      authScopes: { access: 'leases:read' },
      select: { id: true },
      resolve: ({ id }: { id: string }, _args: object, context: Context) => account(id, context),
    }),
  );
  rootField({
    action: 'read',
    rest: true,
    field: 'leaseAccounting',
    path: `${Lease.path}/:leaseId/accounting`,
    access: 'leases:read',
    type: 'LeaseAccounting',
    description,
    returns: LeaseAccounting,
    args: (arg) => ({ leaseId: arg.id({ required: true, description: 'The lease.' }) }),
    async resolve(args, context) {
      const leaseId = uuid(args, 'leaseId');
      await exists(Lease, leaseId, context);
      return account(leaseId, context);
    },
  });
}

const nothing: Accounting = {
  totalPaid: new Prisma.Decimal(0),
  totalDue: new Prisma.Decimal(0),
  nextPaymentDue: null,
  nextPaymentAmount: null,
};

/** One statement for all leases of a list, so that the next payment is one of those that are due. */
async function account(leaseId: string, context: Context): Promise<Accounting> {
  const {
    db,
    caller: { companyId },
  } = context;
  const found = await loadTogether(context, 'LeaseAccounting', leaseId, async (ids) => {
    const rows = await db.$queryRaw<(Accounting & { readonly leaseId: string })[]>`
      SELECT lease_id AS "leaseId",
             coalesce(sum(amount) FILTER (WHERE status = 'paid'), 0) AS "totalPaid",
             coalesce(sum(amount) FILTER (WHERE status = 'pending'), 0) AS "totalDue",
             (array_agg(due_date ORDER BY due_date, id) FILTER (WHERE status = 'pending'))[1] AS "nextPaymentDue",
             (array_agg(amount ORDER BY due_date, id) FILTER (WHERE status = 'pending'))[1] AS "nextPaymentAmount"
      FROM lease_payments
      WHERE company_id = ${companyId}::uuid AND lease_id = ANY(${ids}::uuid[])
      GROUP BY lease_id`;
    return new Map(rows.map((row) => [row.leaseId, row]));
  });
  return found ?? nothing;
}
