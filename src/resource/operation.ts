import type { ArgBuilder, InputFieldMap, ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Access } from '../auth/access.ts';
import type { Context } from '../context.ts';
import type { FieldErrors } from '../errors.ts';
import type { SchemaTypes } from './builder.ts';
import type { Row } from './model.ts';

/** What can be done with a resource; REST's methods and status codes follow from it. */
export type Action = 'list' | 'read' | 'create' | 'batch' | 'update' | 'replace' | 'delete';

/** One root field and the REST route that answers with it. */
export interface Operation {
  /** The root field's name. */
  readonly field: string;
  readonly kind: 'Query' | 'Mutation';
  readonly action: Action;
  /** The path below /api/v1, with `:argument` for each argument of the field that it carries. */
  readonly path: string;
  /** Other paths that answer the same. */
  readonly aliases?: readonly string[];
  /** What it needs of its caller. */
  readonly access: Access;
  /** The GraphQL type of the row or rows it answers with. */
  readonly type: string;
  /** The group that API references list it in, where no scope group is meant. */
  readonly tag?: { readonly name: string; readonly description: string };
  /** Whether there is exactly one such row in a company, so that no path names it. */
  readonly isSingleton?: boolean;
  /** Finds all that is wrong with the fields of a body, as the write itself would, without writing. `path` has the path's ids. */
  readonly inspect?: (
    input: Record<string, unknown>,
    context: Context,
    path: Readonly<Record<string, unknown>>,
  ) => Promise<FieldErrors>;
}

/** An operation as it is defined: what it is, and how it is done. */
export interface OperationOptions extends Omit<Operation, 'kind'> {
  /** Whether REST offers it too. */
  readonly rest: boolean;
  readonly description: string;
  /** Why another field should be asked instead. */
  readonly deprecationReason?: string;
  /** The type it returns: the row's or its connection, a list of rows, or a type of its own. */
  readonly returns: ObjectRef<SchemaTypes, unknown> | [ObjectRef<SchemaTypes, unknown>];
  readonly args: (arg: ArgBuilder<SchemaTypes>) => InputFieldMap;
  readonly resolve: (args: Row, context: Context, info: GraphQLResolveInfo) => Promise<unknown>;
}
