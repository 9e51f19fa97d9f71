/** Slots that clients share. A client can use at most half of the slots that no other client uses. */
export class Shares {
  private total = 0;
  private readonly counts = new Map<string, number>();

  /** @param size the number of slots */
  constructor(private readonly size: number) {}

  /** The slots that a client uses. */
  countOf = (client: string): number => this.counts.get(client) ?? 0;

  /** Whether each of the clients may use one more slot. */
  hasCapacity(clients: readonly string[]): boolean {
    const leavesHalf = (client: string) => {
      const left = this.size - (this.total - this.countOf(client));
      return this.countOf(client) < Math.ceil(left / 2);
    };
    return this.total < this.size && clients.every(leavesHalf);
  }

  /** Counts one slot that the clients use together. @returns whether any slot is in use */
  count(change: 1 | -1, clients: readonly string[]): boolean {
    this.total += change;
    for (const client of clients) {
      const inUse = this.countOf(client) + change;
      if (inUse > 0) this.counts.set(client, inUse);
      else this.counts.delete(client);
    }
    return this.total > 0;
  }
}
