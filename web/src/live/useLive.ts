import { useEffect } from 'react';

/** How long (ms) to wait: by then the page is shown, and what this loads delays nothing. */
const waitMs = 2000;

/** Has what the page shows read again when it changes. @param companyId undefined until the page knows who it is for */
export function useLive(personId: string | undefined, companyId: string | undefined): void {
  useEffect(() => {
    if (personId === undefined || companyId === undefined) return undefined;
    let stop: (() => void) | undefined;
    let isOver = false;
    const begin = async () => {
      const { startLive } = await import('./live.ts');
      if (!isOver) stop = startLive({ personId, companyId });
    };
    // Where the script cannot be loaded, pages are read again as often as before.
    const timer = setTimeout(() => void begin().catch(() => undefined), waitMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop?.();
    };
  }, [personId, companyId]);
}
