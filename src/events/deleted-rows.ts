// Brings rows back that the log of changes has as they were when they were deleted.
import { Prisma } from '../database/generated/client/client.ts';
import { ServiceError } from '../errors.ts';
import type { Client, Tenant } from './log.ts';
import type { Occurrence } from './occurrences.ts';

/** The most changes of the transaction that deleted a row, all of which a restore examines. */
export const maxExamined = 5000;

/** How many rows one statement inserts. */
const rowsAtOnce = 500;

/** What rows are restored with: statements of one transaction. */
export type RestoreClient = Client & Pick<Prisma.TransactionClient, '$executeRaw'>;

/** A row by its table. */
export interface RowOf {
  readonly table: string;
  readonly rowId: string;
}

/** A foreign key: rows of `child` have the id of a row of `parent` in `column`. */
export interface ForeignKey {
  readonly name: string;
  readonly child: string;
  readonly parent: string;
  readonly column: string;
}

/** A deletion of a transaction, by its number in the log. */
interface DeletedRow extends RowOf {
  readonly seq: string;
  /** The columns that its image has. */
  readonly columns: readonly string[];
}

/** A reference that the deletion of its row has emptied. */
interface Emptied extends RowOf {
  readonly seq: string;
  readonly column: string;
  readonly value: string;
}

/** What one restore brings back. */
export interface DeletedRows {
  readonly companyId: string;
  readonly xid: string;
  readonly rows: readonly DeletedRow[];
  readonly emptied: readonly Emptied[];
  readonly keys: readonly ForeignKey[];
}

/** The foreign keys of the database's tables, without those to the company alone. */
export const foreignKeys = Prisma.sql`
  SELECT constraint_of.conname AS name, child.relname AS child, parent.relname AS parent, attname AS "column",
         confdeltype AS on_delete
  FROM pg_constraint AS constraint_of
  JOIN pg_class AS child ON child.oid = conrelid JOIN pg_class AS parent ON parent.oid = confrelid
  JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey) AND attname <> 'company_id'
  WHERE contype = 'f' AND child.relnamespace = current_schema()::regnamespace`;

/**
 * Finds the rows that were deleted with a row, by the foreign keys that cascade, and the references to them that were
 * emptied: all in the transaction that deleted it.
 *
 * @param root the row; without one, all rows that the transaction deleted and that are still deleted
 * @throws ServiceError CONFLICT when the transaction has more than `maxExamined` changes
 */
export async function findDeletedRows(
  client: Client,
  { companyId }: Tenant,
  { xid, root }: { readonly xid: string; readonly root?: RowOf },
): Promise<DeletedRows> {
  const part = Prisma.sql`changes.company_id = ${companyId}::uuid AND changes.xid = ${xid}::bigint`;
  const [{ size = 0 } = {}] = await client.$queryRaw<{ size: number }[]>`
    SELECT count(*)::int AS size FROM (SELECT FROM changes WHERE ${part} LIMIT ${maxExamined + 1}::int) AS counted`;
  if (size > maxExamined)
    throw new ServiceError(
      'CONFLICT',
      `It was deleted with more than ${maxExamined} other changes at once, which is more than can be restored.`,
    );
  const isRoot = root
    ? Prisma.sql`part.table_name = ${root.table} AND part.row_id = ${root.rowId}::uuid`
    : Prisma.sql`NOT EXISTS (
        SELECT FROM changes AS later WHERE later.company_id = ${companyId}::uuid AND later.row_id = part.row_id
          AND later.table_name = part.table_name AND later.seq > part.seq
      )`;
  const found = await client.$queryRaw<(RowOf & { seq: string; names: string[]; value: string | null })[]>`
    WITH RECURSIVE keys AS MATERIALIZED (${foreignKeys}), part AS MATERIALIZED (
      SELECT seq, table_name, row_id, action, before, after FROM changes WHERE ${part}
    ), referring AS MATERIALIZED (
      SELECT seq, table_name, row_id, parent, "column", before->>"column" AS value, action = 'delete' AS is_deleted
      FROM part JOIN keys ON child = table_name
      WHERE action = 'delete' AND on_delete = 'c'
        OR action = 'update' AND on_delete = 'n' AND before ? "column"::text AND after->>"column" IS NULL
    ), gone AS (
      SELECT seq, table_name, row_id FROM part WHERE action = 'delete' AND ${isRoot}
      UNION
      SELECT referring.seq, referring.table_name, referring.row_id FROM gone
      JOIN referring ON is_deleted AND parent = gone.table_name::text AND value = gone.row_id::text
    )
    SELECT seq::text, table_name AS "table", row_id::text AS "rowId", NULL AS value,
           ARRAY(SELECT jsonb_object_keys(before) AS name ORDER BY name) AS names
    FROM gone JOIN part USING (seq, table_name, row_id)
    UNION ALL
    SELECT referring.seq::text, referring.table_name, referring.row_id::text, value, ARRAY["column"::text]
    FROM gone JOIN referring ON NOT is_deleted AND parent = gone.table_name::text AND value = gone.row_id::text`;
  const keys = await client.$queryRaw<ForeignKey[]>`
    SELECT name::text, child::text, parent::text, "column"::text FROM (${foreignKeys}) AS keys`;
  return {
    companyId,
    xid,
    keys,
    rows: found.flatMap(({ value, names, ...row }) => (value === null ? [{ ...row, columns: names }] : [])),
    emptied: found.flatMap(({ value, names: [column = ''], ...row }) =>
      value === null ? [] : [{ ...row, column, value }],
    ),
  };
}

