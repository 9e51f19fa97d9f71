// Takes back what was written in the name of something, by the log of changes: new rows are deleted, and changed ones
// are as they were. Rows that others have changed since, or that others' rows refer to, are kept.
import { Prisma } from '../database/generated/client/client.ts';
import { findColumns, foreignKeys, named, type RestoreClient, type RowOf } from './deleted-rows.ts';
import type { Tenant } from './log.ts';

/** Which changes are taken back: those whose actor names it as what they belong to. */
export interface Undoing {
  readonly imports: string;
  /** The transactions between which they are. */
  readonly firstXid: string;
  readonly lastXid: string;
}

/** A place in the log. */
export interface UndoPosition {
  readonly xid: string;
  readonly seq: string;
}

/** A row that was not taken back. */
export interface KeptRow extends RowOf {
  readonly reason: 'changed' | 'referred';
}

/** How a part of the changes is taken back. */
export interface UndoOptions {
  /** The place from which on they are taken back already. */
  readonly before?: UndoPosition | undefined;
  /** In a dry run, which writes nothing: the rows that parts before would have deleted, to which this one adds. */
  readonly gone?: Set<string> | undefined;
}

/** What became of a part of the changes. */
export interface UndonePart {
  /** How many rows were deleted, or are as they were. */
  readonly count: number;
  readonly kept: readonly KeptRow[];
  /** Where to go on; undefined at the end. */
  readonly next?: UndoPosition;
}

/** A change that is taken back. */
interface Undone extends RowOf, UndoPosition {
  readonly action: 'create' | 'update' | 'delete';
  readonly fields: readonly string[];
  /** Whether somebody else has changed the row since. */
  readonly isChanged: boolean;
}

/** How many changes are taken back in one transaction. */
const changesAtOnce = 500;

/** Takes changes back, the latest first, in the current transaction. */
export async function undoChanges(
  client: RestoreClient,
  tenant: Tenant,
  undoing: Undoing,
  { before, gone }: UndoOptions = {},
): Promise<UndonePart> {
  const changes = await readChanges(client, tenant, undoing, before);
  const last = changes.at(-1);
  const kept = new Map<string, KeptRow>();
  const keep = (rows: readonly RowOf[], reason: KeptRow['reason']) => {
    for (const { table, rowId } of rows) kept.set(`${table} ${rowId}`, { table, rowId, reason });
  };
  keep(
    changes.filter(({ isChanged }) => isChanged),
    'changed',
  );
  const columns = await findColumns(client, [...new Set(changes.map(({ table }) => table))]);
  let count = 0;
  for (const run of runsOf(changes.filter(({ isChanged }) => !isChanged))) {
    const [{ table, action } = { table: '', action: 'delete' as const }] = run;
    const known = columns.get(table);
    // The table is gone since, or the row is already.
    if (!known || action === 'delete') continue;
    if (action === 'update') {
      count += await restoreFields(client, tenant, run, known, gone !== undefined);
      continue;
    }
    const isReferred = await findReferred(client, tenant, table, run, gone);
    keep(
      run.filter(({ rowId }) => isReferred.has(rowId)),
      'referred',
    );
    const ids = run.flatMap(({ rowId }) => (isReferred.has(rowId) ? [] : [rowId]));
    const which = Prisma.sql`
      FROM ${named(table)} WHERE company_id = ${tenant.companyId}::uuid AND id = ANY(${ids}::uuid[])`;
    count += gone ? await countRows(client, Prisma.sql`SELECT ${which}`) : await client.$executeRaw`DELETE ${which}`;
    for (const id of ids) gone?.add(id);
  }
  const isEnd = !last || changes.length < changesAtOnce;
  return { count, kept: [...kept.values()], ...(!isEnd && { next: { xid: last.xid, seq: last.seq } }) };
}

const readChanges = (
  client: RestoreClient,
  { companyId }: Tenant,
  { imports, firstXid, lastXid }: Undoing,
  before: UndoPosition | undefined,
): PromiseLike<Undone[]> => {
  const until = before
    ? Prisma.sql`(change.xid, change.seq) < (${before.xid}::bigint, ${before.seq}::bigint)`
    : Prisma.sql`change.xid <= ${lastXid}::bigint`;
  // What the clock does follows from the row itself.
  return client.$queryRaw<Undone[]>`
    SELECT change.xid::text, change.seq::text, change.table_name AS "table", change.row_id::text AS "rowId",
           change.action::text, change.fields, EXISTS (
      SELECT FROM changes AS later
      WHERE later.company_id = change.company_id AND later.row_id = change.row_id AND later.seq > change.seq
        AND later.table_name = change.table_name AND later.action IN ('create', 'update', 'delete')
        AND later.actor->>'imports' IS DISTINCT FROM ${imports} AND later.actor->>'undoes' IS DISTINCT FROM ${imports}
        AND later.actor->>'kind' IS DISTINCT FROM 'clock'
    ) AS "isChanged"
    FROM changes AS change
    WHERE change.company_id = ${companyId}::uuid AND change.xid >= ${firstXid}::bigint AND ${until}
      AND change.action IN ('create', 'update', 'delete') AND change.actor->>'imports' = ${imports}
    ORDER BY change.xid DESC, change.seq DESC LIMIT ${changesAtOnce}::int`;
};

