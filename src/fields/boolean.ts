import { GraphQLBoolean } from 'graphql';
import { scalarCells } from './cells.ts';
import { equality, type FieldType, passRule, plain, same } from './field-type.ts';
import { booleanCell } from './sheet-cells.ts';

/** True or false. */
export const boolean: FieldType = {
  ...plain,
  name: GraphQLBoolean.name,
  scalar: GraphQLBoolean,
  sqlType: 'boolean',
  asText: { sql: same, decode: (text) => text === 't' },
  check: (given, _limits, rule) => passRule(given, rule),
  control: () => 'CHECKBOX',
  comparison: {
    name: GraphQLBoolean.name,
    operators: [...equality, 'isNull'],
    members: [false, true],
    read: (operand) => ({ value: operand }),
  },
  isKey: () => true,
  isPosition: (value) => typeof value === 'boolean',
  jsonSchema: () => ({ type: 'boolean' }),
  csv: scalarCells(GraphQLBoolean),
  sheet: booleanCell,
  example: true,
};
