import { type Database, runAlone } from '../database/index.ts';
import type { Position } from './position.ts';

/** How often (ms) the log is checked for new changes while anybody waits for them. */
const intervalMs = 500;

/** A position in the log. */
export type LogPosition = Pick<Position, 'xid' | 'seq'>;

/** A caller that waits for changes of a company that follow a position. */
interface Waiter {
  readonly companyId: string;
  readonly after: LogPosition;
  readonly wake: () => void;
}

/** The latest change of each company that can be read, on an index. */
const findLatest = {
  isPrepared: true,
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
export class ChangeNotifier {
  private readonly waiters = new Set<Waiter>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly database: Pick<Database, 'query'>) {}

  /** Waits until the log of a company has changes that follow a position, or the signal is aborted. */
  waitForChanges(companyId: string, after: Position, signal: AbortSignal): Promise<void> {
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
      const latest = await findLatestPositions(this.database, [...companies]).catch(
        () => new Map<string, LogPosition>(),
      );
      for (const { companyId, after, wake } of this.waiters) {
        const position = latest.get(companyId);
        if (position && isAfter(position, after)) wake();
      }
    }
    this.timer = this.waiters.size > 0 ? setTimeout(() => void this.poll(), intervalMs).unref() : undefined;
  }
}

/** Finds the position of the latest change of each company that can be read. */
export async function findLatestPositions(
  database: Pick<Database, 'query'>,
  companyIds: readonly string[],
): Promise<Map<string, LogPosition>> {
  const { rows } = await database.query({ ...findLatest, values: [companyIds] });
  // The columns that the statement selects.
  return new Map(rows.map((row) => [String(row['companyId']), row as unknown as LogPosition]));
}

/** Whether one position follows another. */
export function isAfter(one: LogPosition, other: LogPosition): boolean {
  const [xid, otherXid] = [BigInt(one.xid), BigInt(other.xid)];
  return xid === otherXid ? BigInt(one.seq) > BigInt(other.seq) : xid > otherXid;
}
