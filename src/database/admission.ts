import { Shares } from '../limits/shares.ts';

/** What ends a wait: an `AbortSignal`, or the part of one that is used here. */
interface EndSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A statement's company, caller and tables. */
export interface Claim {
  readonly company: string;
  readonly caller: string;
  readonly tables: readonly string[];
  /** Whether it begins a transaction, which may wait for locks. */
  readonly isTransaction?: boolean;
  /** Ends the wait for a connection. */
  readonly signal?: EndSignal | undefined;
}

/** How statements got their connection, since the start. */
export interface AdmissionCounts {
  /** Waits that have ended, and their time (ms) together. */
  waits: number;
  waitedMs: number;
  /** Statements that got none in time. */
  refusals: number;
}

/** Releases a connection. */
type Release = () => void;

/** Maximum number of concurrent statements of one caller. */
const callerConcurrency = 3;

/** How long (ms) a statement waits for a connection, and how many statements of a company may wait. */
const maxWaitMs = 5000;
const maxWaiting = 500;

/** Thrown when no connection becomes available. */
class NoConnectionError extends Error {
  override readonly name = 'NoConnectionError';
  /** Prisma's code of this error. */
  readonly code = 'P2024';

  constructor() {
    super('There was no free connection in time.');
  }
}

/** A company's transactions, or its other statements. */
const kindOf = ({ company, isTransaction }: Claim) => `${company} ${isTransaction ? 'transactions' : 'statements'}`;

/**
 * Slots that clients share: where they are counted, their name and number, and the clients that a claim takes one for,
 * such as its company.
 */
type Level = readonly [of: Map<string, Shares>, name: string, size: number, clients: readonly string[]];

const sharesOf = (of: Map<string, Shares>, name: string, size: number): Shares => of.get(name) ?? new Shares(size);

/** What the callers of several pools use, in all of them together. */
export class Callers {
  readonly shares = new Map<string, Shares>();
  readonly admissions: Admission[] = [];
}

interface Waiter {
  readonly claim: Claim | undefined;
  readonly admit: (release: Release) => void;
}

/**
 * Decides which statement gets the next connection of a pool, so that no company, caller or locked table uses all of
 * them. A waiting statement uses no connection. Of the statements that can run, one of the company with the fewest
 * connections is next.
 */
export class Admission {
  private readonly shares: Map<string, Shares> = new Map();
  private readonly waiters = new Set<Waiter>();
  /** When each company was last admitted, as the number of its turn. */
  private readonly turns = new Map<string, number>();
  private turn = 0;
  /** What happened since the start. */
  readonly counts: AdmissionCounts = { waits: 0, waitedMs: 0, refusals: 0 };

  /**
   * @param size the number of connections
   * @param callers what callers use, also of other pools
   */
  constructor(
    private readonly size: number,
    private readonly callers = new Callers(),
  ) {
    callers.admissions.push(this);
  }

  /**
   * Waits for a connection.
   * @param claim undefined for the service's own work, which waits without limit
   * @throws NoConnectionError after five seconds, at once when too many wait, or when `signal` is aborted
   */
  async admit(claim?: Claim): Promise<Release> {
    if (claim?.signal?.aborted) throw this.refuse();
    const release = this.admitNow(claim);
    if (release) return release;
    if (claim && this.waitersOf(claim.company) >= maxWaiting) throw this.refuse();
    return new Promise((resolve, reject) => {
      const since = performance.now();
      const stopWaiting = () => {
        this.counts.waits += 1;
        this.counts.waitedMs += performance.now() - since;
        this.waiters.delete(waiter);
        clearTimeout(timer);
        claim?.signal?.removeEventListener('abort', refuse);
      };
      const refuse = () => {
        stopWaiting();
        reject(this.refuse());
      };
      const admit = (release: Release) => {
        stopWaiting();
        resolve(release);
      };
      const waiter: Waiter = { claim, admit };
      const timer = claim && setTimeout(refuse, maxWaitMs).unref();
      claim?.signal?.addEventListener('abort', refuse);
      this.waiters.add(waiter);
    });
  }

  /** Admits a claim that need not wait. */
  admitNow(claim?: Claim): Release | undefined {
    return this.hasCapacity(claim) && !claim?.signal?.aborted ? this.take(claim) : undefined;
  }

  /** The number of statements and transactions that wait. */
  get waiting(): number {
    return this.waiters.size;
  }

  private refuse(): NoConnectionError {
    this.counts.refusals += 1;
    return new NoConnectionError();
  }

  private levels(claim: Claim | undefined): Level[] {
    const { shares } = this;
    if (!claim) return [[shares, '', this.size, []]];
    const { company, caller, tables } = claim;
    return [
      [shares, '', this.size, [company, kindOf(claim), ...tables]],
      [shares, `company ${company}`, Math.ceil(this.size / 2), tables],
      [this.callers.shares, caller, callerConcurrency, tables],
    ];
  }

  private hasCapacity = (claim: Claim | undefined): boolean =>
    this.levels(claim).every(([of, name, size, clients]) => sharesOf(of, name, size).hasCapacity(clients));

  private take(claim: Claim | undefined): Release {
    this.count(1, claim);
    if (claim) this.turns.set(claim.company, ++this.turn);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.count(-1, claim);
      // Turns only matter to those that wait.
      if (this.waiters.size === 0) this.turns.clear();
      for (const admission of this.callers.admissions) admission.admitWaiters();
    };
  }

  private count(change: 1 | -1, claim: Claim | undefined): void {
    for (const [of, name, size, clients] of this.levels(claim)) {
      const shares = sharesOf(of, name, size);
      if (shares.count(change, clients)) of.set(name, shares);
      else of.delete(name);
    }
  }

  private admitWaiters(): void {
    for (let next = this.next(); next; next = this.next()) next.admit(this.take(next.claim));
  }

  /**
   * The next waiter: of those that can get a connection, the first of the company with the fewest, or of several the
   * one whose last turn is the longest ago. Within a company reads and transactions take turns, so that reads do not
   * wait for all the transactions that wait for locks.
   */
  private next(): Waiter | undefined {
    const all = sharesOf(this.shares, '', this.size);
    const inUse = ({ claim }: Waiter) =>
      claim ? all.countOf(claim.company) + all.countOf(kindOf(claim)) / (this.size + 1) : 0;
    const turnOf = ({ claim }: Waiter) => this.turns.get(claim?.company ?? '') ?? 0;
    const isBefore = (one: Waiter, other: Waiter) =>
      inUse(one) < inUse(other) || (inUse(one) === inUse(other) && turnOf(one) < turnOf(other));
    let best: Waiter | undefined;
    for (const waiter of this.waiters) {
      if ((!best || isBefore(waiter, best)) && this.hasCapacity(waiter.claim)) best = waiter;
    }
    return best;
  }

  private waitersOf = (company: string): number =>
    [...this.waiters].filter(({ claim }) => claim?.company === company).length;
}
