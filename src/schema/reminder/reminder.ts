import { validationError } from '../../errors.ts';
import { resource } from '../../resource/define.ts';
import { before, since } from '../../resource/lists.ts';
import { LinkedEntity, linkFaults, loadLinked, selectLink } from './linked-entity.ts';
import { nextDue } from './recurrence.ts';

/** Reminders (spec §4, Reminders). */
resource('Reminder', {
  path: '/reminders',
  scope: 'reminders',
  fields: ['title', 'description', 'dueDate', 'recurrence', 'linkedEntityType', 'linkedEntityId', 'status'],
  input: ['title', 'description', 'dueDate', 'recurrence', 'linkedEntityType', 'linkedEntityId', 'status'],
  search: ['title', 'description'],
  filters: { dueAfter: since('dueDate'), dueBefore: before('dueDate') },
  extra: (t) => ({
    linkedEntity: t.field({
      type: LinkedEntity,
      nullable: true,
      description: 'What it is about; null when that is gone, or is nothing that the service knows.',
      select: (_args, _context, plan) => selectLink(plan),
      resolve: (row, _args, context, info) => loadLinked(row, context, info),
    }),
  }),
  async read({ context, target, data, faults }) {
    if (target.id === undefined) Object.assign(faults, await linkFaults(data, context, context.db));
  },
  async updating({ context, db, previous, data }) {
    const row = { ...previous, ...data };
    // What it was about may be gone by now; that is no reason to refuse a change of something else.
    const relinked =
      row.linkedEntityId !== previous.linkedEntityId || row.linkedEntityType !== previous.linkedEntityType;
    const faults = relinked ? await linkFaults(row, context, db) : {};
    if (Object.keys(faults).length > 0) throw validationError(faults);
    return data;
  },
  async after({
    context: {
      caller: { companyId },
    },
    tx,
    previous,
    row,
  }) {
    if (!previous || previous.status === 'COMPLETED' || row.status !== 'COMPLETED') return;
    const dueDate = nextDue(row);
    if (!dueDate) return;
    const { title, description, recurrence, linkedEntityType, linkedEntityId } = row;
    await tx.reminder.create({
      data: { companyId, title, description, recurrence, linkedEntityType, linkedEntityId, dueDate },
      select: { id: true },
    });
  },
});
