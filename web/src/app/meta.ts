import { queryOptions } from '@tanstack/react-query';
import { getMeta } from '../api/meta.ts';

/** The words and limits of the API, which change with the service alone. */
export const metaQuery = queryOptions({ queryKey: ['api', 'meta'], queryFn: getMeta, staleTime: Infinity });
