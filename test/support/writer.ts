import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Reply } from './client.ts';

/** A writer of paints that repeats each request with its key until it is answered, as a careful client does. */
export class Writer {
  readonly acknowledged: string[] = [];
  readonly refusals: Reply[] = [];
  /** When the last request was acknowledged (ms), and the longest time between two. */
  last = performance.now();
  longestPause = 0;
  private isOver = false;
  private readonly written: Promise<void>;

  constructor(private readonly client: Client) {
    this.written = this.write();
  }

  private async write(): Promise<void> {
    while (!this.isOver) {
      const paint = randomUUID();
      for (;;) {
        const reply = await this.client.post('/paints', { name: paint }, { 'idempotency-key': paint });
        if (reply.status === 201) break;
        this.refusals.push(reply);
        await sleep(20);
      }
      this.acknowledged.push(paint);
      this.longestPause = Math.max(this.longestPause, performance.now() - this.last);
      this.last = performance.now();
    }
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.written;
  }
}
