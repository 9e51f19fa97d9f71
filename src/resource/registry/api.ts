import type { GraphQLSchema } from 'graphql';
import type { ApiStorage } from '../../context.ts';
import type { Operation } from '../definition/operation.ts';
import type { Resource } from '../definition/resource.ts';
import type { Filterable } from '../filter/filterable.ts';
import type { Listing } from '../read/lists.ts';
import type { PlannedRead } from '../read/plan.ts';

/** A schema, and other information derived from the same definitions. */
export interface Api {
  readonly schema: GraphQLSchema;
  readonly resources: readonly Resource[];
  /** What the rows of a list can be filtered by. */
  readonly filterableOf: (listing: Listing) => Filterable;
  /** What it stores. */
  readonly storage: ApiStorage;
  /** Every operation that REST offers, in the order of the schema. */
  readonly operations: readonly Operation[];
  /** The root fields whose rows a plan can read. */
  readonly reads: ReadonlyMap<string, PlannedRead>;
}
