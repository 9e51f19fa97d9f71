import { type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';
import { accessOf } from '../resource/index.ts';
import { shownFields } from './rest-schema.ts';

/**
 * Describes the fields that REST shows of a type, if they show nothing but columns that every caller of the row may
 * read: such rows are read without graphql-js.
 *
 * @param describe describes a field; returns nothing for one that shows no column
 * @returns nothing for a type with other fields
 */
export function describeColumnFields<Description>(
  schema: GraphQLSchema,
  typeName: string,
  describe: (field: GraphQLField<unknown, unknown>) => Description | undefined,
): Description[] | undefined {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) return undefined;
  const descriptions: Description[] = [];
  for (const name of shownFields(schema, typeName)) {
    const field = type.getFields()[name];
    const description = field && !accessOf(field) ? describe(field) : undefined;
    if (!description) return undefined;
    descriptions.push(description);
  }
  return descriptions;
}
