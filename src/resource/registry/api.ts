import type { GraphQLSchema } from 'graphql';
import type { ApiStorage } from '../../context.ts';
import type { ServedFile } from '../definition/file.ts';
import type { ListsBelow } from '../definition/list-below.ts';
import type { Operation } from '../definition/operation.ts';
import type { Resource } from '../definition/resource.ts';
import type { Filterable } from '../filter/filterable.ts';
import type { Listing } from '../read/lists.ts';
import type { PlannedRead } from '../read/plan.ts';
import type { ApiDescription } from './description.ts';

/** A schema, and other information derived from the same definitions. */
export interface Api {
  readonly schema: GraphQLSchema;
  /** All that it says about itself. */
  readonly description: ApiDescription;
  readonly resources: readonly Resource[];
  /** What the rows of a list can be filtered by. */
  readonly filterableOf: (listing: Listing) => Filterable;
  /** The lists whose rows can be created together with a row. */
  readonly listsBelow: ListsBelow;
  /** The types of resources by the part of the address of their pages. */
  readonly collections: ReadonlyMap<string, string>;
  /** What it stores. */
  readonly storage: ApiStorage;
  /** Every operation that REST offers, in the order of the schema. */
  readonly operations: readonly Operation[];
  /** The routes of files, which GraphQL does not have. */
  readonly files: readonly ServedFile[];
  /** The root fields whose rows a plan can read. */
  readonly reads: ReadonlyMap<string, PlannedRead>;
}
