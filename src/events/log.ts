// Reads the log of changes, which triggers write (prisma/migrations).
import { Prisma } from '../database/generated/client/client.ts';
import type { Actor } from '../database/index.ts';
import { ServiceError } from '../errors.ts';
import { encodePosition, type Position } from './position.ts';

/** A row as the database has it, by its column names. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** What the clock tells of a row that it does not change. */
export type ClockAction = 'due' | 'low_stock';

/** A change of one row. */
export interface LoggedChange {
  readonly xid: string;
  /** Of two changes of one row, the one with the higher number is the later. */
  readonly seq: string;
  readonly at: Date;
  readonly table: string;
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

/** How many changes of a company, of all tables, one page looks at. */
const maxScanned = 5000;

/**
 * The log's identity: a dump that is restored makes another table, a recovery from an archive another timeline. The
 * fence is the oldest transaction that is still running: changes of later ones may still appear before each other.
 */
export const here = Prisma.sql`
  here AS MATERIALIZED (
    SELECT left(md5(concat_ws(' ', system.system_identifier, checkpoint.timeline_id, 'changes'::regclass::oid)), 8) AS generation,
           pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS fence,
           pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS newest
    FROM pg_control_system() AS system, pg_control_checkpoint() AS checkpoint
  )`;

/** The columns of a change. */
export const columns = Prisma.sql`
  xid::text, seq::text, at, table_name AS "table", row_id::text AS "rowId", action::text, fields, before, after, actor`;

/** Where the log is, and the end of what was looked at; a page has it in each row. */
interface Place {
  readonly generation: string;
  readonly fence: string;
  readonly newest: string;
  /** Whether changes after the given position were deleted; null if none of the company ever were. */
  readonly isPast: boolean | null;
  readonly scanned: number;
  readonly lastXid: string;
  readonly lastSeq: string;
}

/**
 * Reads the changes of a company after a position, in an order in which nothing that commits later is skipped.
 *
 * @param after the position; the beginning of the log without one
 * @param tables the tables whose changes are read
 * @param limit the most changes of the page
 * @throws ServiceError GONE if the log no longer has what followed the position
 */
export async function readLog(
  client: Client,
  { companyId }: Tenant,
  { after, tables, limit }: { after: Position | undefined; tables: readonly string[]; limit: number },
): Promise<LogPage> {
  const from = Prisma.sql`(${after?.xid ?? '0'}::bigint, ${after?.seq ?? '0'}::bigint)`;
  const rows = await client.$queryRaw<(Place & (LoggedChange | { readonly xid: null }))[]>`
    WITH ${here},
    scanned AS MATERIALIZED (
      SELECT xid, seq, table_name FROM changes
      WHERE company_id = ${companyId}::uuid AND (xid, seq) > ${from} AND xid < (SELECT fence FROM here)
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
  const place = rows[0] as Place;
  assertInLog(after, place);

  const changes = rows.flatMap((row) => (row.xid === null ? [] : [toChange(row)]));
  const { generation, fence, scanned, lastXid, lastSeq } = place;
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
function assertInLog(after: Position | undefined, { generation, newest, isPast }: Place): void {
  if (!after) return;
  const isForeign = after.generation !== generation || BigInt(after.xid) > BigInt(newest);
  if (!isForeign && !isPast) return;
  throw new ServiceError(
    'GONE',
    isForeign
      ? 'The position is not of this log, as the database was restored; begin again without one.'
      : 'The changes after this position have been deleted; begin again without one.',
    undefined,
    'after',
  );
}

/** The later of two places. */
const latest = <One extends Pick<Position, 'xid'>, Other extends Pick<Position, 'xid'>>(
  one: One | undefined,
  other: Other,
) => (one && BigInt(one.xid) >= BigInt(other.xid) ? one : other);

/**
 * Reads the latest changes of rows of one table.
 *
 * @param limit the most changes of each row
 * @param below only those with a lower `seq`
 * @returns the changes by row, latest first
 */
export async function readHistories(
  client: Client,
  { companyId }: Tenant,
  { table, rowIds, limit, below }: { table: string; rowIds: readonly string[]; limit: number; below?: string },
): Promise<Map<string, LoggedChange[]>> {
  const rows = await client.$queryRaw<LoggedChange[]>`
    SELECT found.* FROM unnest(${[...rowIds]}::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
      SELECT ${columns} FROM changes
      WHERE company_id = ${companyId}::uuid AND row_id = wanted.id AND table_name = ${table}
        ${below === undefined ? Prisma.empty : Prisma.sql`AND changes.seq < ${below}::bigint`}
      ORDER BY changes.seq DESC LIMIT ${limit}
    ) AS found
    ORDER BY found.seq::bigint DESC`;
  const histories = new Map<string, LoggedChange[]>();
  for (const row of rows) histories.set(row.rowId, [...(histories.get(row.rowId) ?? []), toChange(row)]);
  return histories;
}

/** Counts the changes of rows of one table. */
export async function countHistories(
  client: Client,
  { companyId }: Tenant,
  { table, rowIds }: { table: string; rowIds: readonly string[] },
): Promise<Map<string, number>> {
  const rows = await client.$queryRaw<{ id: string; count: number }[]>`
    SELECT row_id::text AS id, count(*)::int AS count FROM changes
    WHERE company_id = ${companyId}::uuid AND row_id = ANY(${[...rowIds]}::uuid[]) AND table_name = ${table}
    GROUP BY row_id`;
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** The log keeps of an update's previous values those that it changed. */
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
