import type { GraphQLArgument, GraphQLField, GraphQLInputField, GraphQLObjectType } from 'graphql';
import { type ColumnFacts, columnFacts, type ModelName, type Rule } from '../../resource/index.ts';

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
  { extensions }: Pick<GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLArgument, 'extensions'>,
  owner?: GraphQLObjectType,
): Column | undefined {
  const [model, name] = (extensions['column'] ?? [
    owner?.extensions['pothosPrismaModel'],
    extensions['pothosExposedField'],
  ]) as [ModelName?, string?];
  if (!model || !name) return undefined;
  return { model, name, facts: columnFacts(model, name), rule: extensions['rule'] as Rule | undefined };
}