/**
 * Inserts deleted rows as they were, and fills the references to them where they are still empty and nobody has changed
 * them since. Columns that were added since have their defaults, those that were removed are left out.
 *
 * @throws the database's error for what conflicts with other rows; see `explainConflict`
 */
export async function insertDeletedRows(
  client: RestoreClient,
  deleted: DeletedRows,
  occurrences: readonly Occurrence[],
): Promise<void> {
  const { companyId, rows, keys } = deleted;
  // The changes that follow are no news to those who are told of new rows.
  await client.$queryRaw`
    SELECT set_config('premises.actor',
      (coalesce(nullif(current_setting('premises.actor', true), ''), '{}')::jsonb || '{"restores": true}')::text, true)`;
  const columnsOf = await findColumns(client, tablesOf(rows));
  for (const table of inOrder(tablesOf(rows), keys)) {
    const known = columnsOf.get(table) ?? new Set();
    const groups = new Map<string, DeletedRow[]>();
    for (const row of rows.filter((each) => each.table === table)) {
      const shared = row.columns.filter((column) => known.has(column)).join();
      groups.set(shared, [...(groups.get(shared) ?? []), row]);
    }
    for (const group of groups.values())
      for (let from = 0; from < group.length; from += rowsAtOnce)
        await insertImages(client, deleted, table, known, group.slice(from, from + rowsAtOnce));
  }
  await client.$executeRaw`
    WITH wanted AS MATERIALIZED (
      SELECT table_name, row_id, period.* FROM changes CROSS JOIN LATERAL
        jsonb_to_recordset(before->'status_periods')
          AS period (seq bigint, status text, entered_at timestamptz, left_at timestamptz)
      WHERE ${among(deleted, rows)} AND before ? 'status_periods'
    ), replaced AS (
      DELETE FROM status_periods AS period USING (SELECT DISTINCT table_name, row_id FROM wanted) AS of
      WHERE period.company_id = ${companyId}::uuid AND period.table_name = of.table_name AND period.row_id = of.row_id
    )
    INSERT INTO status_periods (company_id, table_name, row_id, status, entered_at, left_at)
    SELECT ${companyId}::uuid, table_name, row_id, status, entered_at, left_at FROM wanted ORDER BY wanted.seq`;
  await fillReferences(client, deleted);
  for (const occurrence of occurrences) await keepReported(client, deleted, occurrence);
  // Others may write in the same transaction.
  await client.$queryRaw`
    SELECT set_config('premises.actor', (current_setting('premises.actor')::jsonb - 'restores')::text, true)`;
}

/** Finds the columns of tables that can be written. */
export async function findColumns(
  client: Client,
  tables: readonly string[],
): Promise<Map<string, ReadonlySet<string>>> {
  const found = await client.$queryRaw<{ table: string; columns: string[] }[]>`
    SELECT relname::text AS "table", array_agg(attname::text) AS columns
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE relnamespace = current_schema()::regnamespace AND relname::text = ANY(${tables})
      AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
    GROUP BY relname`;
  return new Map(found.map(({ table, columns }) => [table, new Set(columns)]));
}

const tablesOf = (rows: readonly RowOf[]): string[] => [...new Set(rows.map(({ table }) => table))];

/** The condition for the deletions of rows in the log. */
const among = ({ companyId, xid }: DeletedRows, rows: readonly DeletedRow[]): Prisma.Sql =>
  Prisma.sql`changes.company_id = ${companyId}::uuid AND changes.xid = ${xid}::bigint
    AND changes.seq = ANY(${rows.map(({ seq }) => seq)}::bigint[])`;

/** A name as SQL has it. */
export const named = (name: string): Prisma.Sql => Prisma.raw(`"${name.replaceAll('"', '""')}"`);

