/** Stands for a place that the body does not say. No client can say it, as numbers are not negative. */
export const unsaid = -1;

/** The last place there is. */
const last = 2 ** 31 - 1;

/** The place of a new row: the one it says or, if it says none, the one after the greatest there is. */
export const place = (said: number, greatest: number | null): number =>
  said === unsaid ? Math.min((greatest ?? 0) + 1, last) : said;
