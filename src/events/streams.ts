import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../database/index.ts';
import { ServiceError } from '../errors.ts';
import { comment, EventStream, heartbeatMs, sendEventStream } from '../http/event-stream.ts';
import type { Wait, Waits } from '../http/waits.ts';
import { type ChangeNotifier, isAfter } from './change-notifier.ts';
import type { LoggedChange, LogPage } from './log.ts';
import { decodePosition, encodePosition, type Position } from './position.ts';
import { type Follower, Tails } from './tail.ts';

/** Maximum number of different events of a company that are computed at once. */
const maxAtOnce = 4;

/** An event, and the position to continue from after it. */
export interface StreamEvent {
  readonly event: Buffer;
  readonly position: Position;
}

/** A part of the log that was not sent to a client yet. */
export interface LogPart {
  readonly changes: readonly LoggedChange[];
  readonly generation: string;
  /** Where it ends. */
  readonly next: string;
}

/** What one client is sent. */
export interface EventSource {
  /** Equal for all clients that are sent the same events now; it includes their rights. */
  key(): string;
  /** Computes the events for all clients with the same key. @throws the error that ends their streams */
  events(part: LogPart): AsyncIterable<StreamEvent>;
  /** The last event for a client whose stream ends with an error. */
  finalEvent(error: unknown, position: Position): string;
}

/** Where a stream begins. */
export interface Start {
  /** The position after which events are sent; by default, only new events are sent. */
  readonly after: Position | undefined;
  /**
   * The events up to that position, if they are already known; otherwise it is checked that the log has the changes
   * that follow.
   */
  readonly first?: string;
  /** Whether there may be more after that already. */
  readonly hasMore?: boolean;
}

/** A client that listens. */
interface Listener extends Follower {
  readonly source: EventSource;
  readonly wait: Wait;
  readonly stream: EventStream;
}

/** What streams depend on. */
interface StreamDependencies {
  readonly database: Pick<Database, 'prisma'>;
  readonly notifier: ChangeNotifier;
  readonly waits: Waits;
  /** The tables whose changes are read. */
  readonly tables: readonly string[];
}

const tooSlow = () =>
  new ServiceError('SERVICE_UNAVAILABLE', 'The client read the events too slowly; subscribe again with `after`.');
const stopping = () =>
  new ServiceError('SERVICE_UNAVAILABLE', 'The service is stopping; subscribe again with `after`.');

/**
 * Sends clients changes as server-sent events. The log of a company is read once for all clients of this instance, and
 * clients that are sent the same events share their computation.
 */
export class LogStreams {
  private readonly listeners = new Set<Listener>();
  private readonly tails: Tails<Listener>;
  private readonly heartbeat: NodeJS.Timeout;

  constructor(private readonly dependencies: StreamDependencies) {
    const { database, notifier, tables } = dependencies;
    this.tails = new Tails<Listener>({
      client: database.prisma,
      notifier,
      tables,
      notify: (page, listeners) => this.notify(page, listeners),
      fail: (error, listeners) => this.endAll(listeners, error),
    });
    // Started here, so that it runs outside the context of any request.
    this.heartbeat = setInterval(() => {
      for (const { stream } of this.listeners) stream.send(comment);
    }, heartbeatMs).unref();
  }

  /** Ends the background work. The streams end together with the waiting requests. */
  close(): void {
    clearInterval(this.heartbeat);
  }

  /**
   * Responds with events.
   *
   * @throws ServiceError RATE_LIMITED or SERVICE_UNAVAILABLE when too many listen, or GONE
   */
  async open(
    request: FastifyRequest,
    reply: FastifyReply,
    source: EventSource,
    { after, first, hasMore = false }: Start,
  ): Promise<FastifyReply> {
    const wait = this.dependencies.waits.begin(request, reply);
    try {
      const position = after ?? (await this.tails.now(request.caller.companyId));
      const stream = new EventStream();
      const listener = { companyId: request.caller.companyId, position, source, wait, stream };
      const missed = after && first === undefined ? await this.tails.read(listener) : undefined;
      stream.send(comment);
      if (first) stream.send(first);
      this.listeners.add(listener);
      reply.raw.once('close', () => this.forget(listener));
      wait.signal.addEventListener('abort', () => this.interrupt(listener, reply));
      if (wait.signal.aborted) this.interrupt(listener, reply);
      else void this.follow(listener, missed, hasMore).catch((error: unknown) => this.endAll([listener], error));
      return sendEventStream(reply, stream.body);
    } catch (error) {
      wait.end();
      throw error;
    }
  }

