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

/** Filters that people choose by name. */
export const namedFilters = (personId: string): Readonly<Record<string, Filter | undefined>> => ({
  Open: undefined,
  Unassigned: { ...openRequests, assignedTo: { isNull: true } },
  'Assigned to me': { ...openRequests, assignedTo: { in: [personId] } },
  'Reported by me': { createdBy: { in: [personId] } },
  All: { status: { in: [...openStatuses, 'COMPLETED'] } },
});
