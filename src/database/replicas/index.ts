import type pg from 'pg';
import type { AdmittedPool } from '../admitted.ts';

import { currentRequester } from '../requester.ts';
import { WriteMarker } from './marker.ts';
import { WriteMarks } from './marks.ts';
import { Primary } from './primary.ts';
import { type Needed, Replica, ReplicaUnfitError } from './replica.ts';

/** The state of a replica, for metrics. */
export interface ReplicaUse {
  /** Its host and port. */
  readonly name: string;
  /** Whether reads may run on it now. */
  readonly isUsed: boolean;
  /** How long (s) ago the primary was where it is now; Infinity where that is not known. */
  readonly lagSeconds: number;
  /** How many reads were repeated on the primary. */
  readonly repeated: number;
}

/**
 * The replicas of the primary, and which of them have what a read needs: all that its company has written, also by
 * other instances.
 */
export class Replicas {
  readonly marker: WriteMarker;
  readonly replicas: readonly Replica[];
  private readonly primary: Primary;
  private readonly marks: WriteMarks | undefined;
  private next = 0;

  /**
   * @param pool of a connection to the primary
   * @param redisUrl where the marks of writes are kept; without it the replicas are not used
   */
  constructor(
    urls: readonly string[],
    private readonly pool: pg.Pool,
    redisUrl: string | undefined,
  ) {
    this.marks = redisUrl === undefined ? undefined : new WriteMarks(redisUrl);
    this.primary = new Primary(pool, this.marks);
    this.marker = new WriteMarker(this.primary, this.marks);
    this.replicas = urls.map((url) => new Replica(url));
    for (const { server } of this.replicas)
      void server.watch(() => {
        if (server.isSilent) server.leave('does not answer');
      });
  }

  /**
   * Runs a read of a company's rows on a replica that has all that the company has written.
   *
   * @returns undefined if none has, or it could not be run there: then it is for the primary
   */
  async run<T>(
    company: string,
    use: 'requests' | 'streams',
    read: (pool: AdmittedPool, query: <Row>(statement: pg.QueryConfig) => Promise<Row[]>) => Promise<T>,
  ): Promise<{ readonly result: T } | undefined> {
    const needed = await this.find(company);
    const replica = needed && this.choose(needed);
    if (!replica) return undefined;
    const pool = replica.pools[use];
    try {
      return { result: await read(pool, (statement) => replica.query(pool.connections, statement, needed)) };
    } catch (error) {
      if (!isForPrimary(error)) throw error;
      replica.repeated += 1;
      return undefined;
    }
  }

  /** Reports why there are no marks, so that no replica is used. */
  onUnfit(report: (reason: string) => void): void {
    if (this.marks) this.marks.onUnfit = report;
    else report('there is no REDIS_URL');
  }

  /** The states of the replicas. */
  uses(): ReplicaUse[] {
    const { current } = this.primary;
    return this.replicas.map((replica) => {
      const { host, port } = replica.server;
      const lagSeconds = replica.replayed === undefined ? Infinity : this.primary.lagAt(replica.replayed);
      const isUsed = current !== undefined && this.isUsable(replica, { ...current, lsn: current.floor });
      return { name: `${host}:${port}`, isUsed, lagSeconds, repeated: replica.repeated };
    });
  }

  async close(): Promise<void> {
    for (const { server } of this.replicas) server.close();
    await this.primary.close();
    this.marks?.close();
    await this.pool.end();
  }

  /** What a replica must have for a read of a company; undefined where that is unknown. */
  private async find(company: string): Promise<Needed | undefined> {
    const { primary, marks } = this;
    const before = primary.current;
    if (!before || !marks || this.replicas.every((replica) => !replica.server.answer)) return undefined;
    const { keeper, system, timeline, floor } = before;
    const found = await marks.find(keeper, company).catch(() => undefined);
    const after = primary.current;
    // Whoever wrote without a mark has waited until no earlier answer holds.
    if (!found || after?.keeper !== keeper || after.timeline !== timeline) return undefined;
    if (found.state === 'written' && found.places.every((place) => place.timeline === timeline))
      return { system, timeline, lsn: Math.max(floor, ...found.places.map(({ lsn }) => lsn)) };
    if (found.state === 'abandoned' || found.state === 'written') void this.settle(keeper, company).catch(() => {});
    return undefined;
  }

  /** Finds a place that stands for writes whose own are unknown, or of another timeline. */
  private async settle(keeper: string, company: string): Promise<void> {
    const before = await this.marks?.now();
    const place = await this.primary.placeFromNow();
    if (before !== undefined) await this.marks?.settle(keeper, company, place, before);
  }

  private choose(needed: Needed): Replica | undefined {
    const fit = this.replicas.filter((replica) => this.isUsable(replica, needed));
    this.next = (this.next + 1) % Math.max(1, fit.length);
    return fit[this.next];
  }

  private isUsable(replica: Replica, needed: Needed): boolean {
    return replica.has(needed) && this.primary.lagAt(replica.replayed ?? 0) < Infinity;
  }
}

/** Whether a read that failed on a replica may succeed on the primary. */
function isForPrimary(error: unknown): boolean {
  if (error instanceof ReplicaUnfitError) return true;
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  if (currentRequester()?.budget?.isExceeded) return false;
  if (typeof code !== 'string')
    // Those of pg and of pools have no code.
    return typeof message === 'string' && /terminated|timeout|closed|not queryable/i.test(message);
  // What takes too long there takes too long anywhere, a wrong value stays wrong, and who waits has waited.
  return code !== '57014' && !/^(22|P2)/.test(code) && /^(E[A-Z]+|[0-9A-Z]{5})$/.test(code);
}
