import { GraphQLString } from 'graphql';
import { findCharacterError, normalizeText } from '../formats.ts';
import { messages } from '../input/index.ts';
import { textCells } from './cells.ts';
import {
  bounds,
  type Checked,
  type Direction,
  defaultMaxLength,
  equality,
  type FieldType,
  type JsonSchema,
  type Limits,
  passRule,
  plain,
  type Rule,
} from './field-type.ts';

/**
 * The order of text, whatever the server's locale: that of Unicode's root collation, in which letters with accents are
 * beside those without, and lower case is beside upper case. Different texts are never equal in it.
 */
export const textOrder = 'und-x-icu';

/** Maximum length of an item of a list, as of other single-line text. */
export const maxItemLength = 500;

/** The longest text of a filter or search, in characters: the longest that fits into a request line of REST. */
const maxOperandLength = 65_536;

/** Matches text that shows nothing: white space and format characters such as U+200B. */
const isBlank = /^[\s\p{Cf}]*$/u;

/** Normalizes and trims text; what shows nothing is empty. */
export const cleanText = (text: string): string => (isBlank.test(text) ? '' : normalizeText(text).trim());

function findTextError(text: string, { maxLength = defaultMaxLength, required }: Limits): string | undefined {
  const characterError = findCharacterError(text);
  if (characterError) return characterError;
  if (required && text === '') return messages.notEmpty;
  // In characters rather than UTF-16 units, as PostgreSQL measures a column's length.
  const tooLong = text.length > maxLength && [...text].length > maxLength;
  return tooLong ? `must be at most ${maxLength} characters` : undefined;
}

/** Reads a text that is compared with stored ones. */
export function readOperandText(text: string): { readonly value: string } | { readonly error: string } {
  if (text.length > maxOperandLength) return { error: `must be at most ${maxOperandLength} characters` };
  const error = findCharacterError(text);
  return error === undefined ? { value: normalizeText(text) } : { error };
}

/** Optional text that is blank becomes null. The text must be valid before a rule reads it. */
function check(given: unknown, limits: Limits, rule: Rule | undefined): Checked {
  const value = cleanText(String(given));
  if (value === '' && !limits.required) return { value: null };
  const error = findTextError(value, limits);
  return error === undefined ? passRule(value, rule) : { error };
}

const maxLengthOf = ({ maxLength, list }: Limits) => maxLength ?? (list ? maxItemLength : defaultMaxLength);

/** A query parameter without a column is limited only by the size of the request line. */
function jsonSchema(direction: Direction, limits?: Limits, rule?: Rule): JsonSchema {
  if (direction === 'output') return { type: 'string', maxLength: limits ? maxLengthOf(limits) : defaultMaxLength };
  if (!limits) return { type: 'string', maxLength: maxOperandLength, pattern: '^[^\\x00]*$' };
  const notBlank = limits.required || limits.list;
  return {
    type: 'string',
    ...(notBlank && { minLength: 1 }),
    maxLength: maxLengthOf(limits),
    ...patternOf(limits, rule),
  };
}

/** The pattern of text: its rule's, without NUL, and not blank where a value is required. */
function patternOf({ required, list }: Limits, rule: Rule | undefined): JsonSchema {
  const { pattern, formats } = rule?.facts ?? {};
  if (formats)
    return {
      anyOf: [
        ...formats.map((format) => ({ type: 'string', format })),
        ...(required ? [] : [{ type: 'string', maxLength: 0 }]),
      ],
    };
  if (pattern) return { pattern: required ? `^(${pattern})$` : `^(${pattern})?$` };
  return { pattern: required || list ? '^[^\\x00]*[^\\s\\x00][^\\x00]*$' : '^[^\\x00]*$' };
}

/** Text, with or without a length of its own. */
export const text: FieldType = {
  ...plain,
  name: GraphQLString.name,
  scalar: GraphQLString,
  sqlType: 'text',
  collation: textOrder,
  check,
  control: ({ maxLength }) => (maxLength === undefined ? 'LONG_TEXT' : 'TEXT'),
  comparison: {
    name: 'Text',
    operators: [...equality, 'contains', 'startsWith', ...bounds, 'isNull'],
    read: (operand) => readOperandText(String(operand)),
  },
  isKey: ({ maxLength }) => maxLength !== undefined,
  isLong: ({ maxLength }) => maxLength === undefined,
  isFreeText: true,
  isPosition: (value) => typeof value === 'string' && findCharacterError(value) === undefined,
  jsonSchema,
  csv: textCells,
  example: 'Text',
};
