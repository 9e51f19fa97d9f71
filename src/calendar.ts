// The days of a time zone. The pages use this module too, so it imports nothing.

const hour = 3_600_000;
const day = 24 * hour;

/** By how much (ms) the clocks of a time zone are ahead of UTC at a time (ms). */
export type Offset = (time: number) => number;

/**
 * The first time (ms) at which the clocks of a time zone show a day or a later one. It is midnight, the first one where
 * there are two. Where clocks are put forward over midnight, it is the moment they are. A day that a zone left out
 * begins with the one after it.
 *
 * @param midnight the day, as midnight in UTC (ms)
 */
export function startOfDay(midnight: number, offsetAt: Offset): number {
  const shown = (time: number) => time + offsetAt(time);
  // No offset exceeds 16 hours, and no zone changed its offset twice within two days.
  for (const time of [midnight - 16 * hour, midnight + 16 * hour]) {
    const start = midnight - offsetAt(time);
    if (shown(start) === midnight) return start;
  }
  // The clocks leave out midnight: they are put forward after `before`, by `after`.
  let [before, after] = [midnight - 16 * hour, midnight + 16 * hour];
  while (after - before > 1000) {
    const middle = Math.floor((before + after) / 2000) * 1000;
    if (shown(middle) < midnight) before = middle;
    else after = middle;
  }
  return after;
}

/**
 * The day of a time (ms) in a time zone, as midnight in UTC (ms): the last one that has begun. Where the clocks are put
 * back over midnight, the day that they show again is over.
 */
export function dayOf(time: number, offsetAt: Offset): number {
  const shown = Math.floor((time + offsetAt(time)) / day) * day;
  const isPutBack = offsetAt(time - day) > offsetAt(time);
  return isPutBack && startOfDay(shown + day, offsetAt) <= time ? shown + day : shown;
}
