import { type GraphQLLeafType, isEnumType } from 'graphql';
import { badRequest } from '../errors.ts';
import { findCharacterError } from '../formats.ts';
import { ExactNumber, readNumber } from '../json.ts';
import { messages } from './messages.ts';

/** The source of a value: JSON, or the text of a query string. */
type Source = 'json' | 'text';

/** Reads values of GraphQL's built-in scalars from each source. */
const readers: Readonly<Record<string, Readonly<Record<Source, (value: unknown) => unknown>>>> = {
  String: {
    text: readText,
    json: (value) => {
      if (typeof value !== 'string') throw badRequest(messages.string);
      return value;
    },
  },
  Int: {
    text: (value) => readInteger(/^-?\d+$/.test(String(value)) ? Number(value) : NaN),
    json: readInteger,
  },
  Float: {
    text: (value) => checkNumber(/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(String(value)) ? readNumber(String(value)) : NaN),
    json: checkNumber,
  },
  Boolean: {
    text: (value) => assert(value === 'true' || value === 'false', 'true or false', value === 'true'),
    json: (value) => assert(typeof value === 'boolean', 'true or false', value),
  },
};

/**
 * Checks one value of a scalar or enum. Custom scalars and enums are only checked here, and parsed when the operation
 * is executed.
 *
 * @param isId whether a value is an ID
 * @returns the value, as a variable of an operation
 * @throws ServiceError BAD_REQUEST, whose reason says what the value must be
 */
export function readLeaf(type: GraphQLLeafType, value: unknown, source: Source, isId: (value: unknown) => boolean) {
  if (type.name === 'ID') return assert(isId(value), 'a uuid', value);
  const reader = readers[type.name];
  if (reader) return reader[source](value);
  if (isEnumType(type)) {
    const known = typeof value === 'string' && type.getValue(value);
    return assert(Boolean(known), oneOf(type.getValues().map(({ name }) => name)), value);
  }
  try {
    type.parseValue(value);
  } catch (error) {
    // Any error that a scalar throws means an invalid value, as in graphql-js.
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
  return value;
}

/** Describes the allowed words. */
export const oneOf = (words: readonly string[]): string => `one of ${words.join(', ')}`;

function assert<T>(isValid: boolean, expected: string, value: T): T {
  if (!isValid) throw badRequest(`must be ${expected}`);
  return value;
}

function readText(value: unknown) {
  const error = findCharacterError(String(value));
  if (error !== undefined) throw badRequest(error);
  return value;
}

function checkNumber(value: unknown) {
  return assert(value instanceof ExactNumber ? !value.isTooLong : Number.isFinite(value), 'a number', value);
}

function readInteger(value: unknown) {
  // The first condition makes it a number.
  const fits = Number.isInteger(value) && (value as number) >= -(2 ** 31) && (value as number) < 2 ** 31;
  return assert(fits, 'a whole number of at most 2147483647', value);
}
