import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { tooSlow } from '../errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Aborted when the response has not begun in time. */
    deadline: Deadline;
  }
  interface FastifyContextConfig {
    /** How long (ms) until a response begins; 15 s by default. */
    deadlineMs?: number;
  }
}

/** How long (ms) a request may take until its response begins. */
const defaultDeadlineMs = 15_000;

/**
 * A countdown that can be paused. It notifies its listeners of its end like an `AbortSignal`, which takes ten times as
 * long to create.
 */
class Deadline {
  aborted = false;
  private readonly listeners = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  /** Undefined while it is paused. */
  private startedAt: number | undefined;
  private leftMs: number;

  /** @param totalMs how long it counts down */
  constructor(private readonly totalMs: number) {
    this.leftMs = totalMs;
  }

  /** The time (ms) that was counted down. */
  get usedMs(): number {
    return this.totalMs - this.leftMs + (this.startedAt === undefined ? 0 : performance.now() - this.startedAt);
  }

  start(): void {
    this.startedAt = performance.now();
    this.timer = setTimeout(() => this.abort(), this.leftMs).unref();
  }

  stop(): void {
    if (this.startedAt === undefined) return;
    clearTimeout(this.timer);
    this.leftMs -= performance.now() - this.startedAt;
    this.startedAt = undefined;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.delete(listener);
  }

  private abort(): void {
    this.aborted = true;
    for (const listener of this.listeners) listener();
  }
}

/**
 * Responds with 503 when a response has not begun in time. The time that a client takes to send a body or to read the
 * response does not count.
 */
export function setDeadlines(app: FastifyInstance): void {
  app.decorateRequest('deadline');
  app.addHook('onRequest', (request, reply, done) => {
    const deadline = new Deadline(request.routeOptions.config.deadlineMs ?? defaultDeadlineMs);
    request.deadline = deadline;
    deadline.start();
    reply.raw.once('close', () => deadline.stop());
    done();
  });
  letConnectionsWait(app);
  app.addHook('preParsing', ({ deadline }, _reply, _payload, done) => {
    deadline.stop();
    done();
  });
  app.addHook('preValidation', ({ deadline, raw, routeOptions }, _reply, done) => {
    // A file comes while it is handled.
    if (routeOptions.config.bodyIsFile && !raw.complete) raw.once('end', () => deadline.start());
    else deadline.start();
    done();
  });
  app.addHook('onSend', ({ deadline }, _reply, _payload, done) => {
    deadline.stop();
    done();
  });
  app.addHook('onRoute', (route) => {
    const handler = route.handler;
    route.handler = function (request, reply) {
      const answer: unknown = handler.call(this, request, reply);
      return answer instanceof Promise ? beforeDeadline(request, answer) : answer;
    } satisfies RouteHandlerMethod;
  });
}

/** Waits for work until the request's deadline. @throws ServiceError SERVICE_UNAVAILABLE */
export const beforeDeadline = <T>({ deadline }: FastifyRequest, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const refuse = () => reject(tooSlow());
    if (deadline.aborted) refuse();
    deadline.addEventListener('abort', refuse);
    work.then(resolve, reject);
  });

/**
 * Lets a connection be without traffic for as long as the service may work on its request: it would be closed before
 * the deadline otherwise. Clients still have only the usual time for their headers, bodies and the response.
 */
function letConnectionsWait(app: FastifyInstance): void {
  const { server } = app;
  const outlasts = (deadlineMs = 0) => server.timeout > 0 && deadlineMs > server.timeout;
  app.addHook('onRequest', ({ raw: { socket }, routeOptions: { config } }, _reply, done) => {
    const { deadlineMs = 0 } = config;
    if (outlasts(deadlineMs)) socket.setTimeout(deadlineMs + server.timeout);
    done();
  });
  app.addHook('onSend', ({ raw: { socket }, routeOptions: { config } }, _reply, _payload, done) => {
    if (outlasts(config.deadlineMs)) socket.setTimeout(server.timeout);
    done();
  });
}
