import { setTimeout as sleep } from 'node:timers/promises';
import { runAlone } from '../database/index.ts';
import { ServiceError } from '../errors.ts';
import { type ChangeNotifier, isAfter } from './change-notifier.ts';
import { type Client, type LogPage, readLog, readPosition } from './log.ts';
import { decodePosition, encodePosition, type Position } from './position.ts';

/** How many changes are read at once. */
const pageSize = 100;

/** How long (ms) to wait before the log is read again after a failure. */
const retryMs = 1000;

/** Somebody who follows the log of a company. */
export interface Follower {
  readonly companyId: string;
  /** The position up to which they know all changes. */
  position: Position;
}

/** What the tails depend on. */
interface TailDependencies<F extends Follower> {
  readonly client: Client;
  readonly notifier: Pick<ChangeNotifier, 'waitForChanges'>;
  /** The tables whose changes are read. */
  readonly tables: readonly string[];
  /** Notifies followers of a page of the log; the next one is read once it has. It does not reject. */
  readonly notify: (page: LogPage, followers: readonly F[]) => Promise<void>;
  /** Ends the stream of a follower whose part of the log is gone. */
  readonly fail: (error: ServiceError, followers: readonly F[]) => void;
}

/**
 * The ends of the logs of companies that somebody follows on this instance. The log of a company is read once for all
 * of them.
 */
export class Tails<F extends Follower> {
  private readonly tails = new Map<string, Tail<F>>();
  private readonly reads = new Map<string, Promise<unknown>>();

  constructor(private readonly dependencies: TailDependencies<F>) {}

  /** Reads the position from which the log of a company goes on. */
  async now(companyId: string): Promise<Position> {
    const read = () => readPosition(this.dependencies.client, { companyId });
    return decodePosition(await this.together(companyId, read), 'after');
  }

  /** Reads the page that follows a follower's position, whatever others have read. @throws ServiceError GONE */
  read({ companyId, position }: F): Promise<LogPage> {
    const { client, tables } = this.dependencies;
    return this.together(`${companyId} ${encodePosition(position)}`, () =>
      readLog(client, { companyId }, { after: position, tables, limit: pageSize }),
    );
  }

  /** Concurrent callers share one read, as many clients reconnect at once after a restart. */
  private together<T>(key: string, read: () => Promise<T>): Promise<T> {
    // All values of one key have the same type.
    const known = this.reads.get(key) as Promise<T> | undefined;
    if (known) return known;
    const reading = runAlone(read).finally(() => this.reads.delete(key));
    this.reads.set(key, reading);
    return reading;
  }

  /** Adds a follower. @returns false if it first has to read up to the position of the others */
  join(follower: F): boolean {
    const { companyId, position } = follower;
    const tail = this.tails.get(companyId) ?? new Tail(companyId, position, this.dependencies);
    if (isAfter(tail.position, position)) return false;
    tail.followers.add(follower);
    if (this.tails.has(companyId)) return true;
    this.tails.set(companyId, tail);
    // On behalf of all followers, so outside the context of the first one's request.
    void runAlone(() => tail.run());
    return true;
  }

  /** Removes a follower. */
  leave(follower: F): void {
    const tail = this.tails.get(follower.companyId);
    if (tail?.followers.delete(follower) && tail.followers.size === 0) {
      tail.stop();
      this.tails.delete(follower.companyId);
    }
  }
}

/** The end of the log of a company. */
class Tail<F extends Follower> {
  readonly followers = new Set<F>();
  private readonly controller = new AbortController();

  constructor(
    readonly companyId: string,
    public position: Position,
    private readonly dependencies: TailDependencies<F>,
  ) {}

  stop(): void {
    this.controller.abort();
  }

  /** Notifies the followers of what is new, until it is stopped. */
  async run(): Promise<void> {
    const { notifier, notify } = this.dependencies;
    const { signal } = this.controller;
    for (let hasMore = false; !signal.aborted; ) {
      if (!hasMore) await notifier.waitForChanges(this.companyId, this.position, signal);
      const page = signal.aborted ? undefined : await this.read();
      if (!page) continue;
      const followers = [...this.followers];
      this.position = decodePosition(page.next, 'after');
      await notify(page, followers);
      ({ hasMore } = page);
    }
  }

  private async read(): Promise<LogPage | undefined> {
    const { client, tables, fail } = this.dependencies;
    try {
      return await readLog(client, this, { after: this.position, tables, limit: pageSize });
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'GONE') fail(error, [...this.followers]);
      // For example, because the database does not respond.
      else await sleep(retryMs);
      return undefined;
    }
  }
}
