// JSON with the digits of its numbers. JSON.parse makes a double of each number, which holds fifteen digits of every
// decimal, and JSON.stringify prints one. Both are native and fast, so the few numbers that a double does not hold pass
// through them as marked strings. From Node 22 on, JSON.rawJSON and the source text of a reviver could do the same.
import { randomBytes } from 'node:crypto';

/** Begins the string that stands for a number. Nobody else knows it, so no client can write such a string. */
const marker = `number ${randomBytes(12).toString('hex')} `;

/** The most characters of a number, and its largest exponent: more than any type has. */
const maxLength = 1000;

/** A number whose digits a double does not hold. */
export class ExactNumber {
  /** @param text its notation in JSON */
  constructor(readonly text: string) {}

  /** Whether it is too long to be calculated with. */
  get isTooLong(): boolean {
    const [, exponent = '0'] = this.text.split(/e/i);
    return (
      this.text.length > maxLength || Math.abs(Number(exponent)) > maxLength || !Number.isFinite(Number(this.text))
    );
  }

  toString(): string {
    return this.text;
  }

  /** What `stringifyJson` finds again. */
  toJSON(): string {
    return marker + this.text;
  }
}

/** Whether a value of parsed JSON is a number. */
export const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber;

/** Reads a number in JSON's notation: as a double, if this holds all of its digits. */
export function readNumber(text: string): number | ExactNumber {
  if (text.length <= 15 && !/e/i.test(text)) return Number(text);
  if (isDouble(text)) return Number(text);
  const isPlain = text.length <= maxLength && text.includes('.') && !/e/i.test(text);
  return new ExactNumber(isPlain ? text.replace(/\.?0+$/, '') : text);
}

/** Whether the nearest double of a number is printed with the same digits. */
function isDouble(text: string): boolean {
  if (text.length > maxLength) return false;
  const number = Number(text);
  return Number.isFinite(number) && digitsOf(String(number)) === digitsOf(text);
}

/** The digits of a number without zeros at their ends, and its exponent: the same for all notations of a number. */
function digitsOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  return (
    significant && `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
  );
}

/** Matches every text in JSON that has a number of sixteen characters or with an exponent, and few others. */
const longNumber = /(?:^|[[:,\s])-?\d(?:[\d.]{15}|[\d.]*e)/i;

/** The strings and numbers of a text in JSON. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/**
 * Parses JSON as JSON.parse does, but for numbers that a double does not hold, which become an ExactNumber.
 *
 * @param mayBeInexact whether the text may have such numbers, where that is known
 * @throws SyntaxError for a text that is not JSON, RangeError for one that is nested too deeply
 */
export const parseJson = (text: string, mayBeInexact = longNumber.test(text)): unknown =>
  parseNumbers(text, mayBeInexact, readNumber);

/** A number near zero, which JSON.stringify would print with an exponent. */
const tinyNumber = /\b0\.0{6}/;

/** Parses JSON that PostgreSQL wrote, so that its numbers are printed with the same digits, and without an exponent. */
export const parseShown = (text: string): unknown =>
  parseNumbers(text, longNumber.test(text) || tinyNumber.test(text), (token) => {
    const number = readNumber(token);
    return String(number).includes('e') ? new ExactNumber(token) : number;
  });

function parseNumbers(text: string, mayBeInexact: boolean, read: typeof readNumber): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!mayBeInexact) return parsed;
  let isInexact = false;
  const marked = text.replace(tokens, (token) => {
    if (token.startsWith('"') || !(read(token) instanceof ExactNumber)) return token;
    isInexact = true;
    return `"${marker}${token}"`;
  });
  if (!isInexact) return parsed;
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(marker) ? read(value.slice(marker.length)) : value,
  );
}

const printed = new RegExp(`"${marker}([^"]*)"`, 'g');

/** Prints JSON as JSON.stringify does, with the digits of each ExactNumber. */
export function stringifyJson(value: unknown, replacer?: (name: string, value: unknown) => unknown): string {
  const text = JSON.stringify(value, replacer);
  return text?.includes(marker) ? text.replace(printed, '$1') : text;
}
