// Cells of spreadsheets: each has the kind of its value, so that none is read as another, or as a formula.
import { ExactNumber, readNumber, stringifyJson } from '../json.ts';
import { offsetIn } from './days.ts';
import type { FieldType, SheetCell } from './field-type.ts';

const dayMs = 86_400_000;

/** The day 0 of spreadsheets, 1899-12-30, in ms of Unix time. */
const dayZero = Date.UTC(1899, 11, 30);

/** The first day that all programs count alike: some know a 1900-02-29, which never was. */
const firstDay = Date.UTC(1900, 2, 1);
const endOfDays = Date.UTC(10_000, 0, 1);

/** A time on a clock (ms, as if that showed UTC) as a number of days; undefined where spreadsheets have no number. */
const serialOf = (time: number): number | undefined =>
  time >= firstDay && time < endOfDays ? (time - dayZero) / dayMs : undefined;

/** Text, whatever it begins with. */
const textCell = (shown: unknown): SheetCell => ({ text: String(shown) });

/** A number; as text, where a spreadsheet's number does not hold its digits. */
export function numberCell(shown: unknown): SheetCell {
  const text = String(shown);
  return shown instanceof ExactNumber && readNumber(text) instanceof ExactNumber ? { text } : { number: text };
}

/** True or false. */
export const booleanCell = (shown: unknown): SheetCell => ({ boolean: shown === true });

/** A day. */
export function dateCell(shown: unknown): SheetCell {
  const date = serialOf(Date.parse(String(shown)));
  return date === undefined ? textCell(shown) : { date };
}

/** Offsets of time zones by quarters of an hour, as finding one takes some microseconds. Clocks change between them. */
const offsets = new Map<string, number>();
const maxOffsets = 10_000;

function offsetAt(at: number, timeZone: string): number {
  const key = `${timeZone} ${Math.floor(at / 900_000)}`;
  let offset = offsets.get(key);
  if (offset === undefined) {
    offset = offsetIn(timeZone)(at);
    if (offsets.size >= maxOffsets) offsets.clear();
    offsets.set(key, offset);
  }
  return offset;
}

/** A time, as a clock in the time zone shows it. */
export function dateTimeCell(shown: unknown, timeZone: string): SheetCell {
  const at = Date.parse(String(shown));
  const time = serialOf(at + offsetAt(at, timeZone));
  return time === undefined ? textCell(shown) : { time };
}

/**
 * The cell of any value.
 *
 * @param shown the value as clients get it
 * @param type the type of the column, if it has one
 * @param timeZone in which times are shown
 * @returns undefined for no value; lists and objects are JSON
 */
export function sheetCell(shown: unknown, type: FieldType | undefined, timeZone: string): SheetCell | undefined {
  if (shown === null || shown === undefined) return undefined;
  if (typeof shown === 'object' && !(shown instanceof ExactNumber)) return textCell(stringifyJson(shown));
  if (type) return type.sheet(shown, timeZone);
  if (typeof shown === 'boolean') return booleanCell(shown);
  return typeof shown === 'string' ? textCell(shown) : numberCell(shown);
}
