// Reads cells as the values of fields: those that the export writes, and those that people and spreadsheets write.
import { DateTime } from 'luxon';
import type { ApiField } from '../database/stored-field.ts';
import { ServiceError } from '../errors.ts';
import {
  boolean,
  type Checked,
  date,
  dateTime,
  decimal,
  type FieldType,
  integer,
  parseCell,
  text,
} from '../fields/index.ts';
import { isUuid } from '../formats.ts';
import { oneOf, readLeaf } from '../input/index.ts';
import { isNumber, readNumber } from '../json.ts';
import type { DateOrder, Decimals } from './conventions.ts';
import {
  type Conventions,
  dateEvidence,
  decimalEvidence,
  readDay,
  readDecimal,
  type Survey,
  type WrittenTime,
} from './conventions.ts';
import type { Cell } from './table.ts';

/** How cells are read. */
export interface CellOptions extends Conventions {
  /** In which clocks show times. */
  readonly timeZone: string;
}

const wordsOfBooleans: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'y', '1', 'on', 'x', 'ja', 'oui', 'si', 'sí', 'wahr', 'vrai', 'verdadero'].map(
    (word) => [word, true] as const,
  ),
  ...['false', 'no', 'n', '0', 'off', 'nein', 'non', 'falsch', 'faux', 'falso'].map((word) => [word, false] as const),
]);

/** Days between 1899-12-30, from which spreadsheets count, and 1970-01-01. */
const unixDay = 25_569;
const dayMs = 86_400_000;

/**
 * Reads the cell of a field.
 *
 * @returns the value as resolvers get it, null for an empty cell, or what is wrong
 */
export function readCell(cell: Cell, field: ApiField, options: CellOptions): Checked {
  if (cell === null) return { value: null };
  if ('error' in cell) return cell;
  if ('json' in cell) return readJson(cell.json, field);
  const { type } = field;
  if (field.list) return readList(textOf(cell), field);
  if (type.words) return readWord(textOf(cell), type.words);
  if (type.name === boolean.name) return readBoolean(cell);
  if (type.name === date.name || type.name === dateTime.name) return readTime(cell, type, options);
  if (type.name === decimal.name || type.name === integer.name) return readNumberCell(cell, type, options);
  return parseCell(type, textOf(cell));
}

/** Notes what a cell says about how its file writes numbers and days. */
export function survey(
  cell: Cell,
  { type, list }: ApiField,
  surveys: { readonly decimal: Survey<Decimals>; readonly dateOrder: Survey<DateOrder> },
  where: () => string,
): void {
  if (cell === null || !('text' in cell) || list) return;
  const written = cell.text.trim();
  if (type.name === decimal.name || type.name === integer.name) surveys.decimal.add(decimalEvidence(written), where);
  if (type.name === date.name || type.name === dateTime.name) surveys.dateOrder.add(dateEvidence(written), where);
}

/** The text of a cell, as a spreadsheet shows it. */
export function textOf(cell: Cell): string {
  if (cell === null || 'error' in cell) return '';
  if ('text' in cell) return cell.text;
  if ('number' in cell) return cell.number;
  if ('boolean' in cell) return String(cell.boolean);
  if ('serial' in cell)
    return DateTime.fromMillis(Math.round((cell.serial - unixDay) * dayMs), { zone: 'utc' }).toISO() ?? '';
  return typeof cell.json === 'string' ? cell.json : JSON.stringify(cell.json);
}

/** A value of JSON, as the body of a request has it. */
function readJson(json: unknown, field: ApiField): Checked {
  const { type, list } = field;
  if (list !== Array.isArray(json)) return { error: list ? 'must be an array' : 'must not be an array' };
  if (Array.isArray(json)) {
    const items = json.map((item) => readJson(item, { ...field, list: false }));
    const wrong = items.find((item) => 'error' in item);
    return wrong ?? { value: items.map((item) => 'value' in item && item.value) };
  }
  if (type.words) return readWord(String(json), type.words);
  return readScalar(type, json, 'json');
}

