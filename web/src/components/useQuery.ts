import { useCallback, useEffect, useRef, useState } from 'react';

/** The state of a request. Data stays while it is fetched again. */
export interface Query<T> {
  readonly data?: T;
  readonly error?: Error;
  readonly isFetching: boolean;
  /** Fetches again. The promise resolves once the page shows the response, or its error. */
  readonly refetch: () => Promise<void>;
  /** Changes the data without fetching it again. */
  readonly update: (change: (data: T) => T) => void;
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
  const isFetching = settled.fetcher !== fetcher || settled.attempt !== attempt;
  const waiting = useRef<(() => void)[]>([]);
  useEffect(() => {
    if (!isFetching) for (const resolve of waiting.current.splice(0)) resolve();
  }, [isFetching]);
  const refetch = useCallback(() => {
    setAttempt((previous) => previous + 1);
    return new Promise<void>((resolve) => waiting.current.push(resolve));
  }, []);
  const update = useCallback(
    (change: (data: T) => T) =>
      setSettled((previous) => (previous.data === undefined ? previous : { ...previous, data: change(previous.data) })),
    [],
  );
  return { data: settled.data, error: settled.error, isFetching, refetch, update };
}
