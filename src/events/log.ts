// Reads the log of changes, which triggers write (prisma/migrations).
import { Prisma } from '../database/generated/client/client.ts';
import type { Actor } from '../database/index.ts';
import type { TableName } from '../database/tables.ts';
import { ServiceError } from '../errors.ts';
import { logIdentity } from './generation.ts';
import { encodePosition, type Position } from './position.ts';

/** A row as the database has it, by its column names. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** Occurrences that the clock logs for a row without changing it. */
export type ClockAction = 'due' | 'low_stock';

/** A change of one row. */
export interface LoggedChange {
  readonly xid: string;
  /** Of two changes to one row, the later has the higher number. */
  readonly seq: string;
  readonly at: Date;
  readonly table: TableName;
  readonly rowId: string;
  readonly action: 'create' | 'update' | 'delete' | ClockAction;
  /** The columns that an update changed. */
  readonly fields: readonly string[];
  /** The row before the change; null of a new one. */
  readonly before: StoredRow | null;
  /** The row after the change; null of a deleted one. */
  readonly after: StoredRow | null;
  readonly actor: Actor | null;
}

/** A part of the log. */
export interface LogPage {
  readonly changes: readonly LoggedChange[];
  /** Where to continue. */
  readonly next: string;
  /** Whether there may be more already. */
  readonly hasMore: boolean;
}

/** What the log can be read with: Prisma's client, in a transaction or not. */
export type Client = Pick<Prisma.TransactionClient, '$queryRaw'>;

/** Whose changes are read. */
export interface Tenant {
  readonly companyId: string;
}

/** How many changes of a company, in all tables, are examined for one page. */
const maxScanned = 5000;

/**
 * The log's generation (see `generation.ts`). The fence is the oldest transaction that is still running: changes of
 * later ones may still appear before each other.
 */
export const here = Prisma.sql`
  here AS MATERIALIZED (
    SELECT left(md5(concat_ws(' ', identity, (SELECT max(generation) FROM change_logs))), 8) AS generation,
           change_number(pg_snapshot_xmin(pg_current_snapshot())) AS fence,
           change_number(pg_snapshot_xmax(pg_current_snapshot())) AS newest
    FROM (${logIdentity}) AS identified (identity)
  )`;

/** The columns of a change. */
export const columns = Prisma.sql`
  xid::text, seq::text, at, table_name AS "table", row_id::text AS "rowId", action::text, fields, before, after, actor`;

/** The state of the log, and the last examined position; each row of a page has both. */
interface LogState {
  readonly generation: string;
  readonly fence: string;
  readonly newest: string;
  /** Whether changes after the given position were deleted; null if none of the company ever were. */
  readonly isPast: boolean | null;
  readonly scanned: number;
  readonly lastXid: string;
  readonly lastSeq: string;
}

/** Which changes are read. */
export interface LogQuery {
  /** The position that they follow; the beginning of the log without one. */
  readonly after: Position | undefined;
  /** The tables whose changes are read. */
  readonly tables: readonly string[];
  /** The most changes of the page. */
  readonly limit: number;
  /** Whether to read up to the end of the log, including changes that others may still precede. */
  readonly beyondFence?: boolean;
}

/**
 * Reads the changes of a company after a position, in an order that never places a later commit before a position that
 * was read.
 *
 * @throws ServiceError GONE if the log no longer has the changes after the position
 */
export async function readLog(
  client: Client,
  { companyId }: Tenant,
  { after, tables, limit, beyondFence = false }: LogQuery,
): Promise<LogPage> {
  const from = Prisma.sql`(${after?.xid ?? '0'}::bigint, ${after?.seq ?? '0'}::bigint)`;
  const rows = await client.$queryRaw<(LogState & (LoggedChange | { readonly xid: null }))[]>`
    WITH ${here},
    scanned AS MATERIALIZED (
      SELECT xid, seq, table_name FROM changes
      WHERE company_id = ${companyId}::uuid AND (xid, seq) > ${from} ${beyondFence ? Prisma.empty : Prisma.sql`AND xid < (SELECT fence FROM here)`}
      ORDER BY xid, seq LIMIT ${maxScanned}
    ),
    chosen AS (
      SELECT xid, seq FROM scanned WHERE table_name = ANY(${[...tables]}) ORDER BY xid, seq LIMIT ${limit}
    )
    SELECT here.generation, here.fence::text, here.newest::text,
           (SELECT (xid, seq) > ${from} FROM change_horizons WHERE company_id = ${companyId}::uuid) AS "isPast",
           (SELECT xid::text FROM scanned ORDER BY scanned.xid DESC, scanned.seq DESC LIMIT 1) AS "lastXid",
           (SELECT seq::text FROM scanned ORDER BY scanned.xid DESC, scanned.seq DESC LIMIT 1) AS "lastSeq",
           (SELECT count(*)::int FROM scanned) AS scanned, found.*
    FROM here LEFT JOIN (
      SELECT ${columns} FROM changes
      WHERE company_id = ${companyId}::uuid AND (changes.xid, changes.seq) IN (SELECT xid, seq FROM chosen)
    ) AS found ON true
    ORDER BY found.xid::bigint, found.seq::bigint`;
  // Without any change there is one row.
  const state = rows[0] as LogState;
  assertInLog(after, state);

  const changes = rows.flatMap((row) => (row.xid === null ? [] : [toChange(row)]));
  const { generation, fence, scanned, lastXid, lastSeq } = state;
  const end =
    changes.length === limit ? changes.at(-1) : scanned === maxScanned ? { xid: lastXid, seq: lastSeq } : undefined;
  // At the end of the log all transactions before the fence have ended, so that later pages need not look at them.
  const { xid, seq } = end ?? latest(after, { xid: fence, seq: '0' });
  return { changes, next: encodePosition({ generation, xid, seq }), hasMore: end !== undefined };
}

/** Reads one change; undefined if the log no longer has it. */
export async function readChange(
  client: Client,
  { companyId }: Tenant,
  { xid, seq }: { readonly xid: string; readonly seq: string },
): Promise<LoggedChange | undefined> {
  const [row] = await client.$queryRaw<LoggedChange[]>`
    SELECT ${columns} FROM changes
    WHERE company_id = ${companyId}::uuid AND xid = ${xid}::bigint AND seq = ${seq}::bigint`;
  return row && toChange(row);
}

/** @throws ServiceError GONE for a position of another log, ahead of this one, or before what retention has left */
function assertInLog(after: Position | undefined, { generation, newest, isPast }: LogState): void {
  if (!after) return;
  const isForeign = after.generation !== generation || BigInt(after.xid) > BigInt(newest);
  if (!isForeign && !isPast) return;
  throw new ServiceError(
    'GONE',
    isForeign
      ? 'The database was restored since this position was returned; start again without a position.'
      : 'The changes after this position have been deleted; start again without a position.',
    undefined,
    'after',
  );
}

/** The later of two positions. */
const latest = <One extends Pick<Position, 'xid'>, Other extends Pick<Position, 'xid'>>(
  one: One | undefined,
  other: Other,
) => (one && BigInt(one.xid) >= BigInt(other.xid) ? one : other);

/** Of the previous row of an update, the log keeps only the changed columns. */
export function toChange({
  xid,
  seq,
  at,
  table,
  rowId,
  action,
  fields,
  before,
  after,
  actor,
}: LoggedChange): LoggedChange {
  const whole = action === 'update' ? { ...after, ...before } : before;
  return { xid, seq, at, table, rowId, action, fields, before: whole, after, actor };
}
