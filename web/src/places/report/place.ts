import { queryOptions } from '@tanstack/react-query';
import { ReportPlaceDocument } from '../../api/generated/graphql.ts';
import { execute } from '../../api/graphql.ts';
import { ApiError } from '../../api/http.ts';
import { isId } from '../../console/rows.ts';

/** Where a problem is. */
export interface Place {
  readonly buildingId: string | null;
  readonly floor: string;
  readonly room: string;
}

// The router reads `?room=12` as a number.
const textIn = (value: unknown) => (['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '');

/** The longest name of a floor or room. */
const maxLength = 500;

/** Reads the place that the address of a report names. */
export function parsePlace(search: Readonly<Record<string, unknown>>): Place {
  const building = textIn(search['building']);
  return {
    buildingId: isId(building) ? building : null,
    floor: textIn(search['floor']).slice(0, maxLength),
    room: textIn(search['room']).slice(0, maxLength),
  };
}

/** The building of a report; null if there is none that the person can read. */
export const placeQuery = (id: string | null) =>
  queryOptions({
    queryKey: ['report-place', id],
    queryFn: async () => {
      if (id === null) return null;
      return execute(ReportPlaceDocument, { id }).then(
        ({ building }) => building,
        (error: unknown) => {
          if (error instanceof ApiError && ['NOT_FOUND', 'FORBIDDEN'].includes(error.code)) return null;
          throw error;
        },
      );
    },
    staleTime: 60_000,
  });
