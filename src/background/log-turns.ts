import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../database/index.ts';
import { findLatestPositions, isAfter, type LogPosition } from '../events/change-notifier.ts';
import { findChangedCompanies } from '../events/changed-companies.ts';
import { readStored } from '../events/follow.ts';
import type { LogPage, Unread } from '../events/log.ts';
import { decodePosition } from '../events/position.ts';
import { failureCounts } from '../failure-counts.ts';
import { CompanyTurns, type TurnEnd } from './company-turns.ts';
import { SharedPage } from './log-page.ts';
import { Repeater } from './repeater.ts';
import { noSorting } from './without-sorting.ts';

/** How often (ms) companies with new changes are looked for. */
const intervalMs = 500;

/**
 * How often (ms) all companies are looked at, and how many at a look: for changes from before the start, and for what
 * failed turns have left.
 */
const sweepIntervalMs = 60_000;
const sweepSize = 500;

/** How many companies' logs are read at once: one whose pages take long leaves the other lane to the others. */
const lanes = 2;

/** How long (ms) a turn waits for its slowest reader, and for how many that are slower it goes on without. */
const patienceMs = 1000;
const maxSlow = 2;

/** What reads the logs of companies. It has positions of its own, and is neither faster nor slower for others. */
export interface LogReader {
  /** Names its locks. */
  readonly name: 'webhooks' | 'notifications';
  /** At every how many looks companies are found for it alone: what is read sooner is read in smaller parts. */
  readonly looks: number;
  /** The positions up to which it has read logs, null for their beginning; of a company that it does not read, none. */
  findPositions(companyIds: readonly string[]): PromiseLike<readonly LogReach[]>;
  /**
   * What it reads of a company in this turn, or how the turn ends without.
   *
   * @param newest the last change that can be read
   */
  findPart(companyId: string, newest: LogPosition): Promise<LogPart | TurnEnd>;
}

/** How far the log of a company was read. */
interface LogReach {
  readonly companyId: string;
  readonly position: string | null;
}

/** What a reader reads in a turn. */
export interface LogPart extends Unread {
  /** Reads it. @param page returns the changes; to be called once no other instance reads the log for the same */
  read(page: () => Promise<LogPage>): Promise<TurnEnd>;
}

/** What turns depend on. */
interface LogTurnDependencies {
  readonly database: Database;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/** A reader, and the companies with new changes since it was last asked about them. */
interface Watch {
  readonly reader: LogReader;
  readonly changed: Set<string>;
}

/**
 * Reads the log of changes of all companies, a page of each in turn, however much each has to read. Companies with new
 * changes are found by one statement on an index, and a page is read once for all readers. A reader that fails, lags or
 * is slow holds up no other: each has its own positions and transactions.
 */
export class LogTurns {
  private readonly turns: CompanyTurns;
  private readonly repeater: Repeater;
  private readonly watches: readonly Watch[];
  /** What is still being read after its turn has ended, by reader and company. */
  private readonly slow = new Map<string, Promise<unknown>>();
  private looks = 0;
  /** Companies whose changes became readable before this transaction were found. */
  private since: string | undefined;
  /** The last company of the sweep that is under way; undefined between two sweeps. */
  private sweptTo: string | undefined = '';
  private sweptAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly dependencies: LogTurnDependencies,
    readers: readonly LogReader[],
  ) {
    this.watches = readers.map((reader) => ({ reader, changed: new Set() }));
    const warnOfAll = (err: unknown, company?: string) => {
      for (const reader of readers) this.warn(reader, err, company);
    };
    this.turns = new CompanyTurns(lanes, (companyId) => this.readNext(companyId), warnOfAll);
    this.repeater = new Repeater(() => this.look(), intervalMs, warnOfAll);
  }

  /** Starts it. */
  start(): void {
    this.repeater.start();
  }

  /** Begins no further page, and waits for those that are being read. */
  async close(): Promise<void> {
    await this.repeater.stop();
    await this.turns.stop();
    await Promise.all(this.slow.values());
  }

  /** Reads everything that can be read now, except what another instance reads. */
  async readAll(): Promise<void> {
    this.sweptTo = '';
    do await this.look(true);
    while (this.sweptTo !== undefined);
    do {
      await Promise.all(this.slow.values());
      await this.turns.idle();
    } while (this.slow.size > 0);
  }

  /** Gives a turn to the companies that have something to read. @param isForAll whether to ask every reader */
  private async look(isForAll = false): Promise<void> {
    this.turns.addDeferred();
    const { database } = this.dependencies;
    const { ids, until } = await findChangedCompanies(database, this.since);
    const found = [...ids, ...(await this.sweep())];
    for (const { changed } of this.watches) for (const id of found) changed.add(id);
    this.since = until;
    const look = this.looks++;
    await this.addUnread(this.watches.filter(({ reader }) => isForAll || look % reader.looks === 0));
  }

