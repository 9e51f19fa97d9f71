import type { TimeClockType } from '../../database/generated/client/client.ts';
import { TimeClockLocation } from '../../schema/time-clock/location.ts';
import { TimeClockRecord } from '../../schema/time-clock/record.ts';
import type { Seed, SeedContext } from '../context.ts';
import type { Person } from '../people.ts';
import { ingrid, kofi, priya, samuel, tomas } from '../people.ts';

const locations = [
  {
    name: 'Harbour House',
    address: '12 Quay Street, Larkfield',
    latitude: 51.30412,
    longitude: 0.46377,
    radiusMeters: 120,
  },
  {
    name: 'Linden Laboratory',
    address: '48 Science Drive, Larkfield',
    latitude: 51.31075,
    longitude: 0.47154,
    radiusMeters: 150,
  },
  {
    name: 'Northgate Depot',
    address: 'Unit 7, Northgate Industrial Estate',
    latitude: 51.31893,
    longitude: 0.45021,
    radiusMeters: 300,
  },
];
type LocationName = 'Harbour House' | 'Linden Laboratory' | 'Northgate Depot';

/** Regular shifts: the user, the place, the start hour (UTC), and the number of hours. */
const shifts: readonly (readonly [who: Person, where: LocationName, from: number, hours: number])[] = [
  [kofi, 'Harbour House', 6.5, 8],
  [samuel, 'Northgate Depot', 7, 8.25],
  [tomas, 'Linden Laboratory', 7.25, 8],
];

/** Additional records, a number of working days ago. */
const extras: readonly (readonly [
  workdays: number,
  who: Person,
  type: TimeClockType,
  where: LocationName | null,
  from: number,
  hours: number,
  notes: string,
])[] = [
  [9, ingrid, 'REGULAR', 'Harbour House', 8, 7.5, 'Emergency lights'],
  [8, tomas, 'OVERTIME', 'Linden Laboratory', 16, 2.25, 'Cooling unit 2 again'],
  [7, ingrid, 'REGULAR', null, 8, 6, 'Training at the maker'],
  [6, samuel, 'OVERTIME', 'Northgate Depot', 16, 1.5, 'Late delivery'],
  [4, priya, 'REGULAR', 'Northgate Depot', 8, 8, 'Stock count'],
  [3, kofi, 'BREAK', 'Harbour House', 15, 0.5, 'Between two shifts'],
  [3, kofi, 'OVERTIME', 'Harbour House', 16, 3, 'Stood in for the evening shift'],
  [2, ingrid, 'REGULAR', 'Harbour House', 8, 8.5, 'Sales floor'],
];

/** Open records: the user, the place, and hours since the start. */
const open: readonly (readonly [who: Person, where: LocationName, hours: number])[] = [
  [kofi, 'Harbour House', 3.5],
  [tomas, 'Linden Laboratory', 2.25],
];

/** The demo company's time clock locations, and the records of the last two weeks. */
export const timeClock: Seed = async (seed) => {
  for (const columns of locations) {
    await seed.create(TimeClockLocation, { at: seed.ago(140), name: `clock at ${columns.name}` }, columns);
  }
  for (const days of workdays(seed)) {
    for (const [by, where, from, hours] of shifts) {
      // A variation that is the same on every run.
      const early = ((days * 7 + from * 4) % 11) / 60;
      const span = { from: seed.time(-days, from - early), until: seed.time(-days, from + hours) };
      await clock(seed, by, where, span, { type: 'REGULAR' });
    }
  }
  for (const [nth, by, type, where, from, hours, notes] of extras) {
    const days = workdays(seed)[nth - 1] ?? nth;
    const span = { from: seed.time(-days, from), until: seed.time(-days, from + hours) };
    await clock(seed, by, where, span, { type, notes });
  }
  for (const [by, where, hours] of open) {
    await clock(seed, by, where, { from: new Date(seed.now.getTime() - hours * 3_600_000) }, { type: 'REGULAR' });
  }
};

/** The working days of the last two weeks as days ago, latest first: ten. */
const workdays = (seed: SeedContext) =>
  Array.from({ length: 14 }, (_, nth) => nth + 1).filter((days) => seed.date(-days).getUTCDay() % 6 !== 0);

/** Creates a record, and closes it unless it is still open. */
async function clock(
  seed: SeedContext,
  by: Person,
  where: LocationName | null,
  { from, until }: { readonly from: Date; readonly until?: Date },
  columns: { readonly type: TimeClockType; readonly notes?: string },
): Promise<void> {
  const locationId = where && seed.id(`clock at ${where}`);
  const record = await seed.create(TimeClockRecord, { at: from, by }, { ...columns, clockInTime: from, locationId });
  if (until) await seed.update(TimeClockRecord, record.id, { at: until, by }, { clockOutTime: until });
}
