import { Decimal } from '@prisma/client/runtime/client';
import type { GraphQLScalarType } from 'graphql';
import { GraphQLFloat, Kind } from 'graphql';
import { ExactNumber, isNumber, readNumber } from '../json.ts';
import { scalarCells } from './cells.ts';
import {
  type Checked,
  encodeNumber,
  type FieldType,
  type Limits,
  passRule,
  plain,
  type Rule,
  same,
} from './field-type.ts';
import { findRuleError, isInfinite, limitOf, notFinite, numberBounds, ordered } from './numbers.ts';
import { numberCell } from './sheet-cells.ts';

/**
 * The digits of a number. The error of a binary fraction is rounded away: 0.1 + 0.2 becomes 0.3. It is far less than a
 * unit of the last place; what is not, in large numbers, are digits that the client wrote.
 */
function cleanDecimal(value: number | ExactNumber, { scale = 0 }: Limits): Decimal {
  const exact = new Decimal(String(value));
  if (typeof value !== 'number') return exact;
  const rounded = exact.toDecimalPlaces(scale);
  const error = rounded.minus(exact).abs().toNumber();
  return error <= 2 * Number.EPSILON * Math.abs(value) && error < 10 ** -scale / 100 ? rounded : exact;
}

function findLimitError(value: Decimal, limits: Limits): string | undefined {
  const { scale = 0 } = limits;
  const limit = limitOf(limits);
  if (value.abs().gte(limit)) return `must be less than ${limit}`;
  return value.decimalPlaces() > scale ? `must have at most ${scale} decimal places` : undefined;
}

/** The rule comes first, as it is more specific than the limits of the column. */
function check(given: unknown, limits: Limits, rule: Rule | undefined): Checked {
  if (!isNumber(given)) return passRule(given, rule);
  const value = cleanDecimal(given, limits);
  const error = findRuleError(value, rule) ?? findLimitError(value, limits);
  return error === undefined ? { value } : { error };
}

/** Whether a text is written as a cursor has decimals. */
function isPosition(text: unknown, limits: Limits): boolean {
  if (typeof text !== 'string' || !/^-?\d/.test(text) || text.length > 100) return false;
  const number = new Decimal(text);
  return (
    number.toString() === text && number.decimalPlaces() <= (limits.scale ?? 0) && number.abs().lt(limitOf(limits))
  );
}

const decode = (value: unknown): Decimal => new Decimal(String(value));

const { serialize: serializeDouble, parseValue: parseDouble, parseLiteral: parseDoubleLiteral } = GraphQLFloat;

/**
 * Lets GraphQL's Float keep the digits of decimals: a value is a double, or an ExactNumber where a double does not hold
 * it. A schema has graphql-js's own Float, whatever scalar its builder is given, so that one is changed.
 */
export const keepDigits = (): GraphQLScalarType =>
  Object.assign(GraphQLFloat, {
    serialize(value: unknown) {
      if (value instanceof ExactNumber) return value;
      const number = Decimal.isDecimal(value) ? readNumber(value.toFixed()) : serializeDouble(value);
      // Of some doubles, such as 1e-7; spreadsheets do not read it.
      const hasExponent = String(number).includes('e');
      return hasExponent ? new ExactNumber(new Decimal(String(number)).toFixed()) : number;
    },
    parseValue: (value: unknown) => (value instanceof ExactNumber ? value : parseDouble(value)),
    parseLiteral: (...[node, variables]: Parameters<typeof parseDoubleLiteral>) =>
      node.kind === Kind.FLOAT || node.kind === Kind.INT ? readNumber(node.value) : parseDoubleLiteral(node, variables),
  });

/** Exact decimals, such as amounts of money: numbers in JSON, and text from there to the database and back. */
export const decimal: FieldType = {
  ...plain,
  name: GraphQLFloat.name,
  scalar: GraphQLFloat,
  sqlType: 'numeric',
  encode: encodeNumber,
  asText: { sql: same, decode },
  asJson: { sql: (sql) => `${sql}::text`, decode },
  shownSql: (sql) => `trim_scale(${sql})`,
  check,
  constant: decode,
  control: () => 'NUMBER',
  comparison: {
    name: GraphQLFloat.name,
    operators: ordered,
    // Numbers would be compared as binary floats, which differ from 99.99.
    read: (operand) => (isInfinite(operand) ? notFinite : { value: isNumber(operand) ? String(operand) : operand }),
  },
  measure: 'Number',
  isExact: true,
  position: encodeNumber,
  isPosition,
  jsonSchema: (direction, limits, rule) => ({
    type: 'number',
    format: 'double',
    ...(limits && direction === 'input' && numberBounds(rule?.facts, { exclusiveMaximum: limitOf(limits) })),
  }),
  // Validators that check `multipleOf` in floating point reject 2.4.
  limitText: ({ scale }) => `At most ${scale} decimal places.`,
  csv: scalarCells(GraphQLFloat),
  sheet: numberCell,
  example: 12.5,
};
