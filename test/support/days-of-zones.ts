// Checks the days of time zones around the changes of their clocks.
import { expect } from '@jest/globals';
import { dayOf, type Offset, startOfDay } from '../../src/calendar.ts';
import type { Database } from '../../src/database/index.ts';
import { clocksOf } from './zones.ts';

const second = 1000;
const hour = 3600 * second;
const day = 24 * hour;

/** A change of a zone's clocks. */
export interface ClockChange {
  readonly zone: string;
  readonly at: number;
}

const iso = (time: number) => new Date(time).toISOString();

/**
 * Checks that around each change every time is on exactly one day, that a day begins when the clocks first show it or a
 * later one, and that the database says the same, where it has the same clocks.
 *
 * @returns how many days and times the database was compared on, and of which zones it has other clocks
 */
export async function checkDays(database: Database, changes: readonly ClockChange[]) {
  const days: { zone: string; day: number; start: number }[] = [];
  const times: { zone: string; time: number; day: number }[] = [];
  for (const { zone, at } of changes) {
    const offsetAt = clocksOf(zone);
    const first = Math.floor((at + offsetAt(at)) / day) * day - 2 * day;
    const around = Array.from({ length: 6 }, (_, n) => first + n * day);
    const starts = around.map((midnight) => startOfDay(midnight, offsetAt));
    const sampled = [at, ...starts]
      .flatMap((time) => [-day, -hour, -second, 0, second, hour].map((by) => time + by))
      .map((time) => ({ zone, time, day: dayOf(time, offsetAt) }));
    const critical = [at - second, ...starts.map((start) => start - second)];
    for (const [n, start] of starts.slice(0, -1).entries()) {
      const midnight = around[n] as number;
      const end = starts[n + 1] as number;
      expect(start).toBeLessThanOrEqual(end);
      // The clocks show it, or later, for the first time.
      if (shown(start, offsetAt) < midnight) throw new Error(`${zone}: ${iso(midnight)} begins before ${iso(start)}`);
      for (const time of critical)
        if (time < start && shown(time, offsetAt) >= midnight)
          throw new Error(`${zone}: ${iso(midnight)} begins at ${iso(time)}, not at ${iso(start)}`);
      for (const { time, day: found } of sampled)
        if ((found === midnight) !== (time >= start && time < end))
          throw new Error(
            `${zone}: ${iso(time)} is on ${iso(found)}, and ${iso(midnight)} from ${iso(start)} to ${iso(end)}`,
          );
      days.push({ zone, day: midnight, start });
    }
    times.push(...sampled);
  }
  return compareWithDatabase(database, days, times);
}

const shown = (time: number, offsetAt: Offset) => time + offsetAt(time);

async function compareWithDatabase(
  database: Database,
  days: readonly { zone: string; day: number; start: number }[],
  times: readonly { zone: string; time: number; day: number }[],
) {
  const epoch = (sql: string) => `(extract(epoch FROM ${sql}) * 1000)::bigint::text`;
  const clocks = (sql: string) => epoch(`((${sql}) AT TIME ZONE zone)`);
  const { rows: starts } = await database.query({
    text: `SELECT ${epoch('start_of_day(day, zone)')} AS start, ${clocks("start - interval '16 hours'")} AS before,
             ${clocks("start - interval '1 second'")} AS until, ${clocks('start')} AS at, ${clocks("start + interval '16 hours'")} AS after
           FROM unnest($1::text[], $2::date[], $3::timestamptz[]) WITH ORDINALITY AS given (zone, day, start, n) ORDER BY n`,
    values: [
      days.map(({ zone }) => zone),
      days.map((one) => iso(one.day).slice(0, 10)),
      days.map(({ start }) => iso(start)),
    ],
  });
  const { rows: found } = await database.query({
    text: `SELECT ${epoch('day_in(zone, time)::timestamp')} AS day, ${clocks('time')} AS at, ${clocks("time - interval '1 day'")} AS before
           FROM unnest($1::text[], $2::timestamptz[]) WITH ORDINALITY AS given (zone, time, n) ORDER BY n`,
    values: [times.map(({ zone }) => zone), times.map(({ time }) => iso(time))],
  });
  const others = new Set<string>();
  const clocksAgree = (zone: string, pairs: readonly (readonly [unknown, number])[]) => {
    const offsetAt = clocksOf(zone);
    const agree = pairs.every(([theirs, time]) => Number(theirs) === shown(time, offsetAt));
    if (!agree) others.add(zone);
    return agree;
  };
  let compared = 0;
  for (const [n, { zone, day: midnight, start }] of days.entries()) {
    const row = starts[n] ?? {};
    const pairs = [
      [row['before'], start - 16 * hour],
      [row['until'], start - second],
      [row['at'], start],
      [row['after'], start + 16 * hour],
    ] as const;
    if (!clocksAgree(zone, pairs)) continue;
    compared += 1;
    if (Number(row['start']) !== start)
      throw new Error(
        `${zone}: ${iso(midnight)} begins at ${iso(Number(row['start']))} in the database, not at ${iso(start)}`,
      );
  }
  for (const [n, { zone, time, day: midnight }] of times.entries()) {
    const row = found[n] ?? {};
    if (
      !clocksAgree(zone, [
        [row['at'], time],
        [row['before'], time - day],
      ])
    )
      continue;
    compared += 1;
    if (Number(row['day']) !== midnight)
      throw new Error(
        `${zone}: ${iso(time)} is on ${iso(Number(row['day']))} in the database, not on ${iso(midnight)}`,
      );
  }
  return { compared, others: [...others] };
}
