import { type Database, runAlone } from '../database/index.ts';
import type { Position } from './position.ts';

/** How often (ms) the log is checked for new changes while anybody waits for them. */
const intervalMs = 500;

/** A place in the log. */
type Place = Pick<Position, 'xid' | 'seq'>;

/** A caller that waits for changes of a company that follow a position. */
interface Waiter {
  readonly companyId: string;
  readonly after: Place;
  readonly wake: () => void;
}

/** The latest change of each company that can be read, on an index. */
const findLatest = {
  name: 'find-latest-changes',
  text: `
    SELECT company::text AS "companyId", latest.xid::text, latest.seq::text
    FROM (SELECT change_number(pg_snapshot_xmin(pg_current_snapshot())) AS fence OFFSET 0) AS here,
    unnest($1::uuid[]) AS company CROSS JOIN LATERAL (
      SELECT xid, seq FROM changes WHERE company_id = company AND xid < here.fence ORDER BY xid DESC, seq DESC LIMIT 1
    ) AS latest`,
};

/**
 * Notifies all callers of an instance that wait for changes. One statement at a time serves all of them; none is sent
 * while nobody waits.
 */
export class News {
  private readonly waiters = new Set<Waiter>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly database: Pick<Database, 'query'>) {}

  /** Waits until the log of a company has changes that follow a position, or the signal is aborted. */
  until(companyId: string, after: Position, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.waiters.delete(waiter);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const waiter: Waiter = { companyId, after, wake };
      if (signal.aborted) return resolve();
      signal.addEventListener('abort', wake);
      this.waiters.add(waiter);
      // On behalf of all waiting callers, so outside the context of the first one's request.
      this.timer ??= runAlone(() => setTimeout(() => void this.poll(), intervalMs).unref());
    });
  }

  private async poll(): Promise<void> {
    const companies = new Set([...this.waiters].map(({ companyId }) => companyId));
    if (companies.size > 0) {
      // If it fails, they wait for the next check.
      const latest = await findLatestPlaces(this.database, [...companies]).catch(() => new Map<string, Place>());
      for (const { companyId, after, wake } of this.waiters) {
        const place = latest.get(companyId);
        if (place && isAfter(place, after)) wake();
      }
    }
    this.timer = this.waiters.size > 0 ? setTimeout(() => void this.poll(), intervalMs).unref() : undefined;
  }
}

/** Finds the place of the latest change of each company that can be read. */
export async function findLatestPlaces(
  database: Pick<Database, 'query'>,
  companyIds: readonly string[],
): Promise<Map<string, Place>> {
  const { rows } = await database.query({ ...findLatest, values: [companyIds] });
  // The columns that the statement selects.
  return new Map(rows.map((row) => [String(row['companyId']), row as unknown as Place]));
}

/** Whether one place of the log follows another. */
export function isAfter(one: Place, other: Place): boolean {
  const [xid, otherXid] = [BigInt(one.xid), BigInt(other.xid)];
  return xid === otherXid ? BigInt(one.seq) > BigInt(other.seq) : xid > otherXid;
}
