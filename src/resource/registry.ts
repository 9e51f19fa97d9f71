import type { Access } from '../auth/access.ts';
import type { Scope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import type { FieldErrors } from '../errors.ts';

/** What a REST route does; routes and status codes follow from it (spec §4). */
export type Action = 'list' | 'read' | 'create' | 'batch' | 'update' | 'replace' | 'delete';

/** One root field and the REST route that answers with it. */
export interface Operation {
  /** The root field's name. */
  readonly field: string;
  readonly kind: 'Query' | 'Mutation';
  readonly action: Action;
  /** The path below /api/v1, with `:argument` for each argument of the field that it carries. */
  readonly path: string;
  /** What it needs of its caller. */
  readonly access: Access;
  /** The GraphQL type of the row or rows it answers with. */
  readonly type: string;
  /** The group that API references list it in, where no scope group is meant. */
  readonly tag?: { readonly name: string; readonly description: string };
  /** Finds all that is wrong with the fields of a body, as the write itself would, without writing. `path` has the path's ids. */
  readonly inspect?: (
    input: Record<string, unknown>,
    context: Context,
    path: Readonly<Record<string, unknown>>,
  ) => Promise<FieldErrors>;
}

/** Every operation that REST offers, in the order of the schema. */
export const operations: Operation[] = [];

/** GraphQL type → the scope that reading it requires. */
export const readScopes = new Map<string, Scope>();

/** Types whose rows belong to one other row and are shown with it, such as the lines of an order. */
export const ownedTypes = new Set<string>();

/** Types that only stand between a field that was checked and its rows (connections and their edges). */
export const connectionTypes = new Set<string>();
