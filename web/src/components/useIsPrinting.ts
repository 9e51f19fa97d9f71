import { useSyncExternalStore } from 'react';

const media = window.matchMedia('print');

function subscribe(onChange: () => void): () => void {
  media.addEventListener('change', onChange);
  return () => media.removeEventListener('change', onChange);
}

/** Whether the page is being printed. It changes before the browser lays the paper out, and React follows at once. */
export const useIsPrinting = (): boolean => useSyncExternalStore(subscribe, () => media.matches);
