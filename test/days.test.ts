// The days of a company: every time is on exactly one, and TypeScript and SQL agree on which.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startOfDay } from '../src/calendar.ts';
import type { Database } from '../src/database/index.ts';
import { testDatabase } from './support/database.ts';
import { checkDays } from './support/days-of-zones.ts';
import { changesOf, clocksOf } from './support/zones.ts';

let database: Database;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

// One kind of change each: [zone, day, its first time, the first time of the next day].
const known = [
  ['UTC', '2026-03-29', '2026-03-29T00:00:00Z', '2026-03-30T00:00:00Z'],
  // 02:00 becomes 03:00, and back.
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
  // 01:00 becomes 00:00: the day starts twice.
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z'],
  ['Atlantic/Azores', '2026-10-25', '2026-10-25T00:00:00Z', '2026-10-26T01:00:00Z'],
  // 00:00 becomes 01:00: there is no midnight.
  ['America/Havana', '2026-03-08', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z'],
  ['Atlantic/Azores', '2026-03-29', '2026-03-29T01:00:00Z', '2026-03-30T00:00:00Z'],
  // 24:00 becomes 23:00: the day ends twice.
  ['Africa/Cairo', '2026-10-29', '2026-10-28T21:00:00Z', '2026-10-29T22:00:00Z'],
  // 00:01 becomes 23:01 of the day before, which is over.
  ['America/St_Johns', '2006-10-29', '2006-10-29T02:30:00Z', '2006-10-30T03:30:00Z'],
  // 23:30 becomes 00:30.
  ['America/Toronto', '1919-03-31', '1919-03-31T04:30:00Z', '1919-04-01T04:00:00Z'],
  // A day that is left out, and one of 48 hours, of which the clocks show two.
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00Z', '2011-12-30T10:00:00Z'],
  ['Pacific/Kwajalein', '1969-09-30', '1969-09-29T13:00:00Z', '1969-10-01T12:00:00Z'],
] as const;

test.each(known)('in %s, %s is from %s to %s', async (zone, day, start, end) => {
  const midnight = Date.parse(day);
  const bounds = [midnight, midnight + 86_400_000].map((time) => new Date(startOfDay(time, clocksOf(zone))));
  expect(bounds).toEqual([new Date(start), new Date(end)]);
  const { rows } = await database.query({
    text: 'SELECT start_of_day($1::date, $2) AS start, start_of_day($1::date + 1, $2) AS end',
    values: [day, zone],
  });
  expect(rows).toEqual([{ start: new Date(start), end: new Date(end) }]);
});

const aroundOf = (time: string, days: number) => new Date(Date.parse(time) + days * 86_400_000).toISOString();

test('every time is on exactly one day, in all zones, around all changes of their clocks', async () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const changes = zones.flatMap((zone) =>
    changesOf(clocksOf(zone), '2026-01-01', '2026-12-31').map((at) => ({ zone, at })),
  );
  for (const [zone, , start, end] of known)
    changes.push(...changesOf(clocksOf(zone), aroundOf(start, -10), aroundOf(end, 10)).map((at) => ({ zone, at })));
  const { compared, others } = await checkDays(database, changes);
  expect(compared).toBeGreaterThan(10_000);
  // Databases of time zones that differ by a release.
  expect(others.length).toBeLessThan(10);
});
