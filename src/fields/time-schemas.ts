// JSON Schemas of dates and times.
import type { GraphQLScalarType } from 'graphql';
import type { JsonSchema } from './field-type.ts';
import { years } from './years.ts';

/** The years of dates that are stored, `years`. */
export const storedYear = '(19|2[01])\\d{2}';

/** An existing date. */
const dateForm = (year: string, leapYear: string) => {
  const days = [
    '(0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])',
    '(0[469]|11)-(0[1-9]|[12]\\d|30)',
    '02-(0[1-9]|1\\d|2[0-8])',
  ];
  return `(${year}-(${days.join('|')})|${leapYear}-02-29)`;
};
const fourth = '(0[48]|[2468][048]|[13579][26])';
/** A date from the year 1 on. */
const date = dateForm('(000[1-9]|00[1-9]\\d|0[1-9]\\d{2}|[1-9]\\d{3})', `(\\d{2}${fourth}|${fourth}00)`);
const storedDate = dateForm(storedYear, `((19|2[01])${fourth}|2000)`);
const time = '(([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d([.,]\\d{1,9})?)?|24:00(:00([.,]0{1,9})?)?)';

const days = '(today|endOfDay|(start|end)Of(Week|Month|Quarter|Year))';
const offset = '([+ -](\\d{1,5}(days?)?|\\d{1,3}(week|month|quarter|year)s?))?';
const zonedTime = `([Tt]${time}([Zz]|[+-](0\\d|1[0-4]):?[0-5]\\d)?)?`;
const timestamp = date + zonedTime;

const relative = (pattern: string, examples: readonly string[], { description }: GraphQLScalarType): JsonSchema => ({
  type: 'string',
  maxLength: 40,
  pattern: `^(${pattern})$`,
  description,
  examples,
});

/** A date in a filter, or a word for one. */
export const relativeDate = (scalar: GraphQLScalarType): JsonSchema =>
  relative(`${date}|${days}${offset}`, ['2026-03-02', 'today+90', 'startOfMonth-1month'], scalar);

/** A time in a filter, or a word for one. */
export const relativeTime = (scalar: GraphQLScalarType): JsonSchema =>
  relative(`${timestamp}|(now|${days})${offset}`, ['2026-03-02T09:30:00Z', 'today-30'], scalar);

/** A timestamp in a request body, which may leave out its time and its offset from UTC. */
export const timestampInput = ({ description }: GraphQLScalarType): JsonSchema => ({
  type: 'string',
  maxLength: 40,
  pattern: `^${storedDate}${zonedTime}$`,
  description: `${description} Without an offset, the time is UTC. It is from ${years.first} to ${years.last}.`,
  examples: ['2026-03-02T09:30:00Z'],
});
