// How people write numbers and dates: what a file uses is found out from all of its values, or told by the client.
import { DateTime } from 'luxon';

/** How decimals are written: `1.5`, or `1,5`. */
export const decimals = ['point', 'comma'] as const;
/** How decimals are written. */
export type Decimals = (typeof decimals)[number];

/** How days are written: 31/12/2026, or 12/31/2026. */
export const dateOrders = ['dmy', 'mdy'] as const;
/** How days are written. */
export type DateOrder = (typeof dateOrders)[number];

/** How a file writes numbers and days, as far as that is known. */
export interface Conventions {
  readonly decimal?: Decimals | undefined;
  readonly dateOrder?: DateOrder | undefined;
}

/** What a value says about a convention: one of its ways, `either`, or nothing. */
type Evidence<Way> = Way | 'either' | undefined;

/** A number with at most one sign, and groups of three digits or none. */
const numberForm = /^[+-]?(\d+|\d{1,3}([.,'’ \u00A0\u202F]\d{3})+|\d*)([.,]\d+)?$/;
const groupMarks = /['’ \u00A0\u202F]/g;

/** What a text says about how decimals are written. */
export function decimalEvidence(text: string): Evidence<Decimals> {
  const marks = text.replaceAll(groupMarks, '').replaceAll(/[^.,]/g, '');
  if (marks === '' || !numberForm.test(text)) return undefined;
  const last = marks.at(-1) === ',' ? 'comma' : 'point';
  if (marks.includes(',') && marks.includes('.')) return last;
  // One mark several times separates groups of digits.
  if (marks.length > 1) return last === 'comma' ? 'point' : 'comma';
  return /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/.test(text) ? 'either' : last;
}

/** The digits of a number as JSON writes them; undefined for what is no number, or not in the way of the file. */
export function readDecimal(text: string, way: Decimals): string | undefined {
  if (!numberForm.test(text) || !/\d/.test(text)) return undefined;
  const plain = text.replaceAll(groupMarks, '').replace(/^\+/, '');
  const [mark, group] = way === 'comma' ? [',', '.'] : ['.', ','];
  const [whole = '', fraction, ...more] = plain.split(mark);
  if (more.length > 0 || fraction?.includes(group)) return undefined;
  if (whole.includes(group) && !/^-?\d{1,3}(?:[.,]\d{3})+$/.test(whole)) return undefined;
  const digits = whole
    .replaceAll(group, '')
    .replace(/^(-?)0*(?=\d)/, '$1')
    .replace(/^(-?)$/, '$10');
  return fraction === undefined ? digits : `${digits}.${fraction}`;
}

const dayForm = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[ ,T]+(.+))?$/;
const yearForm = /^(\d{4})[./](\d{1,2})[./](\d{1,2})(?:[ ,T]+(.+))?$/;
const clockForm = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s*([ap])?\.?(?:m\.?)?$/i;

/** What a text says about the order of days and months. With dots the day comes first, wherever that is written. */
export function dateEvidence(text: string): Evidence<DateOrder> {
  const [, one, mark, other] = dayForm.exec(text) ?? [];
  if (one === undefined || other === undefined || mark === '.') return undefined;
  const [first, second] = [Number(one), Number(other)];
  if (first > 12 && second <= 12) return 'dmy';
  if (second > 12 && first <= 12) return 'mdy';
  return first === second || first > 12 ? undefined : 'either';
}

/** A day and the time of a clock, as a text has them. */
export interface WrittenTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Whether it says a time. */
  readonly hasTime: boolean;
}

/** Reads a day as people write it, perhaps with a time; undefined for what is none, or none that exists. */
export function readDay(text: string, order: DateOrder): WrittenTime | undefined {
  const [, one, mark, other, year, clock] = dayForm.exec(text) ?? [];
  const [, isoYear, isoMonth, isoDay, isoClock] = yearForm.exec(text) ?? [];
  if (year === undefined && isoYear === undefined) return undefined;
  const [month, day] = order === 'mdy' && mark !== '.' ? [one, other] : [other, one];
  const written = {
    year: Number(year ?? isoYear),
    month: Number(isoMonth ?? month),
    day: Number(isoDay ?? day),
    ...readClock(clock ?? isoClock),
  };
  return Number.isNaN(written.hour) || !DateTime.fromObject(dateOf(written)).isValid ? undefined : written;
}

const dateOf = ({ year, month, day }: Pick<WrittenTime, 'year' | 'month' | 'day'>) => ({ year, month, day });

function readClock(text: string | undefined) {
  if (text === undefined) return { hour: 0, minute: 0, second: 0, hasTime: false };
  const [, hour = NaN, minute, second = 0, half] = clockForm.exec(text.trim()) ?? [];
  const given = Number(hour);
  const isWrong = half === undefined ? given > 23 : given < 1 || given > 12;
  const inDay = half === undefined ? given : (given % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  const wrong = isWrong || Number(minute) > 59 || Number(second) > 59;
  return { hour: wrong ? NaN : inDay, minute: Number(minute), second: Number(second), hasTime: true };
}

/** The evidence of a whole file for one convention, with the first value that says something. */
export class Survey<Way extends string> {
  private readonly found = new Map<Way | 'either', string>();

  /** @param where names the value to people */
  add(evidence: Evidence<Way>, where: () => string): void {
    if (evidence !== undefined && !this.found.has(evidence)) this.found.set(evidence, where());
  }

  /**
   * @param ways the two that there are
   * @returns the way of the file, or what can be read in two ways; neither where nothing depends on it
   */
  conclude(ways: readonly [Way, Way]): { readonly way?: Way; readonly open?: string } {
    const [one, other] = ways.map((way) => this.found.get(way));
    if (one !== undefined && other !== undefined) return { open: `${one} and ${other} are written differently` };
    if (one !== undefined) return { way: ways[0] };
    if (other !== undefined) return { way: ways[1] };
    const either = this.found.get('either');
    return either === undefined ? {} : { open: `${either} can be read in two ways` };
  }
}
