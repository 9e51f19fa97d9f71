// Reads the log of changes, which triggers write (prisma/migrations).
import { Prisma } from '../database/generated/client/client.ts';
import type { Actor } from '../database/index.ts';
import type { TableName } from '../database/tables.ts';
import { ServiceError } from '../errors.ts';
import { parseJson } from '../json.ts';
import { encodePosition, type Position, partsOf } from './position.ts';

/** A row as the database has it, by its column names. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** What the log reports of a row besides its changes: the clock what falls due, a trigger that stock becomes low. */
export type ReportedAction = 'due' | 'low_stock';

/** A change of one row. */
export interface LoggedChange {
  readonly xid: string;
  /** Of two changes to one row, the later has the higher number. */
  readonly seq: string;
  readonly at: Date;
  readonly table: TableName;
  readonly rowId: string;
  readonly action: 'create' | 'update' | 'delete' | ReportedAction;
  /** The columns that an update changed. */
  readonly fields: readonly string[];
  /** The row before the change; null of a new one. */
  readonly before: StoredRow | null;
  /** The row after the change; null of a deleted one. */
  readonly after: StoredRow | null;
  readonly actor: Actor | null;
}

/** A change as the statements read it: its rows are JSON. */
export type LoggedRow = Omit<LoggedChange, 'before' | 'after'> & Readonly<Record<'before' | 'after', string | null>>;

/**
 * Reads a row from the text of its JSON, with the digits of its numbers. Statements select rows as text, as Prisma
 * would parse numbers as doubles.
 */
export const readRow = (json: string): StoredRow => parseJson(json) as StoredRow;

const readImage = (json: string | null): StoredRow | null => (json === null ? null : readRow(json));

