// What the pages say in passing: that something was done, with a way back, or that it was not. They come with the page,
// as one can say that the network is lost.
import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { t } from '../texts/console.ts';
import styles from './notices.module.css';

/** For how long (ms) a notice is shown that is no problem: time enough to read it and to take a change back. */
const shownMs = 12_000;

/** How many are shown at once; others wait until one of them is gone. */
const most = 5;

interface Notice {
  readonly id: number;
  readonly text: string;
  /** A problem interrupts what a screen reader says, and stays until somebody closes it. */
  readonly isProblem: boolean;
  readonly undo?: (() => Promise<unknown>) | undefined;
}

let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Notice[]): void {
  notices = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const add = (notice: Omit<Notice, 'id'>): void => {
  lastId += 1;
  change([...notices, { ...notice, id: lastId }]);
};

const close = (id: number): void => change(notices.filter((notice) => notice.id !== id));

/** Says that something was done. @param undo what takes it back */
export const showDone = (text: string, undo?: () => Promise<unknown>): void => add({ text, undo, isProblem: false });

/** Says that something was not done, and why. */
export const showProblem = (text: string, error: Error): void =>
  add({ text: `${text}: ${error.message}`, isProblem: true });

/** Says that something did not open as its scripts could not be loaded. @param name what the button calls it */
export const showUnloaded = (name: string): void =>
  showProblem(t('couldntOpenName', { name }), new Error(t('thisPartOfThePageDidntLoad')));

/** The notices of the page, the newest below. */
export function Notices(): ReactNode {
  const shown = useSyncExternalStore(subscribe, () => notices).slice(0, most);
  return createPortal(
    <div className={styles['list']}>
      {shown.map((notice) => (
        <OneNotice key={notice.id} notice={notice} />
      ))}
    </div>,
    document.body,
  );
}

function OneNotice({ notice }: { readonly notice: Notice }) {
  const { id, text, isProblem, undo } = notice;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isProblem) return undefined;
    // None goes away while somebody reads or reaches for one: the others would move.
    const isUsed = () => element.current?.parentElement?.matches(':hover, :focus-within');
    const timer = setInterval(() => !isUsed() && close(id), shownMs);
    return () => clearInterval(timer);
  }, [id, isProblem]);
  return (
    <div className={styles['notice']} ref={element} role={isProblem ? 'alert' : 'status'}>
      <div className={styles['text']}>{text}</div>
      {undo && (
        <Button size="compact-sm" variant="default" onClick={() => takeBack(id, undo)}>
          {t('undo')}
        </Button>
      )}
      <button type="button" className={styles['close']} aria-label={t('close')} onClick={() => close(id)}>
        ×
      </button>
    </div>
  );
}

function takeBack(id: number, undo: () => Promise<unknown>): void {
  close(id);
  undo().then(
    () => showDone(t('takenBack')),
    (error: Error) => showProblem(t('couldntTakeItBack'), error),
  );
}
