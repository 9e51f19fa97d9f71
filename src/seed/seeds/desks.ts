import { Desk } from '../../schema/desk/desk.ts';
import { WorkspaceRecord } from '../../schema/desk/workspace-record.ts';
import type { Seed } from '../context.ts';
import type { Person } from '../people.ts';
import { amira, david, elena, grace, ingrid, jonas, kofi, nora, priya, samuel, tomas, victor } from '../people.ts';
import type { BuildingCode } from '../places.ts';

const desks = [
  { building: 'HH', floor: '2', names: ['A-201', 'A-202', 'A-203', 'A-204', 'A-205', 'A-206'] },
  { building: 'HH', floor: '4', names: ['S-401', 'S-402', 'S-403', 'S-404', 'S-405', 'S-406'] },
  { building: 'HH', floor: '6', names: ['B-601', 'B-602'] },
  { building: 'MA', floor: '2', names: ['D-21', 'D-22', 'D-23', 'D-24'] },
  { building: 'LL', floor: '1', names: ['L-11', 'L-12', 'L-13'] },
  { building: 'ND', floor: '0', names: ['N-01', 'N-02', 'N-03'] },
] as const satisfies readonly { building: BuildingCode; floor: string; names: readonly string[] }[];

type DeskName = (typeof desks)[number]['names'][number];

/** Assignments of desks: the user, from and until a number of days ago. */
const occupants: readonly (readonly [
  who: Person,
  desk: DeskName | null,
  department: string,
  from: number,
  until?: number,
  notes?: string,
])[] = [
  [elena, 'B-601', 'Management', 180],
  [victor, 'B-602', 'Management', 180],
  [nora, 'A-201', 'Facilities', 178],
  [david, 'A-203', 'Accounts', 176],
  [amira, 'S-402', 'Sales', 172, 64, 'Moved to the window side'],
  [amira, 'S-405', 'Sales', 63],
  [grace, 'D-22', 'Design', 170],
  [jonas, 'L-11', 'Laboratory', 168],
  [priya, 'A-206', 'Facilities', 165, 76],
  [priya, 'N-01', 'Facilities', 75, undefined, 'Nearer to the store'],
  [tomas, 'L-13', 'Facilities', 160],
  [ingrid, 'A-202', 'Facilities', 158],
  [samuel, 'N-02', 'Facilities', 150],
  [kofi, null, 'Security', 150, undefined, 'Sits at reception'],
];

/** Desks booked for single days of this week and the next: 0 is Monday. */
const bookings: readonly (readonly [who: Person, desk: DeskName, department: string, weekdays: readonly number[]])[] = [
  [kofi, 'S-401', 'Security', [0, 2]],
  [jonas, 'S-403', 'Laboratory', [1, 2]],
  [grace, 'S-404', 'Design', [3, 4]],
  [tomas, 'A-205', 'Facilities', [0]],
  [samuel, 'A-204', 'Facilities', [1, 3]],
  [priya, 'A-204', 'Facilities', [4]],
];

/** The demo company's desks, their assignments and bookings. */
export const seating: Seed = async (seed) => {
  for (const { building, floor, names } of desks) {
    for (const name of names) {
      const columns = { name, floor, buildingId: seed.building(building) };
      await seed.create(Desk, { at: seed.ago(182), name: `desk ${name}` }, columns);
    }
  }
  for (const [who, desk, department, from, until, notes] of occupants) {
    await seed.create(
      WorkspaceRecord,
      { at: seed.ago(from) },
      {
        userId: seed.user(who),
        deskId: desk && seed.id(`desk ${desk}`),
        department,
        startDate: seed.date(-from),
        endDate: until === undefined ? null : seed.date(-until),
        notes,
      },
    );
  }
  const monday = -((seed.now.getUTCDay() + 6) % 7);
  for (const [who, desk, department, weekdays] of bookings) {
    for (const day of weekdays.flatMap((weekday) => [monday + weekday, monday + 7 + weekday])) {
      const period = { startDate: seed.date(day), endDate: seed.date(day) };
      const columns = { userId: seed.user(who), deskId: seed.id(`desk ${desk}`), department, ...period };
      await seed.create(WorkspaceRecord, { at: seed.ago(10), by: who }, columns);
    }
  }
};
