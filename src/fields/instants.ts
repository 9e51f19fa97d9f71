// Dates and times as GraphQL, JSON and cursors write them.
import { GraphQLScalarType, Kind } from 'graphql';
import { DateTime } from 'luxon';
import { type Checked, passRule, type Rule } from './field-type.ts';
import { findTimeError } from './years.ts';

const timestamp = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(Z|[+-](0\d|1[0-4]):?[0-5]\d)?)?$/i;
const day = /^\d{4}-\d{2}-\d{2}$/;

/** Parses ISO 8601 text that matches `pattern`, in UTC by default; the day must exist and be in PostgreSQL's range. */
function readInstant(value: unknown, pattern: RegExp, expected: string): Date {
  const instant = typeof value === 'string' && pattern.test(value) ? DateTime.fromISO(value, { zone: 'utc' }) : null;
  if (!instant?.isValid || instant.year < 1 || instant.year > 9999) throw new TypeError(`must be ${expected}`);
  return instant.toJSDate();
}

function instantScalar(
  name: string,
  description: string,
  read: (value: unknown) => Date,
  write: (date: Date) => string,
) {
  return new GraphQLScalarType<Date, string>({
    name,
    description,
    serialize: (value) => write(value instanceof Date ? value : new Date(String(value))),
    parseValue: read,
    parseLiteral: (node) => read(node.kind === Kind.STRING ? node.value : undefined),
  });
}

/** An ISO 8601 timestamp in UTC. A date alone means the start of that day. */
export const DateTimeScalar = instantScalar(
  'DateTime',
  'An ISO 8601 date-time in UTC, for example 2026-01-31T09:30:00.000Z. A date alone means the start of that day.',
  (value) => readInstant(value, timestamp, 'an ISO 8601 date-time such as 2026-01-31T09:30:00Z'),
  (date) => date.toISOString(),
);

/** A calendar date, stored as midnight UTC. */
export const DateScalar = instantScalar(
  'Date',
  'An ISO 8601 calendar date, for example 2026-01-31.',
  (value) => readInstant(value, day, 'a calendar date such as 2026-01-31 that exists'),
  (date) => date.toISOString().slice(0, 10),
);

/** Checks a date or time that is to be stored. */
export function checkInstant(given: unknown, rule: Rule | undefined): Checked {
  const error = given instanceof Date ? findTimeError(given) : undefined;
  return error === undefined ? passRule(given, rule) : { error };
}

/** Whether a text is written as a cursor has dates and times. PostgreSQL has no year 0. */
export function isInstantPosition(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  const time = Date.parse(text);
  return /^(?!0000)\d{4}-/.test(text) && Number.isFinite(time) && new Date(time).toISOString() === text;
}

/** A date or time in the form of the database. Its class may be another realm's, in which tests run. */
export const encodeInstant = (value: unknown): unknown =>
  Object.prototype.toString.call(value) === '[object Date]' ? (value as Date).toISOString() : value;

/** Decodes what PostgreSQL writes inside JSON. */
export const decodeInstant = (value: unknown): Date => new Date(String(value));
