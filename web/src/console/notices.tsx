// What the pages say in passing: that something was done, with a way back, or that it was not.
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { withTexts } from '../texts/texts.ts';

/** How long (ms) the scripts that show notices wait for what the page shows. */
const waitMs = 1000;

const script = () => withTexts(import('./NoticeList.tsx'));

/** Where the notices are shown. Their scripts come before one is needed, as it can say that the network is lost. */
export function Notices(): ReactNode {
  const [List, setList] = useState<ComponentType>();
  useEffect(() => {
    const load = () =>
      void script().then(
        (loaded) => setList(() => loaded.default),
        () => undefined,
      );
    const timer = setTimeout(load, waitMs);
    // Where they could not be loaded.
    window.addEventListener('online', load);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', load);
    };
  }, []);
  return List && <List />;
}

/** Says that something was done. @param undo what takes it back */
export const showDone = (text: string, undo?: () => Promise<unknown>): void =>
  void script().then(
    ({ addDone }) => addDone(text, undo),
    () => undefined,
  );

/** Says that something was not done, and why. */
export const showProblem = (text: string, error: Error): void =>
  void script().then(
    ({ addProblem }) => addProblem(text, error),
    () => undefined,
  );
