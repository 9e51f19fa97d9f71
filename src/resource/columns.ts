import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';

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
 * which query loaded it; that is only worthwhile when the value is missing.
 */
class ColumnsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { extensions, pothosOptions }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    const column = extensions?.['pothosExposedField'];
    if (typeof column !== 'string' || 'authScopes' in pothosOptions) return resolve;
    return (row, args, context, info) => {
      const value = (row as Record<string, unknown>)[column];
      return value === undefined ? resolve(row, args, context, info) : value;
    };
  }
}

SchemaBuilder.registerPlugin('columns', ColumnsPlugin);
