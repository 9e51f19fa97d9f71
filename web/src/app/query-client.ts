import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/http.ts';

/** Errors that a repeated request does not cure. */
const isFinal = (error: Error) => error instanceof ApiError && !['UNREACHABLE', 'UNKNOWN'].includes(error.code);

/** What the pages have read. Data is shown again at once, and read again behind it. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 10_000, retry: (failures, error) => failures < 2 && !isFinal(error) },
    // Without a network they fail at once, and say so.
    mutations: { retry: false, networkMode: 'always' },
  },
});
