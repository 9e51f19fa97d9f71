import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../auth/caller.ts';
import { Prisma } from '../../database/generated/client/client.ts';
import { type Database, runAs } from '../../database/index.ts';
import { publicError } from '../../errors.ts';
import { addDays, dayIn, inDays, isoDay } from '../../fields/index.ts';
import type { Resource } from '../definition/resource.ts';

/** How many rows of a resource one statement updates: some tenths of a second of work, and of locks. */
export const staleRowsAtOnce = 1000;

/**
 * Updates the statuses of a company's rows that depend on the date, such as those of expired leases: one statement for
 * all resources, repeated while it finds rows. Repeating it on the same day changes nothing. The log of changes names
 * the clock.
 */
export async function refreshStale(
  { prisma, transaction }: Pick<Database, 'prisma' | 'transaction'>,
  resources: readonly Resource[],
  companyId: string,
  day: Date,
): Promise<void> {
  const given = { ofCompany: Prisma.sql`company_id = ${companyId}::uuid`, day: Prisma.sql`${isoDay(day)}::date` };
  const updates = resources.flatMap((resource) => resource.refreshStale?.({ ...given, rows: resource }) ?? []);
  if (updates.length === 0) return;
  const steps = Prisma.join(updates.flatMap((update) => update.steps));
  const isMore = Prisma.join(
    updates.map(({ updated }) => Prisma.sql`EXISTS (SELECT FROM ${updated})`),
    ' OR ',
  );
  const statement = Prisma.sql`WITH ${steps} SELECT ${isMore} AS "isMore"`;
  for (let more = true; more; ) {
    const [found] = await runAs({ kind: 'clock' }, () =>
      transaction(() => prisma.$queryRaw<[{ isMore: boolean }]>(statement)),
    );
    more = found.isMore;
  }
}

/** How long (ms) requests and the clock wait for the update; rows of later statements are updated while they go on. */
const waitMs = 2000;

/** How long (ms) after a failure requests of a company skip the update. */
const retryMs = 5000;

/** The update of a company's statuses for one of its days. */
interface Refresh {
  readonly timeZone: string;
  /** The first times (ms) of the day and of the next. */
  readonly from: number;
  readonly until: number;
  /** Resolves once it is done, or has taken long; undefined once it is done. */
  running: Promise<void> | undefined;
}

/**
 * Updates the statuses of a company, unless that was done on its day. A day is one of the company's time zone.
 *
 * @returns a promise while the update runs, undefined once it is done
 */
export type Refresher = (company: Pick<Caller, 'companyId' | 'timeZone'>) => Promise<void> | undefined;

/**
 * Creates the refresher that the requests and the clock of an instance share: the first request of a company and day
 * waits for the update.
 */
export function createRefresher(
  database: Pick<Database, 'prisma' | 'transaction'>,
  resources: readonly Resource[],
): Refresher {
  const refreshed = new Map<string, Refresh>();
  return ({ companyId, timeZone }) => {
    const now = Date.now();
    const known = refreshed.get(companyId);
    if (known && known.timeZone === timeZone && known.from <= now && now < known.until) return known.running;
    const day = dayIn(timeZone, new Date(now));
    const { gte: from, lt: until } = inDays(day, addDays(day, 1), timeZone);
    const refresh: Refresh = { timeZone, from: from.getTime(), until: until.getTime(), running: undefined };
    const updating = refreshStale(database, resources, companyId, day)
      .catch((error: unknown) => {
        // A later request retries. Meanwhile rows that are locked keep their status of the day before.
        setTimeout(() => refreshed.delete(companyId), retryMs).unref();
        if (publicError(error).code !== 'SERVICE_UNAVAILABLE') throw error;
      })
      .finally(() => (refresh.running = undefined));
    refresh.running = Promise.race([updating, sleep(waitMs, undefined, { ref: false })]);
    refreshed.set(companyId, refresh);
    return refresh.running;
  };
}
