import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldExtensions, GraphQLFieldResolver, GraphQLObjectTypeExtensions } from 'graphql';
import type { Context } from '../../context.ts';
import { hiddenColumns, isHiddenFromSome } from '../access/hidden-columns.ts';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- Pothos's documented way to add a plugin's types
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      columns: ColumnsPlugin<Types>;
    }
  }
}

/**
 * Reads a column directly from a row that has it. The Prisma plugin would first look up, for every value of every row,
 * which query loaded it; that is only worthwhile when the value is missing. A column that the caller's role may not
 * read is null.
 */
class ColumnsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { extensions, pothosOptions, parentType }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    const { exposes: column }: GraphQLFieldExtensions<unknown, unknown> = extensions ?? {};
    if (column === undefined || 'authScopes' in pothosOptions) return resolve;
    const read: typeof resolve = (row, args, context, info) => {
      const value = (row as Record<string, unknown>)[column];
      return value === undefined ? resolve(row, args, context, info) : value;
    };
    const { policies }: GraphQLObjectTypeExtensions = this.buildCache.getTypeConfig(parentType).extensions ?? {};
    if (!policies || !isHiddenFromSome(policies, column)) return read;
    return (row, args, context, info) =>
      // Plugins are generic over builders; ours always has our context.
      hiddenColumns((context as Context).caller, policies).includes(column) ? null : read(row, args, context, info);
  }
}

SchemaBuilder.registerPlugin('columns', ColumnsPlugin);
