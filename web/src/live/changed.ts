// Has what a tab shows read again when it has changed: once for many changes, and not while nobody sees the tab.
import type { Query } from '@tanstack/react-query';
import { queryClient } from '../app/query-client.ts';

/** How long (ms) to wait after a change: tabs wait differently, so that not all ask at once. */
const waitMs = () => 100 + Math.random() * 400;

/** How often (ms) a tab reads at most. */
const everyMs = 1000;

/** How long after a change (ms) notifications of it are there, and how often at most a tab asks for them. */
const notificationsMs = 15_000;

/** Keys whose second part is the type of the rows. */
const ofType = new Set(['rows', 'row', 'groups', 'choices', 'title', 'history', 'files']);

/** Keys of notifications, which follow from any change. */
const ofNotifications = new Set(['unread', 'notifications']);

/** Keys of what no change of a row changes. */
const ofOthers = new Set(['session', 'api', 'taps', 'providers', 'password-links']);

const kindOf = ({ queryKey: [kind] }: Query) => String(kind);

function concerns({ queryKey: [kind, type], meta }: Query, types: ReadonlySet<string>): boolean {
  if (meta?.types) return meta.types.some((each) => types.has(each));
  return ofType.has(String(kind)) && types.has(String(type));
}

/** What has changed, and is to be read again. */
export class Changes {
  private readonly types = new Set<string>();
  private readonly waiting = new Set<Query>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readAt = 0;
  private notificationsTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    document.addEventListener('visibilitychange', this.schedule);
  }

  /** Stops reading. */
  stop(): void {
    document.removeEventListener('visibilitychange', this.schedule);
    this.clear();
  }

  /** Forgets what has changed. */
  clear(): void {
    clearTimeout(this.timer);
    clearTimeout(this.notificationsTimer);
    this.timer = this.notificationsTimer = undefined;
    this.types.clear();
    this.waiting.clear();
  }

  /** Rows of a type have changed. */
  add(type: string): void {
    this.types.add(type);
    this.notificationsTimer ??= setTimeout(() => {
      this.notificationsTimer = undefined;
      this.wait((query) => ofNotifications.has(kindOf(query)));
    }, notificationsMs);
    this.schedule();
  }

  /** Anything may have changed. */
  addAll(): void {
    this.wait((query) => !ofOthers.has(kindOf(query)));
  }

  private wait(isMeant: (query: Query) => boolean): void {
    for (const query of queryClient.getQueryCache().getAll()) if (isMeant(query)) this.waiting.add(query);
    this.schedule();
  }

  private readonly schedule = (): void => {
    if (this.timer !== undefined || document.hidden || this.types.size + this.waiting.size === 0) return;
    this.timer = setTimeout(this.read, Math.max(waitMs(), this.readAt + everyMs - Date.now()));
  };

  private readonly read = (): void => {
    this.timer = undefined;
    if (document.hidden) return;
    this.readAt = Date.now();
    for (const query of queryClient.getQueryCache().getAll()) if (concerns(query, this.types)) this.waiting.add(query);
    this.types.clear();
    // What is being read may lack the change, and would never arrive if each change began it anew.
    const ready = new Set([...this.waiting].filter(({ state }) => state.fetchStatus !== 'fetching'));
    for (const query of ready) this.waiting.delete(query);
    void queryClient.invalidateQueries({ predicate: (query) => ready.has(query) });
    this.schedule();
  };
}
