// The extensions of the schema's types and fields that other parts of the service read, with the types of their values.
import { type GraphQLNamedType, isObjectType } from 'graphql';
import type { Access } from '../../auth/access.ts';
import type { Scope } from '../../auth/scopes.ts';
import type { Role, StoredField } from '../../database/stored-field.ts';
import type { Rule } from '../../fields/index.ts';
import type { Guarded } from '../access/decide.ts';
import type { ModelName } from '../definition/model.ts';
import type { FieldCost } from '../definition/operation.ts';
import type { Policies } from '../definition/policy.ts';
import type { Listed } from '../read/lists.ts';

/** The extensions of what stands for a stored field: a field, an argument or a field of an input. */
export interface ColumnExtensions {
  stored?: StoredField;
  /** The rule that values must match. */
  rule?: Rule;
  /** How long a text may be that is no column. */
  maxLength?: number;
  /** What people call it; a root field: what a button that runs it is called. */
  label?: string;
  /** What creating its rows requires, which are created together with the row that the input is for. */
  creates?: Guarded;
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
    /** What people call it; by default the words of its value in REST. */
    label?: string;
    /** Of a field to sort by: its role. */
    role?: Role | undefined;
  }
  interface GraphQLObjectTypeExtensions {
    /** The model whose rows its objects are. */
    model?: ModelName;
    /** Whether it is a page of a list, or an entry of one with its cursor. */
    isConnection?: boolean;
    isEdge?: boolean;
    /** The scope that reading the rows of a resource requires. */
    readScope?: Scope;
    /** What a field that returns them requires; by default their read scope. */
    readAccess?: Access;
    /** What limits the rows of a resource. */
    policies?: Policies;
    /** Whether it is of groups: their keys or figures. */
    isOfGroups?: boolean;
    /** Whether its rows belong to one other row and are shown with it, such as line items. */
    isOwned?: boolean;
  }
  // biome-ignore format: the merged declaration has the same parameters
  // Merged declarations must have the same type parameters.
  // eslint-disable-next-line @typescript-eslint/no-unused-vars, @typescript-eslint/no-explicit-any
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs = any> extends ColumnExtensions, Partial<Guarded> {
    /** The number of items that a list without pages has about. */
    usualSize?: number;
    /** How a plan reads the rows of a list inside a row. */
    listed?: Listed;
    /** Whether it is a row that was written, which REST shows inside what became of it. */
    isWritten?: boolean;
    /** Its name in REST, or whether it is shown there. */
    rest?: string | boolean;
    /** Whether it groups the rows of its list. */
    aggregates?: boolean;
    /** Whether it is a key or measure of a related row. */
    relatedKey?: boolean;
    /** Whether the column of a key is set in every row. */
    isRequired?: boolean;
    /** How many values a field of a key can have, where these are few. */
    valueCount?: number | undefined;
    /** Whether it measures the times at which rows got and left statuses. */
    readsStatusPeriods?: boolean;
    databaseCost?: FieldCost;
    /** An example of its value, for the OpenAPI document. */
    example?: unknown;
    /** The property of its object, such as a column of the row, that it shows as it is. */
    exposes?: string;
    /** The relation of its row that it shows, all of it. */
    relation?: string;
    /** What a computed field reads of its row, as Prisma's `select`, where its arguments do not decide it. */
    selects?: object;
  }
  interface GraphQLArgumentExtensions extends ColumnExtensions {
    /** Its name in REST, or whether it is a query parameter there. */
    rest?: string | boolean;
    /** Of `first`: the most rows of a page, where they can be more than of a list. */
    maxPageSize?: number;
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
    /** Of a filter: whether it is a condition on what is computed from related rows. */
    isRelated?: boolean;
    /** Of a filter: whether it is a condition on what is computed of a list. */
    measuresList?: boolean;
    /** The fields that it can be written instead of. */
    alternativeTo?: readonly string[];
    /** An example of its value, for the OpenAPI document. */
    example?: unknown;
    /** The fewest and the most items of a list. */
    minItems?: number;
    maxItems?: number;
  }
}

/** Whether a type is a page of a list. */
export const isConnection = (type: GraphQLNamedType | null | undefined): boolean =>
  isObjectType(type) && type.extensions.isConnection === true;
