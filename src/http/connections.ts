import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { badRequest, ServiceError, statusOf } from '../errors.ts';
import { errorBody } from './envelope.ts';
import { headerLimit, maxHeaders } from './headers.ts';

/** What responses to what is no valid HTTP request depend on. */
interface Dependencies {
  /** The headers of every response that depend on neither a request nor its caller. */
  readonly commonHeaders: Readonly<Record<string, string>>;
  /** Reads the rate limit headers of an address. */
  readonly readLimit: (ip: string) => Promise<Readonly<Record<string, string | number>>>;
}

/** How long (ms) a refusal of a connection waits for the rate limit. */
const limitTimeoutMs = 500;

/** How long (ms) a client may take to read its last response. */
const lingerMs = 2000;

/** How often (ms) it is checked whether a body is being read. */
const checkIntervalMs = 20;

/**
 * Responds to what is no valid HTTP request, in REST's envelope and with the headers of every response: after the
 * responses to the requests before it on its connection, which is then closed. A request whose body is not valid is
 * refused as any other, with its own id, rate limit and form of errors.
 */
export class InvalidRequests {
  /** The last request of each connection. */
  private readonly last = new WeakMap<Socket, FastifyReply>();
  private readonly refused = new WeakSet<Socket>();

  constructor(private readonly dependencies: Dependencies) {}

  /** Starts to follow the requests of a service, whose `clientErrorHandler` is `handle`. */
  follow(app: FastifyInstance): void {
    app.addHook('onRequest', (request, reply, done) => {
      this.last.set(request.raw.socket, reply);
      done();
    });
    // Node would close the connection without a word, and no longer listens for its errors.
    app.server.on('connect', ({ socket }: IncomingMessage) => {
      socket.on('error', () => socket.destroy());
      void this.refuse(app, socket, badRequest('This service is not a proxy.'), 'CONNECT');
    });
    // Node ignores the headers that follow: the last one that it keeps tells that there are too many.
    app.server.maxHeadersCount = maxHeaders + 1;
  }

  /** Responds to what Node's parser refuses. */
  handle(app: FastifyInstance, { code }: Error & { code?: string }, socket: Socket): void {
    if (code === 'ECONNRESET') socket.destroy();
    else void this.refuse(app, socket, connectionError(code), code);
  }

  /** Responds with an error, and closes the connection. What else arrives on it is ignored. */
  private async refuse(
    app: FastifyInstance,
    socket: Socket,
    error: ServiceError,
    reason: string | undefined,
  ): Promise<void> {
    // A parser refuses every further part of what it has refused.
    if (this.refused.has(socket)) return;
    this.refused.add(socket);
    const reply = this.last.get(socket);
    const isBody = reply?.request.raw.complete === false;
    if (isBody) await refuseBody(reply, error);
    if (reply) await closed(reply, socket);
    // A request has one response, also where that was sent before its body had arrived.
    if (!isBody && socket.writable) await this.respond(app, socket, error, reason);
    if (socket.writable) socket.end();
    // A client that goes on sending would keep it open.
    setTimeout(() => socket.destroy(), lingerMs).unref();
  }

  private async respond(
    { log }: FastifyInstance,
    socket: Socket,
    error: ServiceError,
    reason: string | undefined,
  ): Promise<void> {
    const { commonHeaders, readLimit } = this.dependencies;
    const status = statusOf[error.code];
    const id = randomUUID();
    const body = JSON.stringify(errorBody(error, id));
    const limit = await Promise.race([
      readLimit(socket.remoteAddress ?? '').catch(() => ({})),
      sleep(limitTimeoutMs, {}, { ref: false }),
    ]);
    const headers = {
      'x-request-id': id,
      ...commonHeaders,
      ...limit,
      date: new Date().toUTCString(),
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    if (socket.writable) socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
    log.info({ reqId: id, status, reason }, 'refused');
  }
}

/** What is wrong with a request that Node's parser refuses. */
function connectionError(code = ''): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ServiceError(
      'REQUEST_HEADER_FIELDS_TOO_LARGE',
      `The address and headers are larger than ${headerLimit} bytes.`,
    );
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ServiceError('REQUEST_TIMEOUT', 'The request took too long to arrive.');
  return badRequest('This is not a valid HTTP request.');
}

/** Refuses a request whose body is not valid as soon as the body is read, unless it is answered without. */
async function refuseBody(reply: FastifyReply, error: ServiceError): Promise<void> {
  const { raw } = reply;
  while (!raw.headersSent && !raw.destroyed && !endBody(reply, error))
    await sleep(checkIntervalMs, undefined, { ref: false });
}

/**
 * Refuses a request whose body is being read.
 *
 * @returns whether it is
 */
export function endBody(reply: FastifyReply, error: ServiceError): boolean {
  const { raw } = reply.request;
  // Fastify listens for errors only while it reads the body, and responds with them.
  if (raw.complete || raw.listenerCount('error') === 0) return false;
  reply.header('connection', 'close');
  raw.emit('error', error);
  return true;
}

/** Waits until a response was sent, or its connection is gone. */
const closed = ({ raw }: FastifyReply, socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (raw.closed || socket.destroyed) resolve();
    raw.once('close', resolve);
    // A response that waits for an earlier one does not learn that the connection is gone.
    socket.once('close', resolve);
  });
