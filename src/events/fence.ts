import type { Database } from '../database/index.ts';

/** The oldest transaction that still runs on the server: changes of later ones wait for it. */
interface Holder {
  /** How long (s) it has held changes back: since it began where that may be seen, or else since it was first seen. */
  readonly seconds: number;
  /** Its process and database; null of a prepared transaction's process. */
  readonly pid: number | null;
  readonly database: string | null;
}

/** `backend_xid` and the database are shown to every role, the beginning of a transaction only to its own. */
const findHolder = `
  SELECT oldest::text, holder.pid, holder.database, extract(epoch FROM clock_timestamp() - holder.since)::float8 AS seconds
  FROM (SELECT pg_snapshot_xmin(s) AS oldest FROM pg_current_snapshot() AS s) AS here
  CROSS JOIN LATERAL (
    SELECT pid, datname AS database, xact_start AS since FROM pg_stat_activity
    WHERE backend_xid::text::bigint = oldest::text::numeric % 4294967296
    UNION ALL SELECT NULL, database, prepared FROM pg_prepared_xacts
    WHERE transaction::text::bigint = oldest::text::numeric % 4294967296
    LIMIT 1
  ) AS holder`;

/** Watches how long changes are held back. */
export class FenceWatch {
  private first = { oldest: '', at: 0 };
  private warnedOf = '';

  constructor(private readonly database: Pick<Database, 'query'>) {}

  /** Finds what holds changes back now; undefined where nothing does. */
  async find(): Promise<Holder | undefined> {
    const { rows } = await this.database.query({ text: findHolder });
    const [row] = rows;
    if (!row) return undefined;
    const oldest = String(row['oldest']);
    if (oldest !== this.first.oldest) this.first = { oldest, at: performance.now() };
    const seen = (performance.now() - this.first.at) / 1000;
    // The columns that the statement selects.
    const { pid, database, seconds } = row as { pid: number | null; database: string | null; seconds: number | null };
    return { pid, database, seconds: seconds ?? seen };
  }

  /** Finds what has held changes back for so many seconds, once for each transaction. */
  async findNew(seconds: number): Promise<Holder | undefined> {
    const holder = await this.find();
    if (!holder || holder.seconds < seconds || this.warnedOf === this.first.oldest) return undefined;
    this.warnedOf = this.first.oldest;
    return holder;
  }
}
