// How often pages read again what they show: often while nothing tells them of changes, and rarely while a stream does.
import type { Query } from '@tanstack/react-query';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** The types of the rows that the query reads. It is read again when some of them have changed. */
      readonly types?: readonly string[];
    };
  }
}

/** How often (ms) while a stream tells of changes: types do not cover all that a page can show, such as a role. */
const whileLiveMs = 300_000;

/** For how long (ms) a response can be older than its arrival. */
const underwayMs = 2000;

let liveSince: number | undefined;

/** Sets since when (ms) a stream tells of changes; undefined if none does. */
export function setLiveSince(time: number | undefined): void {
  liveSince = time;
}

/**
 * How often a query is read again, for its `refetchInterval`. What was read before the stream began is read again as if
 * there was none, as nothing told of what changed in between.
 *
 * @param everyMs how often (ms) without a stream
 */
export const pollEvery =
  (everyMs: number) =>
  ({ state }: Pick<Query, 'state'>): number =>
    liveSince !== undefined && state.dataUpdatedAt > liveSince + underwayMs ? whileLiveMs : everyMs;
