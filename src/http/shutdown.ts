import { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { endBody } from './connections.ts';
import { type InFlight, RefusedError } from './in-flight.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Number of requests whose response was incomplete when the service closed. */
    unanswered: number;
  }
}

/** How long (ms) the rest of a request's body may take to arrive once the service stops. */
const bodyTimeoutMs = 2000;

/** How often (ms) it is checked what is still in flight. */
const checkIntervalMs = 50;

const refusal = () => new RefusedError('The service is stopping; try again shortly.');

/**
 * Makes `app.close()` refuse new requests with 503, wait for those in flight, and then close all connections.
 *
 * @param timeoutMs how long it waits
 */
export function answerBeforeClose(app: FastifyInstance, { replies, refuseAll }: InFlight, timeoutMs: number): void {
  app.decorate('unanswered', 0);
  app.addHook('preClose', async () => {
    refuseAll(refusal());
    // Accepts no more connections. An HTTP server's own `close` would also end the idle ones, on which a client may be
    // sending a request just now.
    Server.prototype.close.call(app.server);
    const stoppedAt = performance.now();
    for (let ms = 0; replies.size > 0 && ms < timeoutMs; ms = performance.now() - stoppedAt) {
      if (ms > bodyTimeoutMs) for (const reply of replies.keys()) endBody(reply, refusal());
      await sleep(checkIntervalMs);
    }
    app.unanswered = replies.size;
    if (app.unanswered > 0) app.log.warn({ unanswered: app.unanswered }, 'stopped before every request was answered');
    app.server.closeAllConnections();
  });
}
