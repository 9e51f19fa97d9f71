import type { Context } from '../../context.ts';
import { defineResource, lockCompany, updateAllBySystem } from '../../resource/index.ts';

/** Label layouts. One of them may be the company's default. */
export const LabelTemplate = defineResource('LabelTemplate', {
  words: { title: 'name' },
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
        // Locks the company only when another template becomes the default. The current default never waits for the
        // company, so there is no deadlock.
        if (row.isDefault && !previous.isDefault) await unsetOtherDefaults(row.id, context);
      },
    },
  },
});

/** Unsets the company's other defaults. The company's lock serializes concurrent changes, so that the last one wins. */
async function unsetOtherDefaults(id: string, context: Context): Promise<void> {
  await lockCompany(context);
  const where = { isDefault: true, id: { not: id } };
  await updateAllBySystem(LabelTemplate, where, { isDefault: false }, context);
}