  /** Gives a turn to the companies with changes that one of the readers has not read. */
  private async addUnread(watches: readonly Watch[]): Promise<void> {
    const asked = watches.filter(({ changed }) => changed.size > 0);
    if (asked.length === 0) return;
    const reaches = await Promise.all(
      asked.map(async ({ reader, changed }) => {
        const ids = [...changed];
        const positions = await reader.findPositions(ids);
        return { ids, changed, positions };
      }),
    );
    const companyIds = [...new Set(reaches.flatMap(({ positions }) => positions.map(({ companyId }) => companyId)))];
    const latest =
      companyIds.length > 0
        ? await findLatestPositions(this.dependencies.database, companyIds)
        : new Map<string, LogPosition>();
    for (const { ids, changed, positions } of reaches) {
      for (const id of ids) changed.delete(id);
      this.turns.add(
        positions.filter((reach) => isUnread(reach, latest.get(reach.companyId))).map((reach) => reach.companyId),
      );
    }
  }

  /** Reads the next page of a company, for each reader that has not read it. */
  private async readNext(companyId: string): Promise<TurnEnd> {
    const { database } = this.dependencies;
    const newest = (await findLatestPositions(database, [companyId])).get(companyId);
    if (!newest) return 'done';
    const free = this.watches.filter(({ reader }) => !this.slow.has(keyOf(reader, companyId)));
    const found = await Promise.all(
      free.map(async ({ reader }) => {
        const part = await this.attempt(reader, companyId, () => reader.findPart(companyId, newest));
        return { reader, part };
      }),
    );
    const parts = found.flatMap(({ reader, part }) => (typeof part === 'string' ? [] : [{ reader, part }]));
    const ends = found.flatMap(({ part }) => (typeof part === 'string' ? [part] : []));
    if (parts.length === 0) return endOf(ends);
    const page = new SharedPage(
      parts.map(({ part }) => part),
      (query) => readStored(database.prisma, { companyId }, query),
    );
    const reading = parts.map(async ({ reader, part }) => {
      ends.push(await this.attempt(reader, companyId, () => part.read(() => page.of(part))));
      return reader;
    });
    await this.waitFor(
      companyId,
      parts.map(({ reader }) => reader),
      reading,
    );
    return endOf(ends);
  }

  /** Waits for readers, but goes on without a slow one, which reads with the others again once it has ended. */
  private async waitFor(
    companyId: string,
    readers: readonly LogReader[],
    reading: readonly Promise<LogReader>[],
  ): Promise<void> {
    const left = new Set(readers);
    const all = Promise.all(reading.map((one) => one.then((reader) => left.delete(reader))));
    if (readers.length > 1) await Promise.race([all, sleep(patienceMs, undefined, { ref: false })]);
    if (readers.length === 1 || this.slow.size + left.size > maxSlow) await all;
    for (const reader of left) {
      const key = keyOf(reader, companyId);
      const ended = all.then(() => {
        this.slow.delete(key);
        this.turns.add([companyId]);
      });
      this.slow.set(key, ended);
    }
  }

  /** Does work of a reader. If it fails, what it has to read waits for the next look. */
  private async attempt<T>(reader: LogReader, companyId: string, work: () => Promise<T>): Promise<T | 'later'> {
    try {
      return await work();
    } catch (err) {
      this.warn(reader, err, companyId);
      return 'later';
    }
  }

  private warn({ name: reader }: LogReader, err: unknown, company?: string): void {
    failureCounts[reader] += 1;
    this.dependencies.log.warn({ err, company, reader }, 'the log of changes was not read');
  }

  /** Returns the next companies of a sweep. */
  private async sweep(): Promise<string[]> {
    if (this.sweptTo === undefined) {
      if (performance.now() - this.sweptAt < sweepIntervalMs) return [];
      this.sweptTo = '';
    }
    const companies = await this.dependencies.database.prisma.company.findMany({
      where: this.sweptTo === '' ? {} : { id: { gt: this.sweptTo } },
      orderBy: { id: 'asc' },
      select: { id: true },
      take: sweepSize,
    });
    const isLast = companies.length < sweepSize;
    if (isLast) this.sweptAt = performance.now();
    this.sweptTo = isLast ? undefined : companies.at(-1)?.id;
    return companies.map(({ id }) => id);
  }
}

const keyOf = ({ name }: LogReader, companyId: string) => `${name} ${companyId}`;

const isUnread = ({ position }: LogReach, newest: LogPosition | undefined): boolean =>
  newest !== undefined && (position === null || isAfter(newest, decodePosition(position, 'position')));

/** How a turn ends whose parts have ended so. */
const endOf = (ends: readonly TurnEnd[]): TurnEnd =>
  ends.includes('more') ? 'more' : ends.includes('later') ? 'later' : 'done';

/** How long (ms) a statement may take while a page is read. */
const statementTimeoutMs = 5000;

/**
 * Runs work on a company's log while no other instance does. The lock is one of a transaction, which has no number of
 * its own until it writes, so that it delays no reader of the log.
 *
 * @param name names what the log is read for
 * @returns 'later' if another instance does
 */
export const lockLog = (
  { prisma, transaction }: Pick<Database, 'prisma' | 'transaction'>,
  name: string,
  companyId: string,
  work: () => Promise<TurnEnd>,
): Promise<TurnEnd> =>
  transaction(async () => {
    const [lock] = await prisma.$queryRaw<{ free: boolean }[]>`
      SELECT pg_try_advisory_xact_lock(hashtextextended(${`${name} ${companyId}`}, 0)) AS free,
             set_config('statement_timeout', ${String(statementTimeoutMs)}, true),
             ${noSorting}`;
    return lock?.free ? work() : 'later';
  });
