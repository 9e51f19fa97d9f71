import type { HTTPMethods } from 'fastify';
import { type Action, type Operation, operations } from '../resource/registry.ts';

/** A REST route and the operation that answers it. */
export interface Route {
  readonly method: HTTPMethods;
  /** Below /api/v1, with `:name` for each path variable. */
  readonly path: string;
  /** The status of a success (spec §4, Conventions). */
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
};

/** Other paths for the same collection (spec §4, Locations). */
const aliases: Record<string, string> = { '/locations/buildings': '/buildings' };

/** Every route of the service, without the prefix. */
export function routes(): Route[] {
  return operations.flatMap((operation) => {
    const route = { ...methods[operation.action], path: operation.path, operation };
    const alias = operation.action === 'list' && aliases[operation.path];
    return alias ? [route, { ...route, path: alias }] : [route];
  });
}
