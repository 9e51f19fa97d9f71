import { Prisma } from '../database/generated/client/client.ts';

/** What a reader may not read of a table. */
export interface Restriction {
  /** The rows that they may read. */
  readonly rows?: Prisma.Sql;
  /** Columns of which they may read those of some rows only. */
  readonly columns?: { readonly names: readonly string[]; readonly where: Prisma.Sql };
}

/** The tables whose rows belong to a person until they are shared: `user_id` and `is_shared`. */
const shareable: readonly string[] = ['notes', 'saved_queries', 'saved_views', 'dashboards', 'import_mappings'];

/**
 * What an admin may not read, by table: what other people keep for themselves.
 *
 * @param reader the id of the admin, in SQL
 */
export function restrictionsFor(reader: Prisma.Sql): Readonly<Record<string, Restriction>> {
  const isReadable = (image: string) => {
    const row = Prisma.raw(image);
    return Prisma.sql`(${row} ->> 'user_id' = ${reader}::text OR ${row} ->> 'is_shared' = 'true')`;
  };
  const ofTables = shareable.map((table) => [table, { rows: Prisma.sql`(user_id = ${reader} OR is_shared)` }] as const);
  // Both the row as it was and the row as it is now, or was when it was deleted, must be readable.
  const changes = shareable.map(
    (table) => Prisma.sql`(table_name <> ${Prisma.raw(`'${table}'`)} OR (
      (after IS NULL OR ${isReadable('after')})
      AND (before IS NULL OR ${isReadable("(CASE WHEN action = 'update' THEN after || before ELSE before END)")})
      AND coalesce(
        (SELECT ${isReadable('to_jsonb(stored)')} FROM ${Prisma.raw(table)} AS stored
         WHERE stored.company_id = changes.company_id AND stored.id = changes.row_id),
        (SELECT ${isReadable('last.before')} FROM changes AS last
         WHERE last.company_id = changes.company_id AND last.row_id = changes.row_id AND last.table_name = changes.table_name
         ORDER BY last.seq DESC LIMIT 1),
        false)
    ))`,
  );
  return {
    ...Object.fromEntries(ofTables),
    changes: { rows: Prisma.join(changes, ' AND ') },
    files: {
      rows: Prisma.sql`EXISTS (
        SELECT FROM file_holds AS hold WHERE hold.company_id = files.company_id AND hold.file_id = files.id
          AND (hold.table_name <> 'notes' OR EXISTS (
            SELECT FROM notes WHERE notes.company_id = hold.company_id AND notes.id = hold.row_id
              AND (notes.user_id = ${reader} OR notes.is_shared))))`,
    },
    saved_query_schedules: {
      rows: Prisma.sql`EXISTS (
        SELECT FROM saved_queries AS query WHERE query.company_id = saved_query_schedules.company_id
          AND query.id = saved_query_schedules.saved_query_id AND (query.user_id = ${reader} OR query.is_shared))`,
    },
    webhook_deliveries: {
      columns: {
        names: ['request', 'answer'],
        where: Prisma.sql`EXISTS (
          SELECT FROM webhooks WHERE webhooks.company_id = webhook_deliveries.company_id
            AND webhooks.id = webhook_deliveries.webhook_id AND webhooks.user_id = ${reader})`,
      },
    },
  };
}

/** The rows of a table of which a reader is not shown everything. */
export const restricted = ({ rows, columns }: Restriction): Prisma.Sql =>
  Prisma.join(
    [
      ...(rows ? [Prisma.sql`NOT (${rows})`] : []),
      ...(columns
        ? [
            Prisma.sql`(NOT ${columns.where} AND num_nonnulls(${Prisma.join(columns.names.map((name) => Prisma.raw(name)))}) > 0)`,
          ]
        : []),
    ],
    ' OR ',
  );

/** What is said about the files of a company that has too many of them. */
export const withoutFiles = `This archive lists the files of the company without their contents, as they are too large together. The
operator of the service can export everything.
`;

/** What is said about files that nobody may get. */
export const withheldFiles = (
  count: number,
): string => `The contents of files are left out that have malware, could not be
scanned for it, or are going to be: ${count} in all, and "scan_status" in files.ndjson says which.
`;

/** The file of an export that says what was left out. */
export const leftOut = {
  name: 'README.txt',
  text: `This archive has what you may read. It leaves out what other people keep for themselves: their
private notes with their files, private saved queries, saved views, dashboards and import mappings with the changes of
these, and the bodies of the messages of their webhooks. The operator of the service can export everything.
`,
};