function readScalar(type: FieldType, value: unknown, source: 'json' | 'text'): Checked {
  if (!type.scalar) return { value };
  try {
    const read = readLeaf(type.scalar, value, source, isUuid);
    const isTime = type.name === date.name || type.name === dateTime.name;
    return { value: isTime ? type.scalar.parseValue(read) : read };
  } catch (error) {
    if (error instanceof ServiceError) return { error: error.reason };
    throw error;
  }
}

function readList(cell: string, field: ApiField): Checked {
  const parsed = field.type.csv.parse(cell);
  if (!('error' in parsed)) return readJson(parsed.value, field);
  // People write lists with commas.
  return cell.trimStart().startsWith('[')
    ? parsed
    : readJson(
        cell
          .split(/[,;\n]/)
          .map((item) => item.trim())
          .filter((item) => item !== ''),
        field,
      );
}

/** A member of an enum, by its value in REST or GraphQL, or as people read it. */
function readWord(cell: string, words: Readonly<Record<string, string>>): Checked {
  const plain = plainWord(cell);
  const member = Object.entries(words).find(([name, word]) => plainWord(name) === plain || plainWord(word) === plain);
  return member ? { value: member[0] } : { error: `must be ${oneOf(Object.values(words))}` };
}

const plainWord = (word: string) =>
  word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '');

function readBoolean(cell: Exclude<Cell, null>): Checked {
  const value = 'boolean' in cell ? cell.boolean : wordsOfBooleans.get(textOf(cell).trim().toLowerCase());
  return value === undefined ? { error: 'must be true or false' } : { value };
}

function readNumberCell(cell: Exclude<Cell, null>, type: FieldType, { decimal: way = 'point' }: CellOptions): Checked {
  if ('serial' in cell) return { error: 'must be a number, and is a date' };
  if ('number' in cell) {
    const number = readNumber(cell.number);
    return readScalar(type, type.name === integer.name ? Number(cell.number) : number, 'json');
  }
  const digits = readDecimal(textOf(cell).trim(), way);
  // A whole number may have zeros after its point.
  const given =
    digits === undefined ? Number.NaN : readNumber(type.name === integer.name ? digits.replace(/\.0+$/, '') : digits);
  return readScalar(type, isNumber(given) ? given : Number.NaN, 'json');
}

function readTime(cell: Exclude<Cell, null>, type: FieldType, options: CellOptions): Checked {
  const isDay = type.name === date.name;
  if ('serial' in cell) return readSerial(cell.serial, isDay, options);
  if (!('text' in cell)) return { error: 'must be a date, in a cell that is formatted as one or has its text' };
  const written = cell.text.trim();
  const day = readDay(written, options.dateOrder ?? 'dmy');
  if (day) {
    if (isDay && day.hasTime && day.hour + day.minute + day.second > 0)
      return { error: 'must be a date without a time' };
    return { value: timeOf(day, isDay ? 'utc' : options.timeZone) };
  }
  return readScalar(
    type,
    isDay ? written.replace(/[T ]00:00(:00(\.0+)?)?Z?$/, '') : written.replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T'),
    'text',
  );
}

const timeOf = ({ hasTime: _, ...written }: WrittenTime, zone: string): Date =>
  DateTime.fromObject(written, { zone }).toJSDate();

/** A number of days, which is not more exact than a millisecond. */
function readSerial(serial: number, isDay: boolean, { timeZone }: CellOptions): Checked {
  const shown = DateTime.fromMillis(Math.round((serial - unixDay) * dayMs), { zone: 'utc' });
  if (!shown.isValid || shown.year < 1 || shown.year > 9999) return { error: 'must be a date that exists' };
  if (isDay && Math.abs(serial - Math.round(serial)) > 1e-6) return { error: 'must be a date without a time' };
  return { value: (isDay ? shown.startOf('day') : shown.setZone(timeZone, { keepLocalTime: true })).toJSDate() };
}

/** The text of a cell without the apostrophe that an export has put before what looks like a formula. */
export function plainText(cell: Cell): string {
  const read = parseCell(text, textOf(cell));
  return 'value' in read && typeof read.value === 'string' ? read.value.trim() : '';
}
