import type { FastifyBaseLogger } from 'fastify';
import { analyzeChanged, type Database } from '../database/index.ts';
import { logOccurrences, type Occurrence } from '../events/occurrences.ts';
import { deleteOldChanges } from '../events/retention.ts';
import type { Refresher } from '../resource/index.ts';
import { LeaderLock } from './leader-lock.ts';
import { Repeater } from './repeater.ts';

/** How often (ms) the clock checks the time. */
const intervalMs = 15_000;

/** How often (ms) old changes are deleted. */
const retentionIntervalMs = 3_600_000;

/** What the clock depends on. */
interface ClockDependencies {
  readonly database: Database;
  /** Updates the statuses that depend on the day. */
  readonly refreshStale: Refresher;
  /** What it logs of rows. */
  readonly occurrences: readonly Occurrence[];
  /** How many days changes are kept; forever without. */
  readonly changesKeptDays?: number;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/**
 * Updates what depends on the date, for all companies: the statuses of rows, and the log, where it records reminders
 * that fall due and stock that is low. It also deletes expired changes from the log, and updates the statistics of the
 * embedded database. One instance at a time does it, the leader.
 */
export class Clock {
  private readonly leaderLock: LeaderLock;
  private retainedAt = Number.NEGATIVE_INFINITY;
  private readonly repeater = new Repeater(
    () => this.tick(),
    intervalMs,
    (err) => this.dependencies.log.warn({ err }, 'scheduled updates failed'),
  );

  constructor(private readonly dependencies: ClockDependencies) {
    this.leaderLock = new LeaderLock(dependencies.database, 'clock');
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
    if (!(await this.leaderLock.acquireLeadership())) return false;
    const { database, refreshStale, occurrences, log } = this.dependencies;
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
    await logOccurrences(database.prisma, occurrences);
    await this.retain(companies.map(({ id }) => id));
    if (database.kind === 'embedded') await analyzeChanged(database);
    return true;
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
