// How long the body of a request may take to arrive.
import type { FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body may take any time, as long as it does not stall: it is a file. */
    bodyIsFile?: boolean;
  }
}

/** How long (ms) a body may take. */
const bodyMs = 25_000;

/** How many bytes of a file must arrive in how long (ms): a thousand a second. */
const slowest = { bytes: 30_000, ms: 30_000 };

/**
 * Ends requests whose body arrives too slowly. Time in which the service itself does not read on does not count.
 *
 * @param end answers such a request, and closes its connection
 */
export function limitBodyTime(app: FastifyInstance, end: (reply: FastifyReply) => void): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, routeOptions } = request;
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers;
    if (length !== '0' || encoding !== undefined) {
      const timer = routeOptions.config.bodyIsFile ? watchRate(reply, end) : watchEnd(reply, end);
      raw.once('close', () => clearInterval(timer));
      raw.once('end', () => clearInterval(timer));
    }
    done();
  });
}

const watchEnd = (reply: FastifyReply, end: (reply: FastifyReply) => void): NodeJS.Timeout =>
  setTimeout(() => {
    if (!reply.request.raw.complete) end(reply);
  }, bodyMs).unref();

function watchRate(reply: FastifyReply, end: (reply: FastifyReply) => void): NodeJS.Timeout {
  const { raw } = reply.request;
  const { socket } = raw;
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    const arrived = socket.bytesRead - before;
    before = socket.bytesRead;
    const isRead = raw.readableLength < raw.readableHighWaterMark;
    if (raw.complete || !isRead || arrived >= slowest.bytes) return;
    clearInterval(timer);
    end(reply);
  }, slowest.ms);
  return timer.unref();
}
