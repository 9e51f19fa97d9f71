import type { Context } from '../../context.ts';
import { Prisma } from '../../database/generated/client/client.ts';
import {
  assertExists,
  defineField,
  defineOperation,
  defineType,
  loadTogether,
  uuidArgument,
} from '../../resource/index.ts';
import { Lease } from './lease.ts';

/** The totals of a lease's payment schedule. */
interface Accounting {
  readonly totalPaid: Prisma.Decimal;
  readonly totalDue: Prisma.Decimal;
  /** The due date of the earliest pending payment, if any. */
  readonly nextPaymentDue: Date | null;
  readonly nextPaymentAmount: Prisma.Decimal | null;
}

const description = "The totals of a lease's payment schedule.";

const LeaseAccounting = defineType(({ builder }) =>
  builder.objectRef<Accounting>('LeaseAccounting').implement({
    description,
    fields: (t) => ({
      totalPaid: t.exposeFloat('totalPaid', { description: 'Sum of the paid payments.' }),
      totalDue: t.exposeFloat('totalDue', { description: 'Sum of the pending payments.' }),
      remainingBalance: t.exposeFloat('totalDue', {
        description: 'Amount still to be paid, overdue or upcoming. Equal to the total due.',
      }),
      nextPaymentDue: t.expose('nextPaymentDue', {
        type: 'Date',
        nullable: true,
        description: 'Due date of the earliest pending payment.',
      }),
      nextPaymentAmount: t.exposeFloat('nextPaymentAmount', {
        nullable: true,
        description: 'Amount of the earliest pending payment.',
      }),
    }),
  }),
);

/** The accounting summary of a lease. */
export const leaseAccounting = defineOperation({
  action: 'read',
  rest: true,
  field: 'leaseAccounting',
  path: `${Lease.path}/:leaseId/accounting`,
  access: 'leases:read',
  type: 'LeaseAccounting',
  description,
  returns: LeaseAccounting,
  args: (arg) => ({ leaseId: arg.id({ required: true, description: 'The lease.' }) }),
  async run(args, context) {
    const leaseId = uuidArgument(args, 'leaseId');
    await assertExists(Lease, leaseId, context);
    return loadAccounting(leaseId, context);
  },
});

/** The accounting of each lease in GraphQL. */
export const accountingOfLeases = defineField(Lease, 'accounting', (t, kit) =>
  t.field({
    type: LeaseAccounting(kit),
    nullable: true,
    description,
    extensions: { rest: false },
    authScopes: { access: 'leases:read' },
    select: { id: true },
    resolve: ({ id }: { id: string }, _args: object, context: Context) => loadAccounting(id, context),
  }),
);

const nothing: Accounting = {
  totalPaid: new Prisma.Decimal(0),
  totalDue: new Prisma.Decimal(0),
  nextPaymentDue: null,
  nextPaymentAmount: null,
};

/**
 * Loads the accounting of a lease, in one statement for all leases of a list. Prisma does not support the statement, so
 * it is SQL and filters by company itself.
 */
async function loadAccounting(leaseId: string, context: Context): Promise<Accounting> {
  const { unscopedDb, caller } = context;
  const found = await loadTogether(context, 'LeaseAccounting', leaseId, async (ids) => {
    const rows = await unscopedDb.$queryRaw<(Accounting & { readonly leaseId: string })[]>`
      SELECT lease_id AS "leaseId",
             coalesce(sum(amount) FILTER (WHERE status = 'paid'), 0) AS "totalPaid",
             coalesce(sum(amount) FILTER (WHERE status = 'pending'), 0) AS "totalDue",
             (array_agg(due_date ORDER BY due_date, id) FILTER (WHERE status = 'pending'))[1] AS "nextPaymentDue",
             (array_agg(amount ORDER BY due_date, id) FILTER (WHERE status = 'pending'))[1] AS "nextPaymentAmount"
      FROM lease_payments
      WHERE company_id = ${caller.companyId}::uuid AND lease_id = ANY(${ids}::uuid[])
      GROUP BY lease_id`;
    return new Map(rows.map((row) => [row.leaseId, row]));
  });
  return found ?? nothing;
}
