// Times as the reader's clocks show them: those of their time zone, or else of the browser.
import { type Offset, startOfDay } from '../../src/calendar.ts';
import { offsetIn } from './company-time.ts';
import { timeZone } from './texts/texts.ts';

function offset(): Offset {
  const offsetAt = offsetIn(timeZone() ?? new Intl.DateTimeFormat().resolvedOptions().timeZone);
  // While a year is being typed, it can be one that the clocks do not have.
  return (time) => offsetAt(time) || 0;
}

/** A time as inputs take it, such as `2026-01-31T09:30`. */
export function toClockTime(time: string): string {
  const at = Date.parse(time);
  return new Date(at + offset()(at)).toISOString().slice(0, 16);
}

/**
 * The first time at which the reader's clocks show a time.
 *
 * @param shown as inputs have it, such as `2026-01-31T09:30`
 */
export const fromClockTime = (shown: string): string =>
  new Date(startOfDay(Date.parse(`${shown}Z`), offset())).toISOString();
