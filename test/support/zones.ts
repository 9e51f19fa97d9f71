// Where the clocks of time zones change.
import { IANAZone } from 'luxon';
import type { Offset } from '../../src/calendar.ts';

const day = 86_400_000;
const week = 7 * day;

/** The clocks of a time zone, as Node knows them. */
export const clocksOf = (zone: string): Offset => {
  const clocks = IANAZone.create(zone);
  return (time) => clocks.offset(time) * 60_000;
};

/** The times (ms) between two days at which the clocks of a zone change; of several in a week, one. */
export function changesOf(offsetAt: Offset, from: string, to: string): number[] {
  const changes: number[] = [];
  let offset = offsetAt(Date.parse(from));
  for (let time = Date.parse(from); time < Date.parse(to); time += week) {
    let [before, after] = [time, time + week];
    const last = offset;
    offset = offsetAt(after);
    if (offset === last) continue;
    while (after - before > 1000) {
      const middle = Math.floor((before + after) / 2000) * 1000;
      if (offsetAt(middle) === last) before = middle;
      else after = middle;
    }
    changes.push(after);
  }
  return changes;
}

/** The changes of a zone's clocks of which each is the first by these hours at this time of day. */
export function kindsOf(offsetAt: Offset, changes: readonly number[]): number[] {
  const kindOf = (at: number) => [offsetAt(at - 1), offsetAt(at), (at + offsetAt(at)) % day].join();
  return [...new Map(changes.toReversed().map((at) => [kindOf(at), at])).values()];
}
