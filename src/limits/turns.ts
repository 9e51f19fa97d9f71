/** Slots for work of clients, who take turns: of those that wait, each gets one before any gets another. */
export class Turns {
  private free: number;
  /** What waits of each client, the client whose turn is next first. */
  private readonly waiting = new Map<string, (() => void)[]>();

  /** @param size the number of slots */
  constructor(size: number) {
    this.free = size;
  }

  /** Runs work of a client when it has a slot. */
  async run<T>(client: string, work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.set(client, [...(this.waiting.get(client) ?? []), resolve]));
    try {
      return await work();
    } finally {
      this.handOver();
    }
  }

  private handOver(): void {
    const [next] = this.waiting;
    if (!next) {
      this.free += 1;
      return;
    }
    const [client, [start, ...others]] = next;
    this.waiting.delete(client);
    if (others.length > 0) this.waiting.set(client, others);
    start?.();
  }
}
