import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long (ms) an event may take on a busy machine. */
const timeoutMs = 60_000;

/** Reads a response of server-sent events. */
export class EventReader {
  /** Everything that was received. */
  text = '';
  isOver = false;

  constructor(private readonly response: IncomingMessage) {
    response
      .setEncoding('utf8')
      .on('data', (part: string) => (this.text += part))
      .on('close', () => (this.isOver = true))
      .on('error', () => {});
  }

  get status(): number | undefined {
    return this.response.statusCode;
  }

  get headers(): IncomingMessage['headers'] {
    return this.response.headers;
  }

  /** Whether the service has ended the response, rather than the connection. */
  get isWhole(): boolean {
    return this.response.complete;
  }

  /** Waits for the end of the response. */
  async ended(): Promise<this> {
    await this.wait(() => this.isOver, 'the end');
    return this;
  }

  close(): void {
    this.response.destroy();
  }

  /** Reads no further until `resume`. */
  pause(): void {
    this.response.pause();
  }

  resume(): void {
    this.response.resume();
  }

  /** Waits until a condition is true. @throws Error after a minute, with what was awaited and the last events */
  protected async wait(condition: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!condition()) {
      if (Date.now() > deadline) throw new Error(`Waited in vain for ${what} after ${this.text.slice(-2000)}`);
      await sleep(20);
    }
  }
}