/** Inserts rows of a table whose images have the same columns. */
async function insertImages(
  client: RestoreClient,
  deleted: DeletedRows,
  table: string,
  known: ReadonlySet<string>,
  rows: readonly DeletedRow[],
): Promise<void> {
  const { companyId, xid, emptied } = deleted;
  const names = (rows[0]?.columns ?? []).filter((column) => known.has(column));
  // What refers to a row of the same restore was emptied before it was deleted itself.
  const filled = rows.map(({ rowId }) => {
    const own = emptied.filter((each) => each.rowId === rowId && each.table === table);
    return JSON.stringify(Object.fromEntries(own.map(({ column, value }) => [column, value])));
  });
  const count = await client.$executeRaw`
    INSERT INTO ${named(table)} (${Prisma.join(names.map(named))})
    SELECT ${Prisma.join(names.map((name) => Prisma.sql`restored.${named(name)}`))}
    FROM unnest(${rows.map(({ seq }) => seq)}::bigint[], ${filled}::text[]) AS wanted (seq, filled)
    CROSS JOIN LATERAL (
      SELECT before FROM changes
      WHERE changes.company_id = ${companyId}::uuid AND changes.xid = ${xid}::bigint AND changes.seq = wanted.seq
      OFFSET 0
    ) AS change
    CROSS JOIN LATERAL jsonb_populate_record(NULL::${named(table)},
      files_left(${companyId}::uuid, change.before) || wanted.filled::jsonb) AS restored`;
  if (count !== rows.length)
    throw new ServiceError('CONFLICT', 'The log of changes no longer has all that was deleted.');
}

/** Fills the references of rows that were not deleted. */
async function fillReferences(client: RestoreClient, { companyId, rows, emptied }: DeletedRows): Promise<void> {
  const restored = new Set(rows.map(({ table, rowId }) => `${table} ${rowId}`));
  const left = emptied.filter(({ table, rowId }) => !restored.has(`${table} ${rowId}`));
  for (const [table, column] of new Map(
    left.map((each) => [`${each.table} ${each.column}`, [each.table, each.column]]),
  ).values()) {
    if (table === undefined || column === undefined) continue;
    const own = left.filter((each) => each.table === table && each.column === column);
    await client.$executeRaw`
      UPDATE ${named(table)} AS stored SET ${named(column)} = wanted.value
      FROM unnest(${own.map(({ rowId }) => rowId)}::uuid[], ${own.map(({ seq }) => seq)}::bigint[],
                  ${own.map(({ value }) => value)}::uuid[]) AS wanted (id, seq, value)
      WHERE stored.company_id = ${companyId}::uuid AND stored.id = wanted.id AND stored.${named(column)} IS NULL
        AND NOT EXISTS (
          SELECT FROM changes AS later
          WHERE later.company_id = ${companyId}::uuid AND later.row_id = wanted.id AND later.table_name = ${table}
            AND later.seq > wanted.seq AND ${column} = ANY (later.fields)
        )`;
  }
}

/** Marks what the clock has reported of rows before they were deleted, so that it is not reported again. */
async function keepReported(
  client: RestoreClient,
  { companyId, rows }: DeletedRows,
  { table, action, since }: Occurrence,
): Promise<void> {
  const ids = rows.flatMap((row) => (row.table === table ? [row.rowId] : []));
  if (ids.length === 0) return;
  await client.$executeRaw`
    INSERT INTO clock_marks (company_id, table_name, row_id, since)
    SELECT DISTINCT ON (change.row_id) ${companyId}::uuid, ${table}, change.row_id, ${since} FROM changes AS change
    CROSS JOIN LATERAL jsonb_populate_record(NULL::${named(table)}, change.after) AS stored
    WHERE change.company_id = ${companyId}::uuid AND change.row_id = ANY(${ids}::uuid[])
      AND change.table_name = ${table} AND change.action = ${action}::change_action
    ORDER BY change.row_id, change.seq DESC
    ON CONFLICT DO NOTHING`;
}

/** Tables in an order in which each follows those that its rows refer to. */
function inOrder(tables: readonly string[], keys: readonly ForeignKey[]): string[] {
  const ordered: string[] = [];
  const visited = new Set<string>();
  const visit = (table: string) => {
    if (visited.has(table)) return;
    visited.add(table);
    for (const { child, parent } of keys) if (child === table && tables.includes(parent)) visit(parent);
    ordered.push(table);
  };
  for (const table of tables) visit(table);
  return ordered;
}

/** A row that a deleted one refers to and that there is no longer. */
export interface Missing {
  readonly key: ForeignKey;
  readonly id: string;
}

/** Finds the first rows that deleted ones refer to and that there are not, of each foreign key. */
export async function findMissing(client: Client, deleted: DeletedRows): Promise<Missing[]> {
  const { companyId, rows, keys } = deleted;
  const missing: Missing[] = [];
  for (const key of keys) {
    const own = rows.filter(({ table }) => table === key.child);
    if (own.length === 0) continue;
    const restored = new Set(rows.flatMap(({ table, rowId }) => (table === key.parent ? [rowId] : [])));
    const found = await client.$queryRaw<{ id: string }[]>`
      SELECT DISTINCT before->>${key.column} AS id FROM changes
      WHERE ${among(deleted, own)} AND before->>${key.column} IS NOT NULL AND NOT EXISTS (
        SELECT FROM ${named(key.parent)} AS parent
        WHERE parent.company_id = ${companyId}::uuid AND parent.id = (before->>${key.column})::uuid
      ) LIMIT ${restored.size + 1}::int`;
    const gone = found.find(({ id }) => !restored.has(id));
    if (gone) missing.push({ key, id: gone.id });
  }
  return missing;
}
