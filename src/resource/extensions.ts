// The extensions of the schema's types and fields that other parts of the service read, with the types of their values.
import type { ModelName } from './model.ts';
import type { ReadPage, ReadRow } from './operation.ts';
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
    /** REST's values of an enum. */
    words?: readonly string[];
  }
  interface GraphQLObjectTypeExtensions {
    /** Set by Pothos. */
    pothosPrismaModel?: ModelName;
  }
  // biome-ignore format: the merged declaration has the same parameters
  // eslint-disable-next-line @typescript-eslint/no-unused-vars, @typescript-eslint/no-explicit-any -- merged declarations have the same parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> extends ColumnExtensions {
    readPage?: ReadPage;
    readRow?: ReadRow;
  }
  interface GraphQLArgumentExtensions extends ColumnExtensions {
    /** Its name in REST, or whether it is a query parameter there. */
    rest?: string | boolean;
  }
  interface GraphQLInputFieldExtensions extends ColumnExtensions {
    /** The fewest and the most items of a list. */
    minItems?: number;
    maxItems?: number;
  }
}
