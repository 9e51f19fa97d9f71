import { Prisma } from '../database/generated/client/client.ts';
import { publicError } from '../errors.ts';
import type { Resource } from './resource.ts';
import { isoDay, today } from './time.ts';

/** Prisma's client, in a transaction or not. */
type Client = Pick<Prisma.TransactionClient, '$queryRaw'>;

/**
 * Updates the statuses of a company's rows that depend on the date, such as those of expired leases, in one statement.
 * Repeating it on the same day changes nothing.
 */
export async function refreshStale(
  client: Client,
  resources: readonly Resource[],
  companyId: string,
  day: Date,
): Promise<void> {
  const given = { ofCompany: Prisma.sql`company_id = ${companyId}::uuid`, day: Prisma.sql`${isoDay(day)}::date` };
  const updates = resources.flatMap((resource) => resource.refreshStale?.(given) ?? []);
  if (updates.length === 0) return;
  await client.$queryRaw`WITH ${Prisma.join(updates)} SELECT 1`;
}

/** How long (ms) after a failure requests of a company skip the update. */
const retryMs = 5000;

/**
 * Creates the function that requests call before they read. The first request of a company and day waits for the
 * update, and later ones skip it. Days are in UTC.
 */
export function createRefresher(client: Client, resources: readonly Resource[]): (companyId: string) => Promise<void> {
  let current = 0;
  let refreshed = new Map<string, Promise<void>>();
  return async (companyId) => {
    const day = today();
    if (day.getTime() !== current) {
      current = day.getTime();
      refreshed = new Map();
    }
    const known = refreshed.get(companyId);
    if (known) return known;
    const done = refreshStale(client, resources, companyId, day).catch((error: unknown) => {
      // A later request retries. Meanwhile rows that are locked keep their status of the day before.
      setTimeout(() => refreshed.delete(companyId), retryMs).unref();
      if (publicError(error).code !== 'SERVICE_UNAVAILABLE') throw error;
    });
    refreshed.set(companyId, done);
    return done;
  };
}
