import { messages } from '../input/index.ts';

/** The years that dates and times of rows can be in. Others are slips, such as a year of two digits. */
export const years = { first: 1900, last: 2199 } as const;

const [start, end] = [Date.UTC(years.first, 0, 1), Date.UTC(years.last + 1, 0, 1)];

/** Whether a date or time can be stored. */
export const isInBounds = (time: number): boolean => time >= start && time < end;

/** What is wrong with a date or time that is to be stored; undefined for a good one. */
export const findTimeError = (value: Date): string | undefined =>
  isInBounds(value.getTime()) ? undefined : messages.between(`${years.first}-01-01`, `${years.last}-12-31`);
