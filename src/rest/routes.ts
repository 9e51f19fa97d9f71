import type { HTTPMethods } from 'fastify';
import { api } from '../schema/index.ts';

/** A root field that REST offers, with the path and the access rule of its route. */
export type Operation = (typeof api.operations)[number] & {
  /** Other paths of the same operation, below /api/v1. */
  readonly aliases?: readonly string[];
};

/** What an operation does; its route's method and status follow from it. */
export type Action = Operation['action'];

/** A REST route and the operation that answers it. */
export interface Route {
  readonly method: HTTPMethods;
  /** Below /api/v1, with `:name` for each path variable. */
  readonly path: string;
  /** The status of a success. */
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

/** The other paths of lists whose resources do not declare them yet. */
const aliases: Readonly<Record<string, readonly string[]>> = { '/locations/buildings': ['/buildings'] };

const aliasesOf = (operation: Operation) =>
  operation.aliases ?? (operation.action === 'list' ? (aliases[operation.path] ?? []) : []);

/** Every route of the service, without the prefix. */
export const routes = (operations: readonly Operation[] = api.operations): Route[] =>
  operations.flatMap((operation) =>
    [operation.path, ...aliasesOf(operation)].map((path) => ({ ...methods[operation.action], path, operation })),
  );
