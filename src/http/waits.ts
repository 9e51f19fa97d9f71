import { setMaxListeners } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noLongerValid, ServiceError } from '../errors.ts';
import { Shares } from '../limits/shares.ts';
import { type InFlight, RefusedError } from './in-flight.ts';

/** How often (ms) it is checked whether those who wait are still allowed to. */
const checkIntervalMs = 1000;

/** A request that waits: a long poll, or a stream. */
export interface Wait {
  /**
   * Aborted when the time is up, the client has gone or the service stops, or with a ServiceError when the caller is no
   * longer valid.
   */
  readonly signal: AbortSignal;
  /** Waits for `work`, whose time does not count toward the request's deadline. */
  pause<T>(work: Promise<T>): Promise<T>;
  end(): void;
}

/** Which clients a wait counts for. */
interface WaitClients {
  readonly caller: string;
  readonly company: string;
}

/** How many requests may wait. */
interface WaitLimits {
  /** Of the whole process; one company gets at most half of those that no other uses. */
  readonly total: number;
  readonly perCaller: number;
}

/** What waits depend on. */
interface WaitDependencies {
  readonly limits: WaitLimits;
  readonly inFlight: Pick<InFlight, 'release' | 'stopped'>;
  readonly clientsOf: (request: FastifyRequest) => WaitClients;
  /** Whether the caller of a request is still valid. */
  readonly check: (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>;
}

interface Open {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly controller: AbortController;
}

const serviceIsFull = new RefusedError('Too many requests are waiting already; try again shortly.');

/**
 * The requests that wait for changes, for up to a minute or for as long as the client listens. They use no slot of the
 * requests in flight, and are counted here instead.
 */
export class Waits {
  private readonly shares: Shares;
  private readonly callers = new Map<string, number>();
  private readonly open = new Set<Open>();
  constructor(private readonly dependencies: WaitDependencies) {
    this.shares = new Shares(dependencies.limits.total);
    // Started here, so that it runs outside the context of any request.
    let isChecking = false;
    const timer = setInterval(() => {
      if (isChecking || this.open.size === 0) return;
      isChecking = true;
      void this.checkAll().finally(() => (isChecking = false));
    }, checkIntervalMs).unref();
    dependencies.inFlight.stopped.addEventListener('abort', () => {
      clearInterval(timer);
      for (const { controller } of this.open) controller.abort();
    });
  }

  /** How many requests wait. */
  get size(): number {
    return this.open.size;
  }

  /**
   * Lets a request wait.
   *
   * @param timeoutMs how long at most; by default until something else ends it
   * @throws ServiceError RATE_LIMITED, or SERVICE_UNAVAILABLE
   */
  begin(request: FastifyRequest, reply: FastifyReply, timeoutMs?: number): Wait {
    const { inFlight, limits, clientsOf } = this.dependencies;
    const { caller, company } = clientsOf(request);
    if (this.countOf(caller) >= limits.perCaller) {
      reply.header('retry-after', 1);
      throw new ServiceError(
        'RATE_LIMITED',
        `This caller already has ${limits.perCaller} waiting requests, which is the maximum.`,
      );
    }
    if (!this.shares.hasCapacity([company])) throw serviceIsFull;
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const open = { request, reply, controller };
    const leave = () => controller.abort();
    // Not AbortSignal.timeout, which Node 20 collects as garbage when it is combined with other signals.
    const timer = timeoutMs === undefined ? undefined : setTimeout(leave, timeoutMs).unref();
    const end = () => {
      if (!this.open.delete(open)) return;
      clearTimeout(timer);
      this.shares.count(-1, [company]);
      this.callers.set(caller, this.countOf(caller) - 1);
      if (this.countOf(caller) === 0) this.callers.delete(caller);
      reply.raw.off('close', leave);
    };
    inFlight.release(reply);
    this.shares.count(1, [company]);
    this.callers.set(caller, this.countOf(caller) + 1);
    this.open.add(open);
    reply.raw.once('close', leave);
    if (inFlight.stopped.aborted || reply.raw.destroyed) leave();
    return { signal: controller.signal, end, pause: (work) => pause(request, work) };
  }

  private countOf = (caller: string): number => this.callers.get(caller) ?? 0;

  /** Ends the waits of those who may wait no longer, such as those of revoked tokens. */
  private async checkAll(): Promise<void> {
    const { check } = this.dependencies;
    await Promise.all(
      [...this.open].map(async ({ request, reply, controller }) => {
        // If the check fails, the wait goes on: while the database does not answer, nothing is read for it either.
        if (!(await check(request, reply).catch(() => true))) controller.abort(noLongerValid());
      }),
    );
  }
}

async function pause<T>({ deadline }: FastifyRequest, work: Promise<T>): Promise<T> {
  deadline.stop();
  try {
    return await work;
  } finally {
    deadline.start();
  }
}
