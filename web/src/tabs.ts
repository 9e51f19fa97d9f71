/** The tabs of this browser, which share who is signed in and the company they work in. */
const tabs = new BroadcastChannel('premises');

/** Tells the other tabs that this has changed. */
export const tellTabs = (): void => tabs.postMessage('changed');

/** Calls back when another tab has told so. @returns what ends that */
export function whenTold(act: () => void): () => void {
  tabs.addEventListener('message', act);
  return () => tabs.removeEventListener('message', act);
}
