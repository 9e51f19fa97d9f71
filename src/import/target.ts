// What is imported.
import type { Api, Resource } from '../resource/index.ts';

/** The parts of an API that imports need. */
export type ImportApi = Pick<Api, 'resources' | 'schema' | 'listsBelow'>;

/** How rows of a file become rows of a resource. */
export const modes = ['insert', 'update', 'upsert'] as const;
/** How rows of a file become rows of a resource. */
export type Mode = (typeof modes)[number];

/** What rows are imported. */
export interface ImportTarget {
  readonly resource: Resource;
  readonly mode: Mode;
  /** The fields that name a stored row together; the id by default. */
  readonly key?: readonly string[] | undefined;
}
