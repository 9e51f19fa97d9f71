/** How much of a rate limit is used. */
export interface RateLimitStatus {
  /** Requests per hour. */
  limit: number;
  /** Requests left in this hour. */
  remaining: number;
  /** When the hour ends, in Unix seconds. */
  resetsAt: number;
  /** Whether the request is allowed; for `peek`, whether one made now would be. */
  allowed: boolean;
  /** Seconds until the next request is allowed; 0 while allowed. */
  retryAfter: number;
}

/** Up to this limit, in requests per hour, each request is counted by a statement of its own. */
const maxExactLimit = 1000;

/** The most requests that are reserved at once. */
const maxReserved = 1000;

/** Requests that this instance has counted in the store and not allowed yet. */
interface Reservation {
  readonly key: string;
  /** The status of the store after counting them. */
  readonly status: RateLimitStatus;
  left: number;
}

/** The store that the instances share. */
export interface Store {
  /** Counts several requests of `key` at once, if `limit` allows all of them; otherwise none. */
  consume(key: string, limit: number, requests: number): Promise<RateLimitStatus>;
  /** Reverts the counting of several requests. */
  refund(key: string, limit: number, requests: number): Promise<void>;
}

/**
 * Counts requests against high limits in blocks: this instance reserves a hundredth of what is left of the hour, and
 * allows so many requests without asking the store. All instances together never allow more than the limit, and the
 * last requests of an hour are counted one by one.
 */
export class Reservations {
  private readonly reserved = new Map<string, Reservation>();
  private readonly reserving = new Map<string, Promise<RateLimitStatus>>();

  constructor(private readonly store: Store) {}

  /** Counts one request of `key`, if `limit` allows it. */
  async consume(key: string, limit: number): Promise<RateLimitStatus> {
    if (limit <= maxExactLimit) return this.store.consume(key, limit, 1);
    const name = nameOf(key, limit);
    for (;;) {
      const taken = this.take(key, limit);
      if (taken) return taken;
      const running = this.reserving.get(name);
      if (!running) return this.reserve(key, limit, name);
      await running;
    }
  }

  /** Counts one request that is reserved already, if there is one. */
  take(key: string, limit: number): RateLimitStatus | undefined {
    const one = this.reserved.get(nameOf(key, limit));
    if (!one || one.left === 0 || !isCurrent(one)) return undefined;
    one.left--;
    return { ...one.status, remaining: one.status.remaining + one.left };
  }

  /** Reverts the counting of one request: where it may have been reserved, this instance can allow another. */
  async refund(key: string, limit: number): Promise<void> {
    const one = this.reserved.get(nameOf(key, limit));
    if (one && isCurrent(one)) one.left++;
    else await this.store.refund(key, limit, 1);
  }

  /** How many of the requests that the store has counted this instance has not allowed yet. */
  leftOf(key: string, limit: number): number {
    const one = this.reserved.get(nameOf(key, limit));
    return one && isCurrent(one) ? one.left : 0;
  }

  /** Forgets the reservations of hours that have ended. */
  deleteExpired(): void {
    for (const [name, one] of this.reserved) if (!isCurrent(one)) this.reserved.delete(name);
  }

  /** Gives back what is reserved, so that other instances can allow it. */
  async close(): Promise<void> {
    const all = [...this.reserved.values()].filter((one) => one.left > 0 && isCurrent(one));
    this.reserved.clear();
    await Promise.allSettled(all.map(({ key, left, status }) => this.store.refund(key, status.limit, left)));
  }

  /** Counts one request, and reserves more where much of the hour is left. */
  private async reserve(key: string, limit: number, name: string): Promise<RateLimitStatus> {
    const before = this.reserved.get(name);
    const remaining = before && isCurrent(before) ? before.status.remaining : limit;
    const reserving = this.reserveBlock(key, limit, blockSize(remaining), name);
    this.reserving.set(name, reserving);
    try {
      return await reserving;
    } finally {
      this.reserving.delete(name);
    }
  }

  private async reserveBlock(key: string, limit: number, requests: number, name: string): Promise<RateLimitStatus> {
    const status = await this.store.consume(key, limit, requests);
    if (!status.allowed) {
      this.reserved.delete(name);
      // Other instances have used more of the hour than this one knew.
      return requests > 1 ? this.reserveBlock(key, limit, 1, name) : status;
    }
    this.reserved.set(name, { key, status, left: requests - 1 });
    return { ...status, remaining: status.remaining + requests - 1 };
  }
}

const nameOf = (key: string, limit: number) => `${limit} ${key}`;

const blockSize = (remaining: number) => Math.min(maxReserved, Math.max(1, Math.floor(remaining / 100)));

/** Whether the hour of a reservation lasts: the store counts on whole seconds. */
const isCurrent = ({ status }: Reservation) => Date.now() < (status.resetsAt - 1) * 1000;
