// The fields that PostgreSQL can return as JSON, which is sent to clients unchanged.
import { type GraphQLField, getNamedType } from 'graphql';
import type { Access } from '../auth/access.ts';
import { type EnumSpelling, hasJson, type JsonMember } from '../database/read/json.ts';
import { scalarOf } from './kit.ts';
import { type ModelName, modelFacts } from './model.ts';

/** The access that a field requires beyond that of its row. */
export function accessOf({ extensions }: GraphQLField<unknown, unknown>): Access | undefined {
  return extensions.pothosOptions?.authScopes?.access;
}

/**
 * The member of a row's JSON for a field that shows a column.
 *
 * @param key the member's name
 * @returns nothing for fields that show something else
 */
export function columnMember(
  model: ModelName,
  field: GraphQLField<unknown, unknown>,
  key: string,
  spelling: EnumSpelling,
): JsonMember | undefined {
  const column = field.extensions.pothosExposedField;
  const facts = column === undefined ? undefined : modelFacts(model).columns[column];
  if (
    column === undefined ||
    !facts ||
    !hasJson(facts) ||
    getNamedType(field.type).name !== (facts.enum ? facts.type : scalarOf(facts.type))
  )
    return undefined;
  return { key, column, spelling };
}
