import type { GraphQLObjectType } from 'graphql';
import { type Rule } from '../../fields/index.ts';
import { type ColumnExtensions, type ColumnFacts, columnFacts, type ModelName } from '../../resource/index.ts';

/** The column that a field, argument or input field stands for. */
export interface Column {
  readonly model: ModelName;
  readonly name: string;
  readonly facts: ColumnFacts;
  readonly rule?: Rule;
}

/**
 * Finds the column of a field or argument: the one its `column` extension declares, or the one that Pothos exposes.
 * @param owner the object type of an output field
 * @returns undefined if it has no column
 */
export function columnOf(
  { extensions }: { readonly extensions: ColumnExtensions },
  owner?: GraphQLObjectType,
): Column | undefined {
  const { column, pothosExposedField, rule } = extensions;
  const [model, name] = column ?? [owner?.extensions.pothosPrismaModel, pothosExposedField];
  if (!model || !name) return undefined;
  return { model, name, facts: columnFacts(model, name), rule };
}
