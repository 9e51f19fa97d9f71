import type { FastifyBaseLogger } from 'fastify';
import { analyzeChanged, type Database } from '../database/index.ts';
import { FenceWatch } from '../events/fence.ts';
import { logOccurrences, type Occurrence } from '../events/occurrences.ts';
import { deleteOldChanges } from '../events/retention.ts';
import type { Refresher } from '../resource/index.ts';
import { LeaderLock } from './leader-lock.ts';
import { Repeater } from './repeater.ts';

/** How often (ms) the clock checks the time. */
const intervalMs = 15_000;

/** How often (ms) old changes are deleted. */
const retentionIntervalMs = 3_600_000;

/** How often (ms) all rows are compared with what the clock logs of them, instead of new ones alone. */
const comparisonIntervalMs = 3_600_000;

/** How long (ms) before a tick rows may have been written by transactions that had not ended at the tick. */
const marginMs = 60_000;

/** What the clock depends on. */
interface ClockDependencies {
  readonly database: Database;
  /** Updates the statuses that depend on the day. */
  readonly refreshStale: Refresher;
  /** What it reports of rows. */
  readonly occurrences: readonly Occurrence[];
  /** How many days changes are kept; forever without. */
  readonly changesKeptDays?: number;
  /** How long (s) a transaction may hold back the changes of later ones before it is reported; 60 by default. */
  readonly longSeconds?: number;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/**
 * Updates what depends on the date, for all companies: the statuses of rows, and the log, where it reports reminders
 * that fall due. It also deletes expired changes from the log, and updates the statistics of the
 * embedded database. One instance at a time does it, the leader.
 */
export class Clock {
  private readonly leaderLock: LeaderLock;
  private readonly fence: FenceWatch;
  private retainedAt = Number.NEGATIVE_INFINITY;
  private comparedAt = Number.NEGATIVE_INFINITY;
  /** When the last tick of this instance as the leader began to log occurrences. */
  private loggedAt: Date | undefined;
  private readonly repeater = new Repeater(
    () => this.tick(),
    intervalMs,
    (err) => this.dependencies.log.warn({ err }, 'scheduled updates failed'),
  );

  constructor(private readonly dependencies: ClockDependencies) {
    this.leaderLock = new LeaderLock(dependencies.database, 'clock');
    this.fence = new FenceWatch(dependencies.database);
  }

  /** Starts it. */
  start(): void {
    this.repeater.start();
  }

  /** Stops it, and lets another instance go on. */
  async close(): Promise<void> {
    await this.repeater.stop();
    await this.leaderLock.release().catch(() => {}); // It expires by itself.
  }

  /** Performs the updates that are due now, unless another instance is the leader. @returns whether this one is */
  async tick(): Promise<boolean> {
    if (!(await this.leaderLock.acquireLeadership())) {
      this.loggedAt = undefined;
      return false;
    }
    const { database, refreshStale, longSeconds = 60, log } = this.dependencies;
    const companies = await database.prisma.company.findMany({ select: { id: true, timeZone: true } });
    for (const { id, timeZone } of companies) {
      try {
        const updating = refreshStale({ companyId: id, timeZone });
        if (!updating) continue;
        await updating;
        if (!(await this.mayContinue())) return false;
      } catch (err) {
        // The next run tries again.
        log.warn({ err, company: id }, 'statuses not updated');
      }
    }
    // Another instance may have become the leader meanwhile.
    if (!(await this.leaderLock.acquireLeadership())) return false;
    const holder = await this.fence.findNew(longSeconds);
    if (holder) log.warn(holder, 'a transaction holds changes, webhooks and notifications back');
    await this.logOccurrences();
    await this.retain(companies.map(({ id }) => id));
    if (database.kind === 'embedded') await analyzeChanged(database);
    return true;
  }

  /** Logs what has occurred since the last tick; once an hour, and as a new leader, of all rows. */
  private async logOccurrences(): Promise<void> {
    const { database, occurrences } = this.dependencies;
    if (performance.now() - this.comparedAt >= comparisonIntervalMs) this.loggedAt = undefined;
    const isComparison = this.loggedAt === undefined;
    const startedAt = new Date(Date.now() - marginMs);
    await logOccurrences(database.prisma, occurrences, { since: this.loggedAt, mayContinue: this.mayContinue });
    this.loggedAt = startedAt;
    if (isComparison && (await this.mayContinue())) this.comparedAt = performance.now();
  }

  /** Deletes old changes, once an hour. */
  private async retain(companyIds: readonly string[]): Promise<void> {
    const { database, changesKeptDays } = this.dependencies;
    if (changesKeptDays === undefined || performance.now() - this.retainedAt < retentionIntervalMs) return;
    for (const id of companyIds)
      while ((await this.mayContinue()) && (await deleteOldChanges(database.prisma, id, changesKeptDays)));
    if (await this.mayContinue()) this.retainedAt = performance.now();
  }

  /** Whether the clock is running, and this instance is still the leader. */
  private mayContinue = async (): Promise<boolean> =>
    !this.repeater.isStopped && (await this.leaderLock.acquireLeadership());
}
