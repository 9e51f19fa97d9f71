import {
  type GraphQLField,
  type GraphQLLeafType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
} from 'graphql';
import type { Context } from '../context.ts';
import { describeColumnFields } from './column-fields.ts';
import { toRestError } from './envelope.ts';
import type { RestOperation, Result } from './operations.ts';
import type { Values } from './parameters.ts';

/** Reads a row. @throws the error that its execution would have, in REST's names */
type ReadRestRow = (variables: Values, context: Context) => Promise<Pick<Result, 'data' | 'etag'>>;

/** A field of a row that shows a column. */
interface ShownColumn {
  readonly name: string;
  readonly column: string;
  /** Converts a value that is not null. */
  readonly serialize: (value: unknown) => unknown;
}

/**
 * Creates the function that reads a row without executing its document: what it selects, and how each value is shown,
 * is found out once.
 *
 * @returns nothing for a row that shows more than columns
 */
export function createRowReader({ schema, field, route }: RestOperation): ReadRestRow | undefined {
  const { readRow } = field.extensions;
  const columns = describeColumnFields(schema, route.operation.type, describeColumn);
  if (!readRow || !columns) return undefined;
  return async (variables, context) => {
    try {
      const { row, etag } = await readRow(variables, context);
      const data: Record<string, unknown> = {};
      for (const { name, column, serialize } of columns)
        data[name] = row[column] === null ? null : serialize(row[column]);
      return { data, etag };
    } catch (error) {
      throw toRestError(error, field);
    }
  };
}

function describeColumn({ name, type, extensions }: GraphQLField<unknown, unknown>): ShownColumn | undefined {
  const column = extensions.pothosExposedField;
  const leaf = getNamedType(type);
  if (column === undefined || !isLeafType(leaf)) return undefined;
  return { name, column, serialize: serializer(leaf, isListType(getNullableType(type))) };
}

const serializer = (type: GraphQLLeafType, isList: boolean): ShownColumn['serialize'] =>
  // The values of a list are arrays.
  isList ? (values) => (values as unknown[]).map((value) => type.serialize(value)) : (value) => type.serialize(value);
