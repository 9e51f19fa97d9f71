// Days of the company: they begin at midnight in its time zone, wherever the reader is.

/** The company's day at a time, such as 2026-01-31. */
export const dayIn = (timeZone: string, time: Date): string => wallClock(timeZone, time).slice(0, 10);

/** A number of days after a day. */
export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10);

/** The first day of the month that is a number of months after that of a day. */
export function firstOfMonth(day: string, months = 0): string {
  const date = new Date(day);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)).toISOString().slice(0, 10);
}

/** The first time of a day as the API takes it: the day alone where it begins at midnight UTC. */
export function startOfDay(day: string, timeZone: string): string {
  const midnight = Date.parse(day);
  const offsetAt = (time: number) => Date.parse(`${wallClock(timeZone, new Date(time))}Z`) - time;
  // The offset at midnight UTC may differ from that at the company's midnight, where the clocks change between them.
  const start = midnight - offsetAt(midnight - offsetAt(midnight));
  return start === midnight ? day : new Date(start).toISOString();
}

/** The time on the clocks of a time zone, such as 2026-01-31T09:30:00. */
const wallClock = (timeZone: string, time: Date): string =>
  new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(time).replace(' ', 'T');
