import { runAlone } from '../database/index.ts';

/** Does work again and again, with a pause after each turn, until it is stopped. It keeps no process alive. */
export class Repeater {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  /**
   * @param turn does the work once
   * @param intervalMs the pause
   * @param onError receives what a turn failed with; the next one follows all the same
   */
  constructor(
    private readonly turn: () => Promise<unknown>,
    private readonly intervalMs: number,
    private readonly onError: (error: unknown) => void,
  ) {}

  get isStopped(): boolean {
    return this.stopped;
  }

  /** Begins with the first turn, outside the context of any request. */
  start(): void {
    runAlone(() => this.schedule(0));
  }

  /** Begins no further turn, and waits until the current one has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private schedule(ms: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.running = this.turn()
        .then(() => {}, this.onError)
        .finally(() => this.schedule(this.intervalMs));
    }, ms).unref();
  }
}
