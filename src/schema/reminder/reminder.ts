import { DateTime } from 'luxon';
import type { Context } from '../../context.ts';
import type { Reminder as ReminderRow } from '../../database/generated/client/client.ts';
import { copyOf, createBySystem, defineResource } from '../../resource/index.ts';
import { linkedEntityField, validateLink } from './linked-entity.ts';
import { beginsSeries, nextDue } from './recurrence.ts';

/** Reminders. */
export const Reminder = defineResource('Reminder', {
  words: { title: 'title' },
  scope: 'reminders',
  fields: {
    title: {},
    description: {},
    dueDate: {},
    recurrence: {},
    linkedEntityType: {},
    linkedEntityId: {},
    status: {},
  },
  list: {
    search: ['title', 'description'],
  },
  graphql: {
    virtualFields(kit) {
      const linkedEntity = linkedEntityField(kit);
      return (t) => ({ linkedEntity: t.field(linkedEntity) });
    },
  },
  rest: { path: '/reminders', parameters: { dueAfter: 'dueDate.gte', dueBefore: 'dueDate.lt' } },
  hooks: {
    // The linked row may have been deleted since, which prevents neither other changes nor the next occurrence.
    validate: ({ context, previous, row, bySystem }) =>
      bySystem ||
      (row.linkedEntityId === previous?.linkedEntityId && row.linkedEntityType === previous?.linkedEntityType)
        ? {}
        : validateLink(row, context),
    resolveInput: {
      update: ({ data, previous }) => (beginsSeries(previous, data) ? { ...data, seriesStart: null } : data),
    },
    afterOperation: {
      async update({ context, previous, row }) {
        if (row.status === 'COMPLETED' && previous.status !== 'COMPLETED') await createNext(row, context);
      },
    },
  },
});

/** Creates the next occurrence of a recurring reminder. */
async function createNext(reminder: ReminderRow, context: Context): Promise<void> {
  const dueDate = nextDue(reminder, DateTime.now().setZone(context.caller.timeZone));
  if (!dueDate) return;
  const seriesStart = reminder.seriesStart ?? reminder.dueDate;
  const { status: _completed, ...copied } = copyOf(Reminder, reminder);
  await createBySystem(Reminder, { ...copied, dueDate, seriesStart }, { context });
}
