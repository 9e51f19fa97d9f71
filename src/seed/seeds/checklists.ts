import type { ActiveStatus } from '../../database/generated/client/client.ts';
import { Checklist } from '../../schema/checklist/checklist.ts';
import { ChecklistCompletion } from '../../schema/checklist/completion.ts';
import { ChecklistGroup } from '../../schema/checklist/group.ts';
import { ChecklistTask } from '../../schema/checklist/task.ts';
import type { Seed, SeedContext } from '../context.ts';
import type { Person } from '../people.ts';
import { jonas, kofi, priya, samuel, tomas } from '../people.ts';

/** A checklist of the demo company. */
interface ChecklistPlan {
  name: string;
  description: string;
  recurrence: string;
  by: Person;
  status?: ActiveStatus;
  /** Tasks by group; those below '' have none. */
  tasks: Readonly<Record<string, readonly string[]>>;
  /** Whether it was completed on a day, 1 to 30 days ago. */
  done: (days: number, date: Date) => boolean;
  /** Notes by completion; 0 is the latest. */
  notes?: Readonly<Record<number, string>>;
}

const weekday = (date: Date) => date.getUTCDay();
const isWorkday = (date: Date) => weekday(date) % 6 !== 0;

const plans: readonly ChecklistPlan[] = [
  {
    name: 'Opening Harbour House',
    description: 'Before the first visitors come, at half past seven',
    recurrence: 'daily',
    by: kofi,
    tasks: {
      Outside: ['Unlock the gate', 'Look for damage since yesterday', 'Clear leaves and snow off the steps'],
      Inside: [
        'Switch off the alarm',
        'Call both elevators',
        'Start the reception screen',
        'Check that exits are clear',
      ],
    },
    done: (days, date) => days <= 20 && days !== 9 && isWorkday(date),
    notes: { 4: 'Elevator B slow, told Meridian', 9: 'Steps salted' },
  },
  {
    name: 'Cleaning round, canteen',
    description: 'After lunch',
    recurrence: 'daily',
    by: samuel,
    tasks: {
      Kitchen: ['Wipe the counters', 'Empty the grease trap', 'Note the fridge temperatures'],
      Hall: ['Wipe the tables', 'Mop the floor', 'Empty the bins'],
    },
    done: (days, date) => days <= 12 && isWorkday(date),
    notes: { 2: 'Fridge 2 at 7 degrees, told Tomas', 3: 'Floor cleaner is running low' },
  },
  {
    name: 'Plant room round',
    description: 'All plant rooms, once a week',
    recurrence: 'weekly',
    by: tomas,
    tasks: {
      'Harbour House': ['Read the boiler pressure', 'Listen to the pumps'],
      'Linden Laboratory': ['Read both cooling units', 'Look for water on the floor'],
      '': ['Enter the readings'],
    },
    done: (_days, date) => weekday(date) === 2,
    notes: { 2: 'Pump 2 is getting loud' },
  },
  {
    name: 'Safety walk, laboratory',
    description: 'Eye wash, showers, extinguishers',
    recurrence: 'weekly',
    by: jonas,
    tasks: {
      '': [
        'Run each eye wash for a minute',
        'Pull each emergency shower',
        'Check the seals of the extinguishers',
        'Check the first-aid boxes',
      ],
    },
    done: (_days, date) => weekday(date) === 5,
  },
  {
    name: 'Stock count, depot',
    description: 'Ten items a month, picked at random',
    recurrence: 'monthly',
    by: priya,
    tasks: { '': ['Pick ten items', 'Count them', 'Enter corrections'] },
    done: (days) => days === 20,
    notes: { 0: 'One emergency light battery was missing' },
  },
  {
    name: 'Summer watering, terrace',
    description: 'From May to September',
    recurrence: 'daily',
    by: samuel,
    status: 'INACTIVE',
    tasks: { '': ['Water the tubs', 'Check the hose'] },
    done: () => false,
  },
];

/** The demo company's checklists and the last month's completions. */
export const checklists: Seed = async (seed) => {
  for (const [nth, plan] of plans.entries()) {
    const { name, description, recurrence, by, status } = plan;
    const at = seed.ago(90 + 7 * nth);
    const columns = { name, description, recurrence, status, assignedTo: seed.user(by) };
    const { id } = await seed.create(Checklist, { at, name }, columns);
    await seedTasks(plan, id, at, seed);
    await seedCompletions(plan, id, seed);
  }
};

async function seedTasks({ tasks }: ChecklistPlan, parentId: string, at: Date, seed: SeedContext): Promise<void> {
  for (const [name, titles] of Object.entries(tasks)) {
    const group = name === '' ? null : await seed.create(ChecklistGroup, { at, parentId }, { name });
    for (const title of titles) await seed.create(ChecklistTask, { at, parentId }, { title, groupId: group?.id });
  }
}

async function seedCompletions({ done, by, notes }: ChecklistPlan, parentId: string, seed: SeedContext): Promise<void> {
  const days = Array.from({ length: 30 }, (_, nth) => nth + 1).filter((days) => done(days, seed.date(-days)));
  for (const [nth, ago] of days.entries()) {
    const columns = { completionDate: seed.date(-ago), notes: notes?.[nth] };
    await seed.create(ChecklistCompletion, { at: seed.time(-ago, 14), by, parentId }, columns);
  }
}
