import { runAlone } from '../database/index.ts';

/** What a turn of a company leaves: nothing; more to do; or something that has to wait for the next look. */
export type TurnEnd = 'done' | 'more' | 'later';

/**
 * Companies that have work, which take turns: a turn is a bounded part of a company's work, and what is left of it
 * waits behind the others. A company has one turn at a time, so one whose turns are slow delays no other.
 */
export class CompanyTurns {
  /** In the order of their turns. */
  private readonly waiting = new Set<string>();
  private readonly running = new Map<string, Promise<void>>();
  private readonly deferred = new Set<string>();
  private stopped = false;

  /**
   * @param lanes how many companies have their turn at once
   * @param turn does a part of a company's work
   * @param onError receives what a turn failed with; the company's next turn follows the next look
   */
  constructor(
    private readonly lanes: number,
    private readonly turn: (companyId: string) => Promise<TurnEnd>,
    private readonly onError: (error: unknown, companyId: string) => void,
  ) {}

  get isStopped(): boolean {
    return this.stopped;
  }

  /** Gives companies a turn. One that has its turn now gets another. */
  add(companyIds: Iterable<string>): void {
    for (const id of companyIds) this.waiting.add(id);
    this.begin();
  }

  /** Gives those a turn that had to wait for the next look. */
  addDeferred(): void {
    const ids = [...this.deferred];
    this.deferred.clear();
    this.add(ids);
  }

  /** Waits until no company waits or has its turn. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running.values());
  }

  /** Begins no further turn, and waits for those that have begun. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.idle();
  }

  private begin(): void {
    for (const id of this.waiting) {
      if (this.stopped || this.running.size >= this.lanes) return;
      if (this.running.has(id)) continue;
      this.waiting.delete(id);
      this.running.set(id, this.run(id));
    }
  }

  private async run(companyId: string): Promise<void> {
    const end = await runAlone(() => this.turn(companyId)).catch((error: unknown): TurnEnd => {
      this.onError(error, companyId);
      return 'later';
    });
    this.running.delete(companyId);
    if (end === 'more') this.waiting.add(companyId);
    if (end === 'later') this.deferred.add(companyId);
    this.begin();
  }
}
