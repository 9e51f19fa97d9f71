import { type GraphQLNamedType, GraphQLObjectType, GraphQLSchema } from 'graphql';
import type { Api } from '../resource/index.ts';
import { AtomicDirective } from './atomic.ts';

/**
 * The schema at /graphql: with the directive of atomic documents, and without the operations of guests, which exist in
 * REST alone. There each request counts, while one query could run many of them.
 */
export const graphqlSchemaOf = ({ schema, operations }: Pick<Api, 'schema' | 'operations'>): GraphQLSchema =>
  withoutFields(schema, new Set(operations.filter(({ access }) => access === 'public').map(({ field }) => field)));

/**
 * Removes root fields, and the types that only these use. The filters of graphql-tools make all types anew, which takes
 * over a second of the start.
 */
function withoutFields(schema: GraphQLSchema, names: ReadonlySet<string>): GraphQLSchema {
  const reduce = (root: GraphQLObjectType | null | undefined) => {
    if (!root) return undefined;
    const { fields, ...config } = root.toConfig();
    const kept = Object.entries(fields).filter(([name]) => !names.has(name));
    return new GraphQLObjectType({ ...config, fields: Object.fromEntries(kept) });
  };
  const roots = {
    query: reduce(schema.getQueryType()),
    mutation: reduce(schema.getMutationType()),
    subscription: schema.getSubscriptionType(),
  };
  const inUse = new GraphQLSchema(roots).getTypeMap();
  const types = Object.values(schema.getTypeMap())
    .map(({ name }) => inUse[name])
    .filter((type): type is GraphQLNamedType => type !== undefined);
  const directives = [...schema.getDirectives(), AtomicDirective];
  return new GraphQLSchema({ ...schema.toConfig(), ...roots, types, directives });
}
