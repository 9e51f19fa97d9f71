import { useCallback, useEffect, useState } from 'react';

/** What became of a question: nothing yet, an answer, or a failure. The last answer stays while it is asked again. */
export interface Asked<T> {
  readonly answer?: T;
  readonly error?: Error;
  readonly waiting: boolean;
  /** Asks again. */
  readonly refresh: () => void;
}

/** Asks once, and again whenever `ask` is another function; only the latest answer counts. */
export function useAnswer<T>(ask: () => Promise<T>): Asked<T> {
  const [turn, setTurn] = useState(0);
  const [told, setTold] = useState<{ answer?: T; error?: Error; of?: object; turn?: number }>({});
  useEffect(() => {
    let current = true;
    const tell = (next: { answer?: T; error?: Error }) =>
      current && setTold((before) => ({ answer: before.answer, ...next, of: ask, turn }));
    ask().then(
      (answer) => tell({ answer, error: undefined }),
      (error: Error) => tell({ error }),
    );
    return () => {
      current = false;
    };
  }, [ask, turn]);
  const refresh = useCallback(() => setTurn((before) => before + 1), []);
  return { answer: told.answer, error: told.error, waiting: told.of !== ask || told.turn !== turn, refresh };
}
