// JSON Schemas of scalar values, bounded by their columns and rules.
import type { GraphQLScalarType } from 'graphql';
import { type Direction, fieldTypes, type JsonSchema, typeOfScalar } from '../../fields/index.ts';
import type { Column } from './columns.ts';

/** A number of rows. */
export const count = { type: 'integer', format: 'int32', minimum: 0, maximum: 2 ** 31 - 1 };

/** The schemas of scalars that no column has. */
const others: Readonly<Record<string, JsonSchema>> = {
  FieldName: { type: 'string', maxLength: 63 },
  RowImage: { type: 'object', additionalProperties: true },
  Counts: { type: 'object', additionalProperties: count },
  FieldErrors: {
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 20_000 },
    examples: [{ title: 'is required' }],
  },
};

/** The schema of a scalar, with the limits of its column and rule. */
export function scalarSchema(
  { name }: GraphQLScalarType,
  column: Column | undefined,
  direction: Direction,
): JsonSchema {
  const found = typeOfScalar(name)?.jsonSchema(direction, column?.field, column?.rule) ?? others[name];
  if (!found) throw new Error(`No JSON Schema is defined for the scalar ${name}.`);
  return found;
}

/** The schemas that the document shares, of values in requests, by their scalar. */
export const sharedInputs: ReadonlyMap<string, { readonly name: string; readonly schema: JsonSchema }> = new Map(
  Object.values(fieldTypes).flatMap(({ name, inputSchema, comparison: { operand } }) => [
    ...(inputSchema ? [[name, inputSchema] as const] : []),
    ...(operand ? [[operand.scalar.name, { name: operand.scalar.name, schema: operand.schema }] as const] : []),
  ]),
);

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
