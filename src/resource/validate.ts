import { z } from 'zod';
import { emailPattern, findEmailError } from '../auth/email.ts';
import { Prisma } from '../database/generated/client/client.ts';
import type { FieldErrors } from '../errors.ts';
import { findCharacterError, isUuid } from '../formats.ts';
import { messages } from '../input/index.ts';
import { type ColumnFacts, defaultMaxLength } from './model.ts';

/** The part of a rule that JSON Schema can express. */
interface RuleFacts {
  /** The pattern of non-empty text; empty text counts as unset, which no rule forbids. */
  readonly pattern?: string;
  /** The possible formats of non-empty text. */
  readonly formats?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

/** Validates a set value. Returns an error message, or undefined for a valid value. */
export type Rule = ((value: never) => string | undefined) & { readonly facts?: RuleFacts };

const ip = z.union([z.ipv4(), z.ipv6()]);

/** The characters that browsers accept in a URL; they encode those that RFC 3986 excludes. */
const inUrl = '[^\\s\\x00-\\x1f\\x7f]*';

/** Creates a rule with its JSON Schema facts. */
const rule = <Value>(facts: RuleFacts, error: (value: Value) => string | undefined) => Object.assign(error, { facts });

/** Creates a rule for text that matches a pattern. */
function patternRule(pattern: string, error: string) {
  const form = new RegExp(`^(${pattern})$`);
  return rule({ pattern }, (value: string) => (form.test(value) ? undefined : error));
}

/** The rules available to columns, in addition to those of their types. */
export const rules = {
  email: rule({ pattern: emailPattern }, findEmailError),
  url: patternRule(
    `[Hh][Tt][Tt][Pp][Ss]?://([A-Za-z0-9._~%!$&'()*+,;=:-]*@)?([A-Za-z0-9._~\\u00a1-\\uffff-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?([/?#]${inUrl})?`,
    messages.url,
  ),
  ip: rule({ formats: ['ipv4', 'ipv6'] }, (value: string) =>
    ip.safeParse(value).success ? undefined : 'must be an IP address',
  ),
  color: patternRule('#([0-9A-Fa-f]{3}){1,2}', 'must be a hex color such as #0a8 or #00aa88'),
  /** Numbers from `least` to `most`, inclusive. */
  between: (least: number, most: number) =>
    rule({ minimum: least, maximum: most }, (value: number) =>
      value >= least && value <= most ? undefined : messages.between(least, most),
    ),
  /** Numbers over `least`, up to and including `most`. */
  over: (least: number, most: number) =>
    rule({ exclusiveMinimum: least, maximum: most }, (value: number) =>
      value > least && value <= most ? undefined : `must be over ${least} and at most ${most}`,
    ),
} satisfies Record<string, Rule | ((...limits: never[]) => Rule)>;

/** Normalizes and validates one value of a body against its column. @returns the value to store, or an error */
export function checkValue(value: unknown, facts: ColumnFacts, rule?: Rule): { value: unknown } | { error: string } {
  if (value === null) return facts.required ? { error: messages.notNull } : { value };
  const clean =
    typeof value === 'string' ? cleanText(value, facts) : typeof value === 'number' ? cleanNumber(value, facts) : value;
  if (clean === null) return { value: null };
  // Rules run before the column's limits for numbers, as they are more specific, and after them for text, which must be
  // valid first.
  // A rule takes values of its column's type, which the compiler cannot know here.
  const ownError = rule ? rule(clean as never) : signError(clean);
  const error = typeof clean === 'number' ? (ownError ?? errorOf(clean, facts)) : (errorOf(clean, facts) ?? ownError);
  if (error) return { error };
  // Stored and read values have the same type: Decimal.
  return { value: typeof clean === 'number' && facts.type === 'Decimal' ? new Prisma.Decimal(clean) : clean };
}

/** Matches text that shows nothing: white space and format characters such as U+200B. */
const isBlank = /^[\s\p{Cf}]*$/u;

/** Trims text; optional text that is blank becomes null. Ids get the database's spelling. */
function cleanText(text: string, { type, required }: ColumnFacts): string | null {
  const trimmed = isBlank.test(text) ? '' : text.trim();
  if (type === 'Uuid') return trimmed.toLowerCase();
  return trimmed === '' && !required ? null : trimmed;
}

/** Rounds away the error of binary fractions: 0.1 + 0.2 becomes 0.3. */
function cleanNumber(value: number, { type, scale = 0 }: ColumnFacts): number {
  const rounded = type === 'Decimal' ? Number(value.toFixed(scale)) : value;
  return Math.abs(rounded - value) <= 2 * Number.EPSILON * Math.abs(value) ? rounded : value;
}

function errorOf(value: unknown, facts: ColumnFacts): string | undefined {
  if (facts.type === 'Uuid') return isUuid(value) ? undefined : messages.uuid;
  if (typeof value === 'string') return textError(value, facts);
  if (typeof value === 'number' && facts.type === 'Decimal') return decimalError(value, facts);
  return undefined;
}

function textError(text: string, { enum: isEnum, maxLength = defaultMaxLength, required }: ColumnFacts) {
  if (isEnum) return undefined;
  const characterError = findCharacterError(text);
  if (characterError) return characterError;
  if (required && text === '') return messages.notEmpty;
  // In characters rather than UTF-16 units, as PostgreSQL measures a column's length.
  const tooLong = text.length > maxLength && [...text].length > maxLength;
  return tooLong ? `must be at most ${maxLength} characters` : undefined;
}

function decimalError(value: number, { precision = 0, scale = 0 }: ColumnFacts) {
  if (Math.abs(value) >= 10 ** (precision - scale)) return `must be less than ${10 ** (precision - scale)}`;
  const rounded = Number(value.toFixed(scale));
  return rounded === value ? undefined : `must have at most ${scale} decimal places`;
}

/** Maximum length of an item of a list, as of other single-line text. */
export const maxItemLength = 500;

/** Maximum number of items of a list. */
export const maxListItems = 500;

/** Normalizes and validates the items of a list; errors are named by position, `options.2`. */
function checkItems(
  name: string,
  items: readonly unknown[],
  facts: ColumnFacts,
  rule: Rule | undefined,
  errors: FieldErrors,
): unknown[] {
  const item: ColumnFacts = { ...facts, list: false, required: true, maxLength: facts.maxLength ?? maxItemLength };
  if (items.length > maxListItems) {
    errors[name] = messages.tooManyValues(maxListItems);
    return [];
  }
  return items.map((value, n) => {
    // The reader has reported an error for a value that it could not read.
    const checked = value === undefined ? { value } : checkValue(value, item, rule);
    if ('error' in checked) errors[`${name}.${n}`] = checked.error;
    return 'error' in checked ? value : checked.value;
  });
}

/** Numbers must not be negative, except in columns whose rule allows it. */
const signError = (value: unknown) => (typeof value === 'number' && value < 0 ? 'must not be negative' : undefined);

/**
 * Validates a whole body, and reports all errors at once. In a whole row null is the same as leaving out a column with
 * a default; in a change it is a value.
 *
 * @param required the columns that a whole row requires; undefined for a change of some columns
 */
export function checkBody(
  body: Readonly<Record<string, unknown>>,
  columns: Readonly<Record<string, ColumnFacts>>,
  ruleOf: Readonly<Record<string, Rule | undefined>>,
  required: readonly string[] | undefined,
): { data: Record<string, unknown>; errors: FieldErrors } {
  const data: Record<string, unknown> = {};
  const errors: FieldErrors = {};
  for (const column of required ?? []) if (body[column] === undefined) errors[column] = messages.required;
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
