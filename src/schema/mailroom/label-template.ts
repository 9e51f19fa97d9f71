import type { Context } from '../../context.ts';
import { resource } from '../../resource/define.ts';
import type { Transaction } from '../../resource/writes.ts';

/** Layouts of labels, one of which may be the company's default (spec §4, Shipping and mailroom). */
resource('LabelTemplate', {
  path: '/mailroom/label-templates',
  scope: 'shipping',
  fields: ['name', 'labelSize', 'isDefault'],
  input: ['name', 'labelSize', 'isDefault'],
  search: ['name'],
  async after({ context, tx, previous, row }) {
    // Only who makes another one the default waits for the company. Whoever holds the default itself does not, so no two wait for each other.
    if (row.isDefault && !previous?.isDefault) await unsetOthers(row.id, context, tx);
  },
});

/** Leaves the company no other default. One caller at a time: of those who set another at once, the last stays. */
async function unsetOthers(id: string, { caller: { companyId } }: Context, tx: Transaction): Promise<void> {
  // Not FOR UPDATE: rows of the company must go on being written meanwhile.
  await tx.$queryRaw`SELECT 1 FROM companies WHERE id = ${companyId}::uuid FOR NO KEY UPDATE`;
  await tx.labelTemplate.updateMany({
    where: { companyId, isDefault: true, id: { not: id } },
    data: { isDefault: false },
  });
}
