import { Prisma } from '../../database/generated/client/client.ts';
import type { Occurrence } from '../../events/occurrences.ts';

/** A reminder has fallen due. */
export const dueReminder: Occurrence = {
  action: 'due',
  table: 'reminders',
  holds: Prisma.sql`stored.status = 'pending' AND stored.due_date <= now()`,
  since: Prisma.sql`stored.due_date`,
  newSince: (time) => Prisma.sql`stored.due_date > ${time} OR stored.updated_at > ${time}`,
};