  /** Sends a listener what it has missed, at its own speed, until it can be served together with the others. */
  private async follow(listener: Listener, missed: LogPage | undefined, hasMore: boolean): Promise<void> {
    const { stream } = listener;
    let page = missed;
    let isBehind = hasMore;
    for (;;) {
      if (page) {
        await this.notify(page, [listener]);
        isBehind = page.hasMore;
      }
      await stream.drained();
      if (stream.isEnded || (!isBehind && this.tails.join(listener))) return;
      page = await this.tails.read(listener);
    }
  }

  /** Sends listeners the events of a page of the log. Streams to which they cannot be sent are ended. */
  private async notify(page: LogPage, listeners: readonly Listener[]): Promise<void> {
    const groups = new Map<string, Listener[]>();
    for (const listener of listeners) {
      const key = `${listener.source.key()}\n${encodePosition(listener.position)}`;
      const group = groups.get(key);
      if (group) group.push(listener);
      else groups.set(key, [listener]);
    }
    const left = [...groups.values()];
    const work = async () => {
      for (let group = left.pop(); group; group = left.pop())
        try {
          await this.notifyGroup(page, group);
        } catch (error) {
          this.endAll(group, error);
        }
    };
    await Promise.all(Array.from({ length: maxAtOnce }, work));
    const next = decodePosition(page.next, 'after');
    for (const listener of listeners) if (!listener.stream.isEnded) listener.position = next;
  }

  /** Sends events to listeners that are sent the same, and have the same position. */
  private async notifyGroup({ changes, next }: LogPage, group: readonly Listener[]): Promise<void> {
    const [first] = group;
    const listening = () => group.filter(({ stream }) => !stream.isEnded);
    if (!first || listening().length === 0) return;
    const { source, position } = first;
    const part = {
      changes: changes.filter((change) => isAfter(change, position)),
      // Where the log has begun another one meanwhile, the positions after these changes are of that one.
      generation: decodePosition(next, 'after').generation,
      next,
    };
    for await (const { event, position: reached } of source.events(part)) {
      for (const listener of listening()) {
        if (listener.stream.isFull) this.endAll([listener], tooSlow());
        listener.stream.send(event);
        listener.position = reached;
      }
      // Lets other requests have their turn, and connections take the data.
      await setImmediate();
    }
  }

  /** Ends a listener that may listen no longer, or because the service stops. */
  private interrupt(listener: Listener, reply: FastifyReply): void {
    const { wait, stream } = listener;
    if (reply.raw.destroyed) return this.forget(listener);
    if (wait.signal.reason instanceof ServiceError) return this.endAll([listener], wait.signal.reason);
    // Otherwise it would wait for a client that does not read.
    const isBehind = stream.backlog > 0;
    this.endAll([listener], stopping());
    if (isBehind) reply.raw.destroy();
  }

  /** Ends listeners with an error and the position to continue from. */
  private endAll(listeners: readonly Listener[], error: unknown): void {
    for (const listener of listeners) {
      const { source, position, stream } = listener;
      stream.send(source.finalEvent(error, position));
      stream.end();
      this.listeners.delete(listener);
      this.tails.leave(listener);
    }
  }

  /** Forgets a listener whose connection is closed. Until then it counts, as what it has not read takes memory. */
  private forget(listener: Listener): void {
    listener.stream.body.destroy();
    listener.wait.end();
    this.listeners.delete(listener);
    this.tails.leave(listener);
  }
}
