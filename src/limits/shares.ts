/** A number of places shared by parties: none gets more than half of what the others leave. */
export class Shares {
  private total = 0;
  private readonly counts = new Map<string, number>();

  /** @param size the number of places */
  constructor(private readonly size: number) {}

  /** The places in use by a party. */
  countOf = (party: string): number => this.counts.get(party) ?? 0;

  /** Whether each of the parties may have one more place. */
  hasRoom(parties: readonly string[]): boolean {
    const leavesHalf = (party: string) => {
      const left = this.size - (this.total - this.countOf(party));
      return this.countOf(party) < Math.ceil(left / 2);
    };
    return this.total < this.size && parties.every(leavesHalf);
  }

  /** Counts one place for all of the parties together. @returns whether any place is still in use */
  count(change: 1 | -1, parties: readonly string[]): boolean {
    this.total += change;
    for (const party of parties) {
      const inUse = this.countOf(party) + change;
      if (inUse > 0) this.counts.set(party, inUse);
      else this.counts.delete(party);
    }
    return this.total > 0;
  }
}
