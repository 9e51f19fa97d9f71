import { NoteCategory } from '../../schema/note/category.ts';
import { Note } from '../../schema/note/note.ts';
import type { Seed } from '../context.ts';
import type { Person } from '../people.ts';
import { david, grace, ingrid, jonas, nora, priya, tomas } from '../people.ts';

const categories = { Ideas: '#F2B705', Suppliers: '#2E86AB', 'How to': '#3A7D44', Meetings: '#8E5572' };

const note = (
  days: number,
  by: Person,
  category: keyof typeof categories | null,
  title: string,
  content: string,
  isShared = false,
  isPinned = false,
) => ({ days, by, category, title, content, isShared, isPinned });

const table = [
  note(
    140,
    nora,
    'How to',
    'Who does what',
    'Heating and water: Tomas. Electricity and elevators: Ingrid. Cleaning and grounds: Samuel. Keys and safety: Kofi. Furniture: Priya.',
    true,
    true,
  ),
  note(
    133,
    tomas,
    'How to',
    'Bleeding the radiators',
    'Start on the sixth floor and go down. Top up to 1.8 bar afterwards.',
    true,
  ),
  note(
    115,
    priya,
    'Suppliers',
    'Cobalt: ask for Hugo',
    'He knows what is in store and what only the catalog says.',
    true,
  ),
  note(98, nora, 'Meetings', 'Safety committee', 'Handrails, eye washes, the pothole. Next time: ladders.', true),
  note(83, jonas, 'How to', 'Hood 2', 'The alarm is the sensor tube nine times out of ten.', true),
  note(64, nora, 'Ideas', 'Charging points for bicycles', 'Behind the depot? Ask Ingrid how much the line bears.'),
  note(51, ingrid, 'Suppliers', 'Wattle', 'Drivers: the 40 W ones only, the cheaper ones hum.', false, true),
  note(37, david, null, 'Month end', 'Stamps are in the second drawer.'),
  note(29, nora, 'Ideas', 'Quiet room', 'The old post room has no window, but it has no noise either.', true),
  note(16, grace, 'Ideas', 'Colors for the stairwell', 'Chalk White with a Harbour Blue handrail?', true),
  note(
    7,
    nora,
    'Meetings',
    'Board, budget for next year',
    'Soft starter for the conveyor, laser projector, copiers.',
    false,
    true,
  ),
  note(1, nora, null, 'Call Pemberton', 'Where is the floor cleaner?'),
];

/** The demo company's notes. */
export const notes: Seed = async (seed) => {
  for (const [nth, [name, color]] of Object.entries(categories).entries()) {
    await seed.create(NoteCategory, { at: seed.ago(150 - nth), name: `notes: ${name}` }, { name, color });
  }
  for (const { days, by, category, ...columns } of table) {
    const categoryId = category && seed.id(`notes: ${category}`);
    await seed.create(Note, { at: seed.ago(days), by }, { ...columns, categoryId });
  }
};
