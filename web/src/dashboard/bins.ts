/** How a chart groups days. */
export type BinSize = 'day' | 'week' | 'month';

/** Chooses bins so that a chart of that many days stays readable: up to about a hundred bars, and 120 for ten years. */
export function binSizeFor(days: number): BinSize {
  if (days <= 92) return 'day';
  return days <= 731 ? 'week' : 'month';
}

interface DayCount {
  /** A calendar date. */
  readonly date: string;
  readonly count: number;
}

/**
 * Adds up counts of consecutive days. Weeks start on Monday.
 * @returns a count for each bin, with the first of its days that is in the range
 */
export function binDays(days: readonly DayCount[], size: BinSize): DayCount[] {
  const bins = new Map<string, DayCount>();
  for (const { date, count } of days) {
    const key = keyOf(date, size);
    const bin = bins.get(key);
    bins.set(key, { date: bin?.date ?? date, count: (bin?.count ?? 0) + count });
  }
  return [...bins.values()];
}

function keyOf(date: string, size: BinSize): string {
  if (size === 'day') return date;
  if (size === 'month') return date.slice(0, 7);
  const monday = new Date(date);
  monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
  return monday.toISOString();
}
