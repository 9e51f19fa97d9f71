// The days of all zones around each kind of change of their clocks since 1970, and as far as these are known.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/database/index.ts';
import { testDatabase } from './support/database.ts';
import { checkDays } from './support/days-of-zones.ts';
import { changesOf, clocksOf, kindsOf } from './support/zones.ts';

let database: Database;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('every time is on exactly one day, in all zones, around the first of each kind of change', async () => {
  const changes = Intl.supportedValuesOf('timeZone').flatMap((zone) => {
    const offsetAt = clocksOf(zone);
    return kindsOf(offsetAt, changesOf(offsetAt, '1970-01-01', '2040-01-01')).map((at) => ({ zone, at }));
  });
  // By ICU's data of 2025; others differ by few.
  expect(changes.length).toBeGreaterThan(1000);
  const { compared } = await checkDays(database, changes);
  expect(compared).toBeGreaterThan(40_000);
});