/** Changes of one kind that follow each other, each of another row, so that one statement takes them back. */
function runsOf(changes: readonly Undone[]): Undone[][] {
  const runs: Undone[][] = [];
  let ids = new Set<string>();
  for (const change of changes) {
    const run = runs.at(-1);
    const [first] = run ?? [];
    const isAlike =
      first?.table === change.table &&
      first.action === change.action &&
      (change.action !== 'update' || first.fields.join() === change.fields.join());
    if (run && isAlike && !ids.has(change.rowId)) run.push(change);
    else {
      runs.push([change]);
      ids = new Set();
    }
    ids.add(change.rowId);
  }
  return runs;
}

async function countRows(client: RestoreClient, rows: Prisma.Sql): Promise<number> {
  const [found] = await client.$queryRaw<{ count: number }[]>`SELECT count(*)::int AS count FROM (${rows}) AS counted`;
  return found?.count ?? 0;
}

/** Gives changed fields their values from before. @returns how many rows did not have them */
async function restoreFields(
  client: RestoreClient,
  { companyId }: Tenant,
  run: readonly Undone[],
  known: ReadonlySet<string>,
  isDry: boolean,
): Promise<number> {
  const [first] = run;
  const fields = (first?.fields ?? []).filter((field) => known.has(field));
  if (!first || fields.length === 0) return 0;
  const table = named(first.table);
  const ofRow = (row: string) => fields.map((field) => Prisma.sql`${named(row)}.${named(field)}`);
  const earlier = Prisma.sql`
    unnest(${run.map(({ xid }) => xid)}::bigint[], ${run.map(({ seq }) => seq)}::bigint[]) AS undone (xid, seq)
    JOIN changes AS change ON change.company_id = ${companyId}::uuid AND change.xid = undone.xid AND change.seq = undone.seq
    CROSS JOIN LATERAL jsonb_populate_record(NULL::${table},
      files_left(${companyId}::uuid, change.before)) AS earlier`;
  const differs = Prisma.sql`
    stored.company_id = ${companyId}::uuid AND stored.id = change.row_id
      AND (${Prisma.join(ofRow('stored'))}) IS DISTINCT FROM (${Prisma.join(ofRow('earlier'))})`;
  if (isDry) return countRows(client, Prisma.sql`SELECT FROM ${earlier} JOIN ${table} AS stored ON ${differs}`);
  const assigned = fields.map((field) => Prisma.sql`${named(field)} = earlier.${named(field)}`);
  return client.$executeRaw`UPDATE ${table} AS stored SET ${Prisma.join(assigned)} FROM ${earlier} WHERE ${differs}`;
}

/** Finds the rows of a table that others refer to, but those that are gone. @returns their ids */
async function findReferred(
  client: RestoreClient,
  { companyId }: Tenant,
  table: string,
  rows: readonly RowOf[],
  gone?: ReadonlySet<string>,
): Promise<Set<string>> {
  const keys = await client.$queryRaw<{ child: string; column: string; hasId: boolean }[]>`
    SELECT DISTINCT child::text, "column"::text, EXISTS (
      SELECT FROM pg_attribute WHERE attrelid = to_regclass(quote_ident(child)) AND attname = 'id'
    ) AS "hasId" FROM (${foreignKeys}) AS keys WHERE parent = ${table}`;
  if (keys.length === 0) return new Set();
  const ids = rows.map(({ rowId }) => rowId);
  const found = await client.$queryRaw<{ id: string; by: string | null }[]>(
    Prisma.join(
      keys.map(({ child, column, hasId }) => {
        // Which rows refer to one matters where some of them would be gone.
        const by = gone && hasId ? Prisma.sql`id::text` : Prisma.sql`NULL::text`;
        return Prisma.sql`
          SELECT DISTINCT ${named(column)}::text AS id, ${by} AS "by" FROM ${named(child)}
          WHERE company_id = ${companyId}::uuid AND ${named(column)} = ANY(${ids}::uuid[])
            ${child === table ? Prisma.sql`AND id <> ALL(${ids}::uuid[])` : Prisma.empty}`;
      }),
      ' UNION ',
    ),
  );
  return new Set(found.flatMap(({ id, by }) => (by !== null && gone?.has(by) ? [] : [id])));
}
