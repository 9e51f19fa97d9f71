import { useCallback, useEffect, useState } from 'react';

/** The state of a request. Data stays while it is fetched again. */
export interface Query<T> {
  readonly data?: T;
  readonly error?: Error;
  readonly isFetching: boolean;
  readonly refetch: () => void;
}

/** Fetches when the component mounts and whenever `fetcher` changes; only the last response is used. */
export function useQuery<T>(fetcher: () => Promise<T>): Query<T> {
  const [attempt, setAttempt] = useState(0);
  const [settled, setSettled] = useState<{ data?: T; error?: Error; fetcher?: object; attempt?: number }>({});
  useEffect(() => {
    let isCurrent = true;
    const settle = (result: { data?: T; error?: Error }) =>
      isCurrent && setSettled((previous) => ({ data: previous.data, ...result, fetcher, attempt }));
    fetcher().then(
      (data) => settle({ data, error: undefined }),
      (error: Error) => settle({ error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [fetcher, attempt]);
  const refetch = useCallback(() => setAttempt((previous) => previous + 1), []);
  const isFetching = settled.fetcher !== fetcher || settled.attempt !== attempt;
  return { data: settled.data, error: settled.error, isFetching, refetch };
}
