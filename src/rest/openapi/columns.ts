import type { GraphQLObjectType } from 'graphql';
import { type Rule } from '../../fields/index.ts';
import { type ColumnExtensions, type StoredField, storedFieldOf } from '../../resource/index.ts';

/** The column that a field, argument or input field stands for. */
export interface Column {
  readonly field: StoredField;
  readonly rule?: Rule;
}

/**
 * Finds the stored field that a field or argument stands for.
 * @param owner the object type of an output field
 * @returns undefined if it has none
 */
export function columnOf(
  given: { readonly extensions: ColumnExtensions },
  owner?: GraphQLObjectType,
): Column | undefined {
  const field = storedFieldOf(given, owner);
  return field && { field, rule: given.extensions.rule };
}
