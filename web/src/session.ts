import type { Company } from './api/auth.ts';
import { t } from './texts/components.ts';

/** A company's name as the pages show it; a sandbox is recognizable. */
export const companyName = ({ name, is_sandbox }: Company): string =>
  is_sandbox && !/sandbox/i.test(name) ? t('nameSandbox', { name }) : name;

/** The page after signing in: the one in `return_to` if it is on this site, else where the person begins. */
export function returnPath(search: string): string {
  const path = new URLSearchParams(search).get('return_to') ?? '';
  const isLocal = URL.canParse(path, location.origin) && new URL(path, location.origin).origin === location.origin;
  return isLocal && /^\/(?![/\\])/.test(path) ? path : '/';
}

/** Leaves the page. The promise never settles, so that callers stay pending until the browser has left. */
export function leave(navigate: () => void): Promise<never> {
  navigate();
  return new Promise(() => {});
}

let opened: BroadcastChannel | undefined;

/** The tabs of this browser, which share the session. */
const channel = (): BroadcastChannel => (opened ??= new BroadcastChannel('premises'));

/** Notifies other tabs that the session or its company has changed. */
export const broadcastSessionChange = (): void => channel().postMessage('session');

/** Listens for session changes in other tabs. @returns a function that stops listening */
export function onSessionChange(listener: () => void): () => void {
  channel().addEventListener('message', listener);
  return () => channel().removeEventListener('message', listener);
}
