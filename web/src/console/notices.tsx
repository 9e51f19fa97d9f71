// What the pages say in passing: that something was done, with a way back, or that it was not. The scripts that show it
// are loaded with the first notice.
import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react';
import { withTexts } from '../texts/texts.ts';

const script = () => withTexts(import('./NoticeList.tsx'));
const NoticeList = lazy(script);

let isNeeded = false;
const listeners = new Set<() => void>();

function need(): ReturnType<typeof script> {
  isNeeded = true;
  for (const listener of listeners) listener();
  return script();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Where the notices are shown. */
export function Notices(): ReactNode {
  const hasSome = useSyncExternalStore(subscribe, () => isNeeded);
  return (
    hasSome && (
      <Suspense>
        <NoticeList />
      </Suspense>
    )
  );
}

/** Says that something was done. @param undo what takes it back */
export const showDone = (text: string, undo?: () => Promise<unknown>): void =>
  void need().then(({ addDone }) => addDone(text, undo));

/** Says that something was not done, and why. */
export const showProblem = (text: string, error: Error): void =>
  void need().then(({ addProblem }) => addProblem(text, error));
