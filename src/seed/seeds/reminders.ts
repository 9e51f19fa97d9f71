import type { Recurrence, ReminderStatus } from '../../database/generated/client/client.ts';
import { Reminder } from '../../schema/reminder/reminder.ts';
import type { Seed } from '../context.ts';

const reminder = (
  days: number,
  title: string,
  /** Due in a number of days, at an hour (UTC). */
  due: readonly [days: number, hour: number] | null,
  /** The type and name of the linked row. */
  about: readonly [type: string, name: string] | null = null,
  { recurrence, status, description }: { recurrence?: Recurrence; status?: ReminderStatus; description?: string } = {},
) => ({ days, title, due, about, recurrence, status, description });

const table = [
  reminder(93, 'Check the oil of the generator', [-5, 9], ['asset', 'Emergency generator'], {
    recurrence: 'WEEKLY',
    status: 'COMPLETED',
  }),
  reminder(80, 'Copiers: buy, or lease again?', [-50, 10], ['lease', 'Copiers, six'], {
    status: 'DISMISSED',
    description: 'Cobalt is to make an offer first',
  }),
  reminder(41, 'Depot: ask for three more years?', [10, 8], ['lease', 'Northgate Depot, unit 7'], {
    description: 'The board decides; the option ends four days later',
  }),
  reminder(30, 'Tideway: agree on the handover', [18, 10], ['lease', 'Mill Annex, ground floor east']),
  reminder(20, 'Water the plants in reception', [-6, 8], null, { recurrence: 'WEEKLY', status: 'COMPLETED' }),
  reminder(15, 'Where is the floor cleaner?', [-1, 9], ['purchase_order', 'PO-000010'], {
    description: 'Was promised for the day before yesterday',
  }),
  reminder(12, 'Second half of the filters', [-3, 9], ['purchase_order', 'PO-000008']),
  reminder(9, 'Order drivers for the ceiling panels', [-7, 15], ['inventory_item', 'EL-3300'], { status: 'COMPLETED' }),
  reminder(8, "Question Meridian's invoice", [-5, 12], ['vendor', 'Meridian Lifts'], {
    description: '812.50 for a door contact?',
  }),
  reminder(7, 'Remind those who have not read the fire rules', [4, 8], ['hr_document', 'Fire and evacuation'], {
    recurrence: 'MONTHLY',
  }),
  reminder(5, 'Send the forklift to the workshop', [-2, 7], ['asset', 'Forklift, electric']),
  reminder(3, 'Show the painter the stairwell', [7, 9], ['building', 'MA'], {
    description: 'Chalk White is on a requisition',
  }),
  reminder(1, 'Count the two pallets of wrap', [0, 15], ['purchase_order', 'PO-000009']),
];

/** The demo company's reminders. Completing a recurring one creates the next. */
export const reminders: Seed = async (seed) => {
  for (const { days, due, about, status, ...columns } of table) {
    const [linkedEntityType, name] = about ?? [];
    const linkedEntityId = name && (linkedEntityType === 'building' ? seed.building('MA') : seed.id(name));
    const dueDate = due && seed.time(...due);
    const row = { ...columns, dueDate, linkedEntityType, linkedEntityId };
    const { id, createdAt } = await seed.create(Reminder, { at: seed.ago(days) }, row);
    const at = status === 'COMPLETED' && dueDate ? dueDate : createdAt;
    if (status) await seed.update(Reminder, id, { at }, { status });
  }
};
