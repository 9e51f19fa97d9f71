import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { Shares } from '../limits/shares.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a route answers however many requests are in flight, until the service stops. */
    alwaysAnswers?: boolean;
  }
}

/** How many requests may be in flight. */
interface InFlightLimits {
  /** Of the whole process; one client gets at most half of those that no other uses. */
  readonly total: number;
  /** Of one connection, which may pipeline them. */
  readonly perConnection: number;
}

/** The requests in flight. */
export interface InFlight {
  /** The replies of those whose work or response has not ended, refused ones included. */
  readonly replies: ReadonlyMap<FastifyReply, unknown>;
  /** Frees the slot of a request that waits for changes: those are counted elsewhere. */
  release(reply: FastifyReply): void;
  /** Refuses all further requests. */
  refuseAll(error: RefusedError): void;
  /** Aborted by `refuseAll`. */
  readonly stopped: AbortSignal;
}

/** A request that is refused because of the others in flight, or because the service stops. */
export class RefusedError extends ServiceError {
  constructor(reason: string) {
    super('SERVICE_UNAVAILABLE', reason);
  }
}

const connectionIsFull = new RefusedError('Too many requests at once on this connection; try again shortly.');
const serviceIsFull = new RefusedError('Too many requests at once; try again shortly.');

/** A request from its arrival until the work for it has ended and its response has been sent. */
class Flight {
  private isAnswered = false;
  /** Whether its response was sent, or its connection is gone. */
  isClosed = false;

  constructor(
    private readonly reply: FastifyReply,
    private readonly onEnd: () => void,
    /** Frees its slot. */
    readonly release: () => void,
  ) {}

  /** Called when its response begins: the work has ended, apart from what is streamed. */
  answer(): void {
    this.isAnswered = true;
    if (this.isClosed) this.onEnd();
  }

  /** Called when its response was sent or its connection is gone. A request that still arrives has no work to end. */
  close(): void {
    this.isClosed = true;
    if (this.isAnswered || !this.reply.request.raw.complete) this.onEnd();
  }
}

/**
 * Refuses requests beyond the limits with 503, before anything else is done for them. A streamed response is in flight
 * until its end, and a request whose client has gone until its work has ended. Refused requests are bounded too: Node
 * stops reading from a connection while its responses pile up.
 *
 * @param clientOf names the client of a request
 */
export function limitInFlight(
  app: FastifyInstance,
  { total, perConnection }: InFlightLimits,
  clientOf: (request: FastifyRequest) => string,
): InFlight {
  const shares = new Shares(total);
  const flights = new Map<FastifyReply, Flight>();
  const connections = new WeakMap<Socket, Set<Flight>>();
  let refusalOfAll: RefusedError | undefined;
  const stopping = new AbortController();

  /** The unanswered requests of a connection. When the connection closes, they are closed too. */
  const unansweredOn = (socket: Socket): Set<Flight> => {
    const known = connections.get(socket);
    if (known) return known;
    const unanswered = new Set<Flight>();
    connections.set(socket, unanswered);
    // A response that waits for an earlier one does not learn that the connection is gone.
    socket.once('close', () => {
      for (const flight of unanswered) flight.close();
    });
    return unanswered;
  };

  app.addHook('onRequest', (request, reply, done) => {
    const unanswered = unansweredOn(request.raw.socket);
    const clients = [clientOf(request)];
    const findRefusal = () => {
      if (refusalOfAll || request.routeOptions.config.alwaysAnswers) return refusalOfAll;
      if (unanswered.size >= perConnection) return connectionIsFull;
      return shares.hasCapacity(clients) ? undefined : serviceIsFull;
    };
    const refusal = findRefusal();
    let hasSlot = !refusal;
    if (hasSlot) shares.count(1, clients);
    const release = () => {
      if (hasSlot) shares.count(-1, clients);
      hasSlot = false;
    };
    const onEnd = () => {
      unanswered.delete(flight);
      flights.delete(reply);
      release();
    };
    const flight = new Flight(reply, onEnd, release);
    unanswered.add(flight);
    flights.set(reply, flight);
    reply.raw.once('close', () => flight.close());
    done(refusal);
  });
  app.addHook('preParsing', (_request, reply, _payload, done) => {
    const flight = flights.get(reply);
    // Without its client, the body would never arrive, and the request would never end.
    if (flight?.isClosed) flight.answer();
    else done();
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    flights.get(reply)?.answer();
    done();
  });
  return {
    replies: flights,
    stopped: stopping.signal,
    release: (reply) => flights.get(reply)?.release(),
    refuseAll: (error) => {
      refusalOfAll = error;
      stopping.abort();
    },
  };
}
