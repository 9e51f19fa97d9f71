import type { HTTPMethods } from 'fastify';
import { type GraphQLSchema, isObjectType } from 'graphql';
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
  read: { method: 'GET', status: 200 },
  create: { method: 'POST', status: 201 },
  batch: { method: 'POST', status: 201 },
  update: { method: 'PATCH', status: 200 },
  replace: { method: 'PUT', status: 200 },
  delete: { method: 'DELETE', status: 204 },
  restore: { method: 'POST', status: 200 },
};

/** Every route of the service, without the prefix. */
export const routesOf = ({ operations }: Pick<Api, 'operations'>): Route[] =>
  operations.flatMap((operation) =>
    [operation.path, ...(operation.aliases ?? [])].map((path) => ({ ...methods[operation.action], path, operation })),
  );

/** Whether clients can name fields: of every list, and of a row that is stored. */
export function takesFields({ operation: { action, type, isFeed, isStream } }: Route, schema: GraphQLSchema): boolean {
  const rows = schema.getType(type);
  if (isFeed || isStream || !isObjectType(rows)) return false;
  return action === 'list' || (action === 'read' && rows.extensions.model !== undefined);
}
