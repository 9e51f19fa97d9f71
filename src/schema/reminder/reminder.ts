import { DateTime } from 'luxon';
import type { Context } from '../../context.ts';
import type { Reminder as ReminderRow } from '../../database/generated/client/client.ts';
import { defineResource } from '../../resource/index.ts';
import { linkedEntityField, validateLink } from './linked-entity.ts';
import { nextDue } from './recurrence.ts';

/** Reminders. */
export const Reminder = defineResource('Reminder', {
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
    // The linked row may have been deleted since, which does not prevent other changes.
    validate: ({ context, previous, row }) =>
      row.linkedEntityId === previous?.linkedEntityId && row.linkedEntityType === previous?.linkedEntityType
        ? {}
        : validateLink(row, context),
    afterOperation: {
      async update({ context, previous, row }) {
        if (row.status === 'COMPLETED' && previous.status !== 'COMPLETED') await createNext(row, context);
      },
    },
  },
});

/** Creates the next occurrence of a recurring reminder. */
async function createNext(reminder: ReminderRow, { db, caller: { timeZone } }: Context): Promise<void> {
  const dueDate = nextDue(reminder, DateTime.now().setZone(timeZone));
  if (!dueDate) return;
  const { title, description, recurrence, linkedEntityType, linkedEntityId } = reminder;
  // A part of the update, not a client's input: a link whose row was deleted since goes on.
  await db.reminder.create({ data: { title, description, recurrence, linkedEntityType, linkedEntityId, dueDate } });
}