/** A part of the log. */
export interface LogPage {
  readonly changes: readonly LoggedChange[];
  /** Where to continue. */
  readonly next: string;
  /** Whether there may be more already. */
  readonly hasMore: boolean;
  /** Whether it was read from the beginning, where changes have been deleted. */
  readonly isTruncated: boolean;
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
 * The label of the log's generation (see `generation.ts`). The fence is the oldest transaction that is still running:
 * changes of later ones may still appear before each other.
 */
export const here = Prisma.sql`
  here AS MATERIALIZED (
    SELECT label AS generation, change_number(pg_snapshot_xmin(pg_current_snapshot())) AS fence,
           change_number(pg_snapshot_xmax(pg_current_snapshot())) AS newest
    FROM change_logs ORDER BY change_logs.generation DESC LIMIT 1
  )`;

/**
 * How much the server had written, as positions name it: where standbys do not confirm commits, one that takes over may
 * lack some of it. Those that do have all that can be read.
 */
const written = Prisma.sql`
  CASE WHEN current_setting('premises.has_standbys', true) = 'on' AND current_setting('synchronous_standby_names') = ''
  THEN '-' || to_hex((pg_current_wal_insert_lsn() - '0/0')::bigint) ELSE '' END`;

/** The columns of a change. */
export const columns = Prisma.sql`
  xid::text, seq::text, at, table_name AS "table", row_id::text AS "rowId", action::text, fields, before::text, after::text, actor`;

/** The state of the log, and the last examined position; each row of a page has both. */
interface LogState {
  readonly generation: string;
  readonly written: string;
  /** Whether the given position is of this log: of its present generation, or of one that this inherited it from. */
  readonly isKnown: boolean;
  /** Whether changes after the given position were deleted; null if none of the company ever were. */
  readonly isPast: boolean | null;
  readonly scanned: number;
  readonly lastXid: string;
  readonly lastSeq: string;
}

/** Changes that somebody has not read yet. */
export interface Unread {
  /** The position that they follow; the beginning of the log without one. */
  readonly after: Position | undefined;
  /** The tables whose changes are read. */
  readonly tables: readonly string[];
}

/** Which changes are read. */
export interface LogQuery extends Unread {
  /** Further changes that the page has for others, who are as far or farther. */
  readonly others?: readonly Unread[];
  /** The most changes of the page. */
  readonly limit: number;
  /** Whether to read up to the end of the log, including changes that others may still precede. */
  readonly beyondFence?: boolean;
  /**
   * Whether the position is stored in the database itself, and so was restored together with the log: it is never
   * refused. What retention has deleted after it is left out.
   */
  readonly isStored?: boolean;
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
  { after, tables, others = [], limit, beyondFence = false, isStored = false }: LogQuery,
): Promise<LogPage> {
  const from = placeOf(after);
  const ofOthers = others.map(
    (each) => Prisma.sql`table_name = ANY(${[...each.tables]}) AND (xid, seq) > ${placeOf(each.after)}`,
  );
  const isWanted = Prisma.join([Prisma.sql`table_name = ANY(${[...tables]})`, ...ofOthers], ' OR ');
  const rows = await client.$queryRaw<(LogState & (LoggedRow | { readonly xid: null }))[]>`
    WITH ${here},
    scanned AS MATERIALIZED (
      SELECT following.* FROM here CROSS JOIN LATERAL changes_after(
        ${companyId}::uuid, ${after?.xid ?? '0'}::bigint, ${after?.seq ?? '0'}::bigint,
        ${beyondFence ? Prisma.sql`NULL` : Prisma.sql`here.fence`}, ${maxScanned}::int
      ) AS following
    ),
    chosen AS (
      SELECT xid, seq FROM scanned WHERE ${isWanted} ORDER BY xid, seq LIMIT ${limit}
    ), horizon AS (
      SELECT xid, seq FROM change_horizons WHERE company_id = ${companyId}::uuid
    ), last AS (
      -- Not the fence: transactions before it that wrote nothing may be unknown to a standby that takes over.
      (SELECT xid, seq FROM scanned ORDER BY xid DESC, seq DESC LIMIT 1)
      UNION ALL SELECT ${after?.xid ?? '0'}::bigint, ${after?.seq ?? '0'}::bigint UNION ALL SELECT xid, seq FROM horizon
      ORDER BY xid DESC, seq DESC LIMIT 1
    )
    SELECT here.generation, ${written} AS written, last.xid::text AS "lastXid", last.seq::text AS "lastSeq",
           ${isOfLog(after, from)} AS "isKnown", (SELECT (xid, seq) > ${from} FROM horizon) AS "isPast",
           (SELECT count(*)::int FROM scanned) AS scanned, found.*
    FROM here CROSS JOIN last LEFT JOIN (
      SELECT change.* FROM chosen CROSS JOIN LATERAL (
        SELECT ${columns} FROM changes
        WHERE company_id = ${companyId}::uuid AND changes.xid = chosen.xid AND changes.seq = chosen.seq
        -- Each by its key: joined, PostgreSQL may compare all changes of the company with them.
        OFFSET 0
      ) AS change
    ) AS found ON true
    ORDER BY found.xid::bigint, found.seq::bigint`;
  // Without any change there is one row.
  const state = rows[0] as LogState;
  if (after && !isStored) assertInLog(state);

  const changes = rows.flatMap((row) => (row.xid === null ? [] : [toChange(row)]));
  const { isPast, scanned, lastXid, lastSeq } = state;
  const isFull = changes.length === limit;
  const { xid, seq } = (isFull && changes.at(-1)) || { xid: lastXid, seq: lastSeq };
  const isSame = after?.xid === xid && after.seq === seq && partsOf(after).label === state.generation;
  // What was read before was there before. A position that is stored is as old as the log.
  const generation = isSame ? after.generation : state.generation + (isStored ? '' : state.written);
  return {
    changes,
    next: encodePosition({ generation, xid, seq }),
    hasMore: isFull || scanned === maxScanned,
    isTruncated: !after && isPast === true,
  };
}

const placeOf = (position: Position | undefined): Prisma.Sql =>
  Prisma.sql`(${position?.xid ?? '0'}::bigint, ${position?.seq ?? '0'}::bigint)`;

/** The condition that a position is one of this log, rather than of one that it is not the continuation of. */
function isOfLog(after: Position | undefined, position: Prisma.Sql): Prisma.Sql {
  const { label, written } = after ? partsOf(after) : { label: '', written: '0' };
  return Prisma.sql`EXISTS (
    SELECT FROM change_logs AS own
    WHERE own.label = ${label} AND ${after?.xid ?? '0'}::bigint <= here.newest AND NOT EXISTS (
      SELECT FROM change_logs AS later
      WHERE later.generation > own.generation AND (
        ${position} > (later.inherited_xid, later.inherited_seq) OR ${BigInt(`0x${written}`)}::bigint > later.inherited_bytes
      )
    )
  )`;
}

/** Reads one change; undefined if the log no longer has it. */
export async function readChange(
  client: Client,
  { companyId }: Tenant,
  { xid, seq }: { readonly xid: string; readonly seq: string },
): Promise<LoggedChange | undefined> {
  const [row] = await client.$queryRaw<LoggedRow[]>`
    SELECT ${columns} FROM changes
    WHERE company_id = ${companyId}::uuid AND xid = ${xid}::bigint AND seq = ${seq}::bigint`;
  return row && toChange(row);
}

/**
 * Reads what the present transaction has changed of a company so far.
 *
 * @param limit the most changes
 */
export async function readOwnChanges(
  client: Client,
  { companyId }: Tenant,
  limit: number,
): Promise<readonly LoggedChange[]> {
  const rows = await client.$queryRaw<LoggedRow[]>`
    SELECT ${columns} FROM changes
    WHERE company_id = ${companyId}::uuid AND xid = change_number(pg_current_xact_id_if_assigned())
    ORDER BY seq LIMIT ${limit}`;
  return rows.map(toChange);
}

// Read from its beginning, the log lacks the rows whose changes were deleted.
const beginAgain = 'begin again with a snapshot and continue from its position.';

/** @throws ServiceError GONE for a position of another log, ahead of this one, or before what retention has left */
function assertInLog({ isKnown, isPast }: LogState): void {
  if (isKnown && !isPast) return;
  throw new ServiceError(
    'GONE',
    isKnown
      ? `The changes after this position have been deleted; ${beginAgain}`
      : `The database was restored to a time before this position was returned; ${beginAgain}`,
    undefined,
    'after',
  );
}

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
}: LoggedRow): LoggedChange {
  const [was, is] = [readImage(before), readImage(after)];
  const whole = action === 'update' ? { ...is, ...was } : was;
  return { xid, seq, at, table, rowId, action, fields, before: whole, after: is, actor };
}

/** Reads the position from which the log of a company goes on: that of the last change that can be read. */
export async function readPosition(client: Client, { companyId }: Tenant): Promise<string> {
  const [found] = await client.$queryRaw<Position[]>`
    WITH ${here}, last AS (
      (SELECT xid, seq FROM changes
       WHERE company_id = ${companyId}::uuid AND xid < (SELECT fence FROM here) ORDER BY xid DESC, seq DESC LIMIT 1)
      UNION ALL SELECT xid, seq FROM change_horizons WHERE company_id = ${companyId}::uuid
      UNION ALL SELECT 0, 0
      ORDER BY xid DESC, seq DESC LIMIT 1
    )
    SELECT generation || ${written} AS generation, xid::text, seq::text FROM here CROSS JOIN last`;
  if (!found) throw new Error('The log has no position.');
  return encodePosition(found);
}
