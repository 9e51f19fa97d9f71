import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The media type of server-sent events. */
export const eventStream = 'text/event-stream';

/** How often (ms) a client without events gets a comment, so that no proxy closes the connection. */
export const heartbeatMs = 15_000;

/** Responds with events. Proxies such as nginx would keep them back otherwise. */
export const sendEventStream = (reply: FastifyReply, events: Readable): FastifyReply =>
  reply.type(eventStream).header('x-accel-buffering', 'no').send(events);

/** A comment, which clients ignore. */
export const comment = ':\n\n';

/** The position that a reconnecting client has reached. */
export const lastEventId = ({ headers }: FastifyRequest): string | undefined => {
  const given = headers['last-event-id'];
  return typeof given === 'string' && given !== '' ? given : undefined;
};

/** How many bytes may wait for a client before it counts as too slow. */
const maxBacklog = 512 * 1024;

/** Server-sent events for one client, of many that are sent the same and read it at different speeds. */
export class EventStream {
  /** The body of the response. */
  readonly body = new Readable({
    read: () => this.onRead?.(),
    destroy: (error, callback) => {
      this.isEnded = true;
      this.onRead?.();
      callback(error);
    },
  });
  /** Whether nothing more can be sent. */
  isEnded = false;
  private onRead: (() => void) | undefined;

  /** How many bytes the client has not taken yet, besides what its connection holds. */
  get backlog(): number {
    return this.body.readableLength;
  }

  /** Whether the client is too slow for more. */
  get isFull(): boolean {
    return this.backlog > maxBacklog;
  }

  /** Sends the text of events. */
  send(text: string | Buffer): void {
    if (!this.isEnded) this.body.push(text);
  }

  /** Ends the response after what was sent. */
  end(): void {
    if (!this.isEnded) this.body.push(null);
    this.isEnded = true;
  }

  /** Waits until the client has taken what was sent, or has gone. */
  async drained(): Promise<void> {
    while (this.backlog > 0 && !this.isEnded) await new Promise<void>((resolve) => (this.onRead = resolve));
  }
}
