// Keys that act without Ctrl or Alt. People can switch them off: who dictates may press them by chance.
import { useEffect, useSyncExternalStore } from 'react';

/** Where the browser keeps whether they are off. */
const storageKey = 'premises.single-keys';

const listeners = new Set<() => void>();

function listen(listener: () => void) {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

const areOn = () => localStorage.getItem(storageKey) !== 'off';

/** Switches single keys on or off in this browser. */
export function setSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, 'off');
  for (const listener of listeners) listener();
}

/** Whether single keys act in this browser. */
export const useSingleKeysSetting = (): boolean => useSyncExternalStore(listen, areOn);

/** Where a key is text, or belongs to something that is open. */
const takesKeys = 'input, textarea, select, [contenteditable=true], [role=dialog], [role=menu], [role=listbox]';

/** Runs a function when its key is pressed, unless somebody types or a dialog is open. @param keys functions by key */
export function useSingleKeys(keys: Readonly<Record<string, () => void>>): void {
  const isOn = useSingleKeysSetting();
  useEffect(() => {
    if (!isOn) return undefined;
    const onKey = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey, defaultPrevented } = event;
      if (defaultPrevented || ctrlKey || metaKey || altKey) return;
      if (target instanceof Element && target.closest(takesKeys)) return;
      if (document.querySelector('[role=dialog]')) return;
      const run = Object.hasOwn(keys, key) ? keys[key] : undefined;
      if (!run) return;
      event.preventDefault();
      run();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}
