import type { HTTPMethods } from 'fastify';
import { type GraphQLSchema, getNamedType, isObjectType } from 'graphql';
import type { Action, Api, Operation } from '../resource/index.ts';

/** A REST route and its operation. */
export interface Route {
  readonly method: HTTPMethods;
  /** Below /api/v1, with `:name` for each path variable. */
  readonly path: string;
  /** The status of a successful response. */
  readonly status: number;
  readonly operation: Operation;
}

const methods: Record<Action, Pick<Route, 'method' | 'status'>> = {
  list: { method: 'GET', status: 200 },
  aggregate: { method: 'GET', status: 200 },
  read: { method: 'GET', status: 200 },
  create: { method: 'POST', status: 201 },
  batch: { method: 'POST', status: 201 },
  write: { method: 'POST', status: 200 },
  update: { method: 'PATCH', status: 200 },
  updateMany: { method: 'PATCH', status: 200 },
  replace: { method: 'PUT', status: 200 },
  delete: { method: 'DELETE', status: 204 },
  deleteMany: { method: 'DELETE', status: 200 },
  restore: { method: 'POST', status: 200 },
};

/** Every route of the service, without the prefix. */
export const routesOf = ({ operations, schema }: Pick<Api, 'operations' | 'schema'>): Route[] =>
  operations
    .flatMap((operation) => (hasAggregates(operation, schema) ? [operation, aggregateOf(operation)] : [operation]))
    .flatMap((operation) =>
      [operation.path, ...(operation.aliases ?? [])].map((path) => ({ ...methods[operation.action], path, operation })),
    );

/** Whether the root field of an operation is a list whose rows can be grouped. */
function hasAggregates({ action, field }: Operation, schema: GraphQLSchema): boolean {
  const list = getNamedType(schema.getQueryType()?.getFields()[field]?.type);
  return action === 'list' && isObjectType(list) && 'aggregates' in list.getFields();
}

/** The operation that groups the rows of a list. */
const aggregateOf = (list: Operation): Operation => ({
  ...list,
  action: 'aggregate',
  path: `${list.path}/aggregates`,
  aliases: list.aliases?.map((path) => `${path}/aggregates`) ?? [],
});

/** The route of the writes at the address of a batch of its own, which is for other bodies; undefined without. */
export const writesBeside = ({ path, operation: { orWrites } }: Route): Route | undefined =>
  orWrites && { ...methods.write, path, operation: orWrites };

/** Whether clients can name fields: of every list, and of a row that is stored. */
export function takesFields({ operation: { action, type, isFeed, isStream } }: Route, schema: GraphQLSchema): boolean {
  const rows = schema.getType(type);
  if (isFeed || isStream || !isObjectType(rows)) return false;
  return action === 'list' || (action === 'read' && rows.extensions.model !== undefined);
}
