import { Decimal } from '@prisma/client/runtime/client';
import { GraphQLInt } from 'graphql';
import { scalarCells } from './cells.ts';
import { encodeNumber, type FieldType, passRule, plain, same } from './field-type.ts';
import { findRuleError, isInfinite, maxInteger, notFinite, numberBounds, ordered } from './numbers.ts';
import { numberCell } from './sheet-cells.ts';

/** Whole numbers of 32 bits. */
export const integer: FieldType = {
  ...plain,
  name: GraphQLInt.name,
  scalar: GraphQLInt,
  sqlType: 'integer',
  encode: encodeNumber,
  asText: { sql: same, decode: Number },
  check(given, _limits, rule) {
    if (typeof given !== 'number') return passRule(given, rule);
    // Rules compare decimals.
    const error = findRuleError(new Decimal(given), rule);
    return error === undefined ? { value: given } : { error };
  },
  control: () => 'NUMBER',
  comparison: {
    name: GraphQLInt.name,
    operators: ordered,
    read: (operand) => (isInfinite(operand) ? notFinite : { value: operand }),
  },
  measure: 'Number',
  isPosition: (value) => typeof value === 'number' && (value | 0) === value,
  jsonSchema: (direction, limits, rule) => ({
    type: 'integer',
    format: 'int32',
    ...(limits && direction === 'input'
      ? numberBounds(rule?.facts, { maximum: maxInteger })
      : { minimum: -maxInteger - 1, maximum: maxInteger }),
  }),
  csv: scalarCells(GraphQLInt),
  sheet: numberCell,
  example: 4,
};
