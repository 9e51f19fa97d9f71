import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { LogPlace, WriteMarks } from './marks.ts';

/** What the primary says of itself, and of who keeps the marks of writes. */
interface Answer {
  readonly keeper: string | null;
  /** How long (s) it has said so. */
  readonly age: number;
  readonly system: string;
  readonly timeline: number;
  readonly lsn: number;
  /** The oldest transaction that runs, and the next one. */
  readonly oldest: bigint;
  readonly next: bigint;
}

/** How often (ms) the primary is asked. */
const intervalMs = 200;

/** How long (ms) an answer holds, from when it was asked for. Whoever cannot mark waits as long before it writes. */
export const leaseMs = 1000;

/** How long (s) after the last write without marks another keeper is named. */
const quietSeconds = 10;

/** How long (s) writers of before may take to begin: they go by an answer that may be as old as a lease. */
const settlingSeconds = 3;

/** How far back (ms) places of the primary are remembered. */
const rememberedMs = 60_000;

const ask = `
  SELECT kept_by AS keeper, extract(epoch FROM clock_timestamp() - changed_at)::float8 AS age,
         system_identifier::text AS system,
         ('x' || "left"(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint::float8 AS timeline,
         (pg_current_wal_insert_lsn() - '0/0')::float8 AS lsn,
         pg_snapshot_xmin(pg_current_snapshot())::text AS oldest, pg_snapshot_xmax(pg_current_snapshot())::text AS next
  FROM write_marks, pg_control_system()`;

/**
 * What the primary says, asked for all the time. It names the Redis that keeps the marks of writes: all instances use
 * the same one or none. An answer holds for a second. So whoever writes without a mark first lets the primary name
 * none, and waits until no instance goes by an earlier answer.
 */
export class Primary {
  private answer: (Answer & { readonly askedAt: number }) | undefined;
  /** Where the primary was, oldest first. */
  private readonly places: { readonly at: number; readonly lsn: number }[] = [];
  /** From which transaction on all writers have marks, and from which place, once the others have ended. */
  private settled: { readonly keeper: string; readonly timeline: number; next?: bigint; floor?: number } | undefined;
  private ending: Promise<void> | undefined;
  private isClosed = false;
  private readonly asking: Promise<void>;

  /** @param pool of connections to the primary @param marks undefined where this process cannot mark */
  constructor(
    private readonly pool: pg.Pool,
    private readonly marks: WriteMarks | undefined,
  ) {
    this.asking = this.watch();
  }

  /** The place that every replica must have reached to be used; undefined while none may be. */
  get current():
    | { readonly keeper: string; readonly system: string; readonly timeline: number; readonly floor: number }
    | undefined {
    const { answer, settled } = this;
    if (!this.isFresh || !answer || settled?.floor === undefined || !this.marks?.isKeptBy(answer.keeper))
      return undefined;
    return { keeper: answer.keeper, system: answer.system, timeline: answer.timeline, floor: settled.floor };
  }

  /** The keeper of the marks of a write that begins now; undefined if it needs none, as nobody reads on replicas. */
  async keeperForWrite(): Promise<string | undefined> {
    for (;;) {
      if (!this.isFresh) await this.look();
      const { answer } = this;
      if (answer?.keeper === null) return undefined;
      if (answer && this.marks?.isKeptBy(answer.keeper)) return answer.keeper;
      await this.sendEverybody();
    }
  }

  /** Lets the primary name no keeper of marks, and waits until nobody reads on replicas. */
  sendEverybody(): Promise<void> {
    this.ending ??= this.nameNobody().finally(() => (this.ending = undefined));
    return this.ending;
  }

  /** A place that follows all writes that were committed before. */
  async placeFromNow(): Promise<LogPlace> {
    const { timeline, lsn } = await this.look();
    return { timeline, lsn };
  }

  /** How long (s) ago the primary was where a replica is now; Infinity where that is not remembered. */
  lagAt(lsn: number): number {
    const now = performance.now();
    const passed = this.places.find((place) => place.lsn > lsn);
    if (!passed) return 0;
    return passed === this.places[0] ? Infinity : (now - passed.at) / 1000;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.asking;
  }

  private get isFresh(): boolean {
    return this.answer !== undefined && performance.now() - this.answer.askedAt < leaseMs;
  }

  private async watch(): Promise<void> {
    while (!this.isClosed) {
      // While it does not answer, nobody reads on replicas.
      const answer = await this.look().catch(() => undefined);
      if (answer?.keeper === null && answer.age > quietSeconds) await this.nameKeeper().catch(() => {});
      await sleep(intervalMs, undefined, { ref: false });
    }
  }

  private async look(): Promise<Answer> {
    const askedAt = performance.now();
    // The columns of the statement, in its only row.
    const [row] = (await this.pool.query<Omit<Answer, 'oldest' | 'next'> & { oldest: string; next: string }>(ask)).rows;
    if (!row) throw new Error('The table write_marks is empty.');
    const answer = { ...row, oldest: BigInt(row.oldest), next: BigInt(row.next), askedAt };
    if (askedAt >= (this.answer?.askedAt ?? 0)) this.remember(answer);
    return answer;
  }

  private remember(answer: Answer & { readonly askedAt: number }): void {
    const { keeper, age, timeline, lsn, oldest, next, askedAt } = answer;
    if (this.answer && this.answer.timeline !== timeline) this.places.length = 0;
    this.answer = answer;
    this.places.push({ at: askedAt, lsn });
    while ((this.places[0]?.at ?? Infinity) < askedAt - rememberedMs) this.places.shift();
    if (keeper === null) {
      this.settled = undefined;
      return;
    }
    if (this.settled?.keeper !== keeper) this.settled = { keeper, timeline };
    // All that was committed on an earlier timeline precedes what this one writes.
    else if (this.settled.timeline !== timeline)
      this.settled = { keeper, timeline, floor: this.settled.floor === undefined ? undefined : lsn };
    const { settled } = this;
    if (settled.floor !== undefined || age < settlingSeconds) return;
    settled.next ??= next;
    if (oldest >= settled.next) settled.floor = lsn;
  }

  private async nameKeeper(): Promise<void> {
    const keeper = await this.marks?.keep();
    if (keeper === undefined) return;
    await this.pool.query('UPDATE write_marks SET kept_by = $1, changed_at = clock_timestamp() WHERE kept_by IS NULL', [
      keeper,
    ]);
  }

  private async nameNobody(): Promise<void> {
    await this.pool.query('UPDATE write_marks SET kept_by = NULL, changed_at = clock_timestamp()');
    await sleep(leaseMs);
    await this.look();
  }
}
