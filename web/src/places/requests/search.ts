import { type Filter, type ListSearch, parseListSearch } from '../../app/search.ts';

/** What the address of the page of requests says. */
export interface RequestsSearch extends Pick<ListSearch, 'filter' | 'search'> {
  /** A board has a column for each status; without it, there is one list. */
  readonly view?: 'board';
}

/** Reads it; what is none of it is left out. */
export function parseRequestsSearch(given: Readonly<Record<string, unknown>>): RequestsSearch {
  const { filter, search } = parseListSearch(given);
  return {
    ...(given['view'] === 'board' && { view: 'board' }),
    ...(filter && { filter }),
    ...(search !== undefined && { search }),
  };
}

export const openStatuses = ['PENDING', 'IN_PROGRESS'] as const;

/** What is shown where the address has no filter: open requests. */
export const openRequests: Filter = { status: { in: openStatuses } };

/** The names of filters that people choose, in their order. */
export const filterNames = ['open', 'unassigned', 'mine', 'reported', 'all'] as const;

/** Filters that people choose by name. */
export const namedFilters = (personId: string): Readonly<Record<(typeof filterNames)[number], Filter | undefined>> => ({
  open: undefined,
  unassigned: { ...openRequests, assignedTo: { isNull: true } },
  mine: { ...openRequests, assignedTo: { in: [personId] } },
  reported: { createdBy: { in: [personId] } },
  all: { status: { in: [...openStatuses, 'COMPLETED'] } },
});
