import { z } from 'zod';
import { Prisma } from '../database/generated/client/client.ts';
import type { FieldErrors } from '../errors.ts';
import { isUuid } from '../formats.ts';
import { type ColumnFacts, defaultMaxLength } from './model.ts';

/** What JSON Schema can say of a rule. */
export interface RuleFacts {
  /** What text is like that is not empty; empty text is unset, which no rule forbids. */
  readonly pattern?: string;
  /** The formats that text may have, if it is not empty. */
  readonly formats?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** Says what is wrong with a value that is set, or undefined when nothing is. */
export type Rule = ((value: never) => string | undefined) & { readonly facts?: RuleFacts };

const ip = z.union([z.ipv4(), z.ipv6()]);

/** A name of the domain name system, and what stands before the @ of an email address (RFC 5321). */
const label = '[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?';
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
/** What browsers show of a URL and take for one: they encode what RFC 3986 has no place for. */
const inUrl = '[^\\s\\x00-\\x1f\\x7f]*';

/** A rule with what JSON Schema can say of it. */
const rule = <Value>(facts: RuleFacts, error: (value: Value) => string | undefined) => Object.assign(error, { facts });

/** A rule for text that is written in one way. */
function written(pattern: string, error: string) {
  const form = new RegExp(`^(${pattern})$`);
  return rule({ pattern }, (value: string) => (form.test(value) ? undefined : error));
}

/** The rules a column can be given beyond what its type says. */
export const rules = {
  email: written(`${atom}([.]${atom})*@(${label}[.])+${label}`, 'must be an email address'),
  url: written(
    `[Hh][Tt][Tt][Pp][Ss]?://([A-Za-z0-9._~%!$&'()*+,;=:-]*@)?([A-Za-z0-9._~\\u00a1-\\uffff-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?([/?#]${inUrl})?`,
    'must be an http or https URL',
  ),
  ip: rule({ formats: ['ipv4', 'ipv6'] }, (value: string) =>
    ip.safeParse(value).success ? undefined : 'must be an IP address',
  ),
  color: written('#([0-9A-Fa-f]{3}){1,2}', 'must be a hex color such as #0a8 or #00aa88'),
  /** Numbers from `least` to `most`, both allowed. */
  between: (least: number, most: number) =>
    rule({ minimum: least, maximum: most }, (value: number) =>
      value >= least && value <= most ? undefined : `must be between ${least} and ${most}`,
    ),
  /** Numbers over `least`, up to and including `most`. */
  over: (least: number, most: number) =>
    rule({ exclusiveMinimum: least, maximum: most }, (value: number) =>
      value > least && value <= most ? undefined : `must be over ${least} and at most ${most}`,
    ),
} satisfies Record<string, Rule | ((...limits: never[]) => Rule)>;

/**
 * Cleans and checks one value of a body against its column.
 * @returns the value to store, or an error
 */
export function checkValue(value: unknown, facts: ColumnFacts, rule?: Rule): { value: unknown } | { error: string } {
  if (value === null) return facts.required ? { error: 'must not be null' } : { value };
  const clean =
    typeof value === 'string' ? cleanText(value, facts) : typeof value === 'number' ? cleanNumber(value, facts) : value;
  if (clean === null) return { value: null };
  // A number's own limits say more than what its column could hold; a text must be readable before a rule looks at it.
  const ownError = rule ? rule(clean as never) : signError(clean);
  const error = typeof clean === 'number' ? (ownError ?? errorOf(clean, facts)) : (errorOf(clean, facts) ?? ownError);
  if (error) return { error };
  // What is stored and what was read are of one type: an exact number.
  return { value: typeof clean === 'number' && facts.type === 'Decimal' ? new Prisma.Decimal(clean) : clean };
}

/** Text without the spaces around it; an optional one that has nothing else is unset. An id in the database's spelling. */
function cleanText(text: string, { type, required }: ColumnFacts): string | null {
  const trimmed = text.trim();
  if (type === 'Uuid') return trimmed.toLowerCase();
  return trimmed === '' && !required ? null : trimmed;
}

/** A decimal without what binary fractions add to it: 0.1 + 0.2 is 0.3. */
function cleanNumber(value: number, { type, scale = 0 }: ColumnFacts): number {
  const rounded = type === 'Decimal' ? Number(value.toFixed(scale)) : value;
  return Math.abs(rounded - value) <= 2 * Number.EPSILON * Math.abs(value) ? rounded : value;
}

function errorOf(value: unknown, facts: ColumnFacts): string | undefined {
  if (facts.type === 'Uuid') return isUuid(value) ? undefined : 'must be a uuid';
  if (typeof value === 'string') return textError(value, facts);
  if (typeof value === 'number' && facts.type === 'Decimal') return decimalError(value, facts);
  return undefined;
}

function textError(text: string, { enum: isEnum, maxLength = defaultMaxLength, required }: ColumnFacts) {
  if (isEnum) return undefined;
  if (text.includes('\0')) return 'must not contain NUL';
  if (!text.isWellFormed()) return 'must be well-formed Unicode';
  if (required && text === '') return 'must not be empty';
  // Characters, not UTF-16 units: that is how PostgreSQL measures the column.
  const tooLong = text.length > maxLength && [...text].length > maxLength;
  return tooLong ? `must be at most ${maxLength} characters` : undefined;
}

function decimalError(value: number, { precision = 0, scale = 0 }: ColumnFacts) {
  if (Math.abs(value) >= 10 ** (precision - scale)) return `must be less than ${10 ** (precision - scale)}`;
  const rounded = Number(value.toFixed(scale));
  return rounded === value ? undefined : `must have at most ${scale} decimal places`;
}

/** The longest item of a list: like other text of one line. */
export const maxItemLength = 500;

/** The most items of a list. */
export const maxListItems = 500;

/** Cleans and checks the items of a list; errors are named by their place, `options.2`. */
function checkItems(
  name: string,
  items: readonly unknown[],
  facts: ColumnFacts,
  rule: Rule | undefined,
  errors: FieldErrors,
): unknown[] {
  const item: ColumnFacts = { ...facts, list: false, required: true, maxLength: facts.maxLength ?? maxItemLength };
  if (items.length > maxListItems) {
    errors[name] = `must be at most ${maxListItems}`;
    return [];
  }
  return items.map((value, n) => {
    // What REST could not read is no value, and has its error already.
    const checked = value === undefined ? { value } : checkValue(value, item, rule);
    if ('error' in checked) errors[`${name}.${n}`] = checked.error;
    return 'error' in checked ? value : checked.value;
  });
}

/** Quantities, prices and durations are never negative; a column that may be has a rule that says so. */
const signError = (value: unknown) => (typeof value === 'number' && value < 0 ? 'must not be negative' : undefined);

/**
 * Checks a whole body, all errors at once. In a whole row null is as good as leaving a column out that has a value
 * of its own; a change says what it wants.
 * @param required columns that a whole row must have; undefined for a change of some columns
 */
export function checkBody(
  body: Readonly<Record<string, unknown>>,
  columns: Readonly<Record<string, ColumnFacts>>,
  ruleOf: Readonly<Record<string, Rule | undefined>>,
  required: readonly string[] | undefined,
): { data: Record<string, unknown>; errors: FieldErrors } {
  const data: Record<string, unknown> = {};
  const errors: FieldErrors = {};
  for (const column of required ?? []) if (body[column] === undefined) errors[column] = 'is required';
  for (const [name, given] of Object.entries(body)) {
    const facts = columns[name];
    if (!facts || given === undefined) continue;
    if (given === null && facts.required && required?.includes(name) === false) continue;
    const checked =
      facts.list && Array.isArray(given)
        ? { value: checkItems(name, given, facts, ruleOf[name], errors) }
        : checkValue(given, facts, ruleOf[name]);
    if ('error' in checked) errors[name] = checked.error;
    else data[name] = checked.value;
  }
  return { data, errors };
}
