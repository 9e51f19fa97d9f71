import type { Context } from '../../context.ts';
import { defineResource, lockCompany } from '../../resource/index.ts';

/** Layouts of labels, one of which may be the company's default. */
export const LabelTemplate = defineResource('LabelTemplate', {
  scope: 'shipping',
  fields: { name: {}, labelSize: {}, isDefault: {} },
  list: { search: ['name'] },
  rest: { path: '/mailroom/label-templates' },
  hooks: {
    afterOperation: {
      async create({ context, row }) {
        if (row.isDefault) await unsetOtherDefaults(row.id, context);
      },
      async update({ context, previous, row }) {
        // Only who makes another one the default waits for the company. Whoever holds the default itself does not, so no
        // two wait for each other.
        if (row.isDefault && !previous.isDefault) await unsetOtherDefaults(row.id, context);
      },
    },
  },
});

/** Leaves the company no other default. One caller at a time: of those who set another at once, the last stays. */
async function unsetOtherDefaults(id: string, context: Context): Promise<void> {
  await lockCompany(context);
  const where = { isDefault: true, id: { not: id } };
  await context.db.labelTemplate.updateMany({ where, data: { isDefault: false } });
}
