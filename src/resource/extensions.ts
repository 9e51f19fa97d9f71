// The extensions of the schema's types and fields that other parts of the service read, with the types of their values.
import type { Access, Guarded } from '../auth/access.ts';
import type { ModelName } from './model.ts';
import type { FieldCost, ReadPage, ReadRow } from './operation.ts';
import type { ReadListed } from './relations.ts';
import type { Rule } from './validate.ts';

/** The extensions of what stands for a column: a field, an argument or a field of an input. */
export interface ColumnExtensions {
  column?: readonly [model: ModelName, column: string];
  /** The rule that values must match. */
  rule?: Rule;
  /** The column that a field shows, set by Pothos. */
  pothosExposedField?: string;
}

declare module 'graphql/type/definition.js' {
  interface GraphQLScalarTypeExtensions {
    /** How REST spells a value, where it differs from GraphQL. */
    serializeInRest?: (value: unknown) => unknown;
    /** REST's values of an enum, which is a scalar there. */
    restValues?: readonly string[];
    /** As of an enum. */
    anyCase?: boolean;
  }
  interface GraphQLEnumTypeExtensions {
    /** Whether REST accepts its values in any letter case. */
    anyCase?: boolean;
  }
  interface GraphQLEnumValueExtensions {
    /** Its value in REST; by default its name in lower case. */
    restValue?: string;
  }
  interface GraphQLObjectTypeExtensions {
    /** Set by Pothos. */
    pothosPrismaModel?: ModelName;
    /** Whether it is a page of a list. */
    isConnection?: boolean;
  }
  // biome-ignore format: the merged declaration has the same parameters
  // Merged declarations must have the same type parameters.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars, @typescript-eslint/no-explicit-any
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> extends ColumnExtensions, Partial<Guarded> {
    readPage?: ReadPage;
    readRow?: ReadRow;
    /** Reads the rows of a list inside a row. */
    listed?: ReadListed;
    /** Its name in REST, or whether it is shown there. */
    rest?: string | boolean;
    /** Whether it groups the rows of its list. */
    aggregates?: boolean;
    /** Whether it is a key or measure of a related row. */
    relatedKey?: boolean;
    databaseCost?: FieldCost;
    /** An example of its value, for the OpenAPI document. */
    example?: unknown;
    /** The relation that a field shows, set by Pothos. */
    pothosPrismaRelationField?: { readonly name: string; readonly isList: boolean };
    /** The options of the field, set by Pothos. */
    pothosOptions?: { readonly authScopes?: { readonly access: Access }; readonly select?: unknown };
  }
  interface GraphQLArgumentExtensions extends ColumnExtensions {
    /** Its name in REST, or whether it is a query parameter there. */
    rest?: string | boolean;
    /** An example of its value, for the OpenAPI document. */
    example?: unknown;
  }
  interface GraphQLInputObjectTypeExtensions {
    /** Whether its fields are the operators of a filter. */
    operators?: boolean;
  }
  interface GraphQLInputFieldExtensions extends ColumnExtensions {
    /** Of a filter: whether the field is a condition on one related row, or on a list of them. */
    relation?: 'one' | 'list';
    /** The fields that it can be written instead of. */
    alternativeTo?: readonly string[];
    /** An example of its value, for the OpenAPI document. */
    example?: unknown;
    /** The fewest and the most items of a list. */
    minItems?: number;
    maxItems?: number;
  }
}
