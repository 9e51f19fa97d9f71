/** Random choices, the same for the same seed. */
export class Random {
  /** @param state the seed: any integer */
  constructor(private state: number) {}

  /** One of several things. */
  pick<T>(all: readonly T[]): T {
    return all[this.integer(all.length)] as T;
  }

  /** Some of several things, each once. @param most their maximum number */
  some<T>(all: readonly T[], most: number): T[] {
    if (all.length === 0) return [];
    return [...new Set(Array.from({ length: this.integer(most + 1) }, () => this.pick(all)))];
  }

  chance = (probability: number) => this.random() < probability;
  integer = (below: number) => Math.floor(this.random() * below);

  /** Mulberry32: small, and good enough to choose. */
  private random(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
}
