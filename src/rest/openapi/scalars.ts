// JSON Schemas of scalar values, bounded by their columns and rules.
import type { GraphQLScalarType } from 'graphql';
import { headerLimit } from '../../http/headers.ts';
import { defaultMaxLength, maxItemLength } from '../../resource/index.ts';
import type { Column } from './columns.ts';
import type { JsonSchema } from './types.ts';

/** Whether a value is sent by the client or by the service. */
export type Direction = 'input' | 'output';

const maxInt = 2 ** 31 - 1;

/** A number of rows. */
export const count = { type: 'integer', format: 'int32', minimum: 0, maximum: maxInt };

/** An id. */
export const uuid = { type: 'string', format: 'uuid', maxLength: 36 };

/** The schema of a scalar, with the limits of its column and rule. */
export function scalarSchema(type: GraphQLScalarType, column: Column | undefined, direction: Direction): JsonSchema {
  switch (type.name) {
    case 'ID':
      return uuid;
    case 'String':
      return direction === 'input' ? textInput(column) : { type: 'string', maxLength: maxLengthOf(column) };
    case 'Int':
      return { type: 'integer', format: 'int32', ...bounds(column, direction, true) };
    case 'Float':
      return { type: 'number', format: 'double', ...bounds(column, direction, false) };
    case 'Boolean':
      return { type: 'boolean' };
    case 'Date':
      return { type: 'string', format: 'date', maxLength: 10 };
    case 'DateTime':
      return { type: 'string', format: 'date-time', maxLength: 24 };
    case 'FieldName':
      return { type: 'string', maxLength: 63 };
    case 'RowImage':
      return { type: 'object', additionalProperties: true };
    case 'Counts':
      return { type: 'object', additionalProperties: count };
    default:
      throw new Error(`No JSON Schema is defined for the scalar ${type.name}.`);
  }
}

const maxLengthOf = (column: Column | undefined) =>
  column?.facts.maxLength ?? (column?.facts.list ? maxItemLength : defaultMaxLength);

/**
 * Text in a request, limited by its column and rule. A query parameter without a column is limited only by the size of
 * the request line.
 */
function textInput(column: Column | undefined): JsonSchema {
  if (!column) return { type: 'string', maxLength: headerLimit, pattern: '^[^\\x00]*$' };
  const notBlank = column.facts.required || column.facts.list;
  return { type: 'string', ...(notBlank && { minLength: 1 }), maxLength: maxLengthOf(column), ...textForm(column) };
}

/** The pattern of text: its rule's, without NUL, and not blank where a value is required. */
function textForm({ facts: { required, list }, rule }: Column): JsonSchema {
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

/** The limits of a number in a request body. GraphQL's integers have 32 bits. */
function bounds(column: Column | undefined, direction: Direction, integer: boolean): JsonSchema {
  if (!column || direction === 'output') return integer ? { minimum: -(2 ** 31), maximum: maxInt } : {};
  const {
    facts: { type, precision = 0, scale = 0 },
    rule,
  } = column;
  const largest = type === 'Decimal' ? { exclusiveMaximum: 10 ** (precision - scale) } : { maximum: maxInt };
  return { ...(rule ? rule.facts : { minimum: 0 }), ...(rule?.facts?.maximum === undefined && largest) };
}

/** The same schema, or null. */
export function nullable(schema: JsonSchema): JsonSchema {
  return typeof schema['type'] === 'string' && !schema['enum'] && !schema['anyOf']
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

/** An enum value in any letter case. */
export const anyCase = (values: readonly string[]): JsonSchema => ({
  type: 'string',
  maxLength: Math.max(...values.map(({ length }) => length)),
  pattern: `^(${values.join('|').replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)})$`,
  description: `${values.map((value) => `\`${value}\``).join(', ')}, in any letter case.`,
});

/** An existing date, from the year 1 on. */
const date = (() => {
  const year = '(000[1-9]|00[1-9]\\d|0[1-9]\\d{2}|[1-9]\\d{3})';
  const leapYear = '(\\d{2}(0[48]|[2468][048]|[13579][26])|(0[48]|[2468][048]|[13579][26])00)';
  const days = [
    '(0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])',
    '(0[469]|11)-(0[1-9]|[12]\\d|30)',
    '02-(0[1-9]|1\\d|2[0-8])',
  ];
  return `(${year}-(${days.join('|')})|${leapYear}-02-29)`;
})();
const time = '(([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d([.,]\\d{1,9})?)?|24:00(:00([.,]0{1,9})?)?)';

const days = '(today|startOf(Week|Month|Quarter|Year))';
const timestamp = `${date}([Tt]${time}([Zz]|[+-](0\\d|1[0-4]):?[0-5]\\d)?)?`;

/** The patterns and examples of dates and times in filters. */
export const relativeInputs: Readonly<Record<string, readonly [pattern: string, ...examples: string[]]>> = {
  RelativeDate: [`${date}|${days}([+ -]\\d{1,5})?`, '2026-03-02', 'today+90'],
  RelativeDateTime: [`${timestamp}|(now|${days})([+ -]\\d{1,5})?`, '2026-03-02T09:30:00Z', 'today-30'],
};

/** A date or time in a filter, or a word for one. */
export const relativeInput = ({ name, description }: GraphQLScalarType): JsonSchema => {
  const [pattern, ...examples] = relativeInputs[name] ?? [];
  return { type: 'string', maxLength: 40, pattern: `^(${pattern})$`, description, examples };
};

/** A timestamp in a request, which may leave out its time and its offset from UTC. */
export const timestampInput = ({ description }: GraphQLScalarType): JsonSchema => ({
  type: 'string',
  maxLength: 40,
  pattern: `^${timestamp}$`,
  description: `${description} Without an offset, the time is UTC.`,
  examples: ['2026-03-02T09:30:00Z'],
});
