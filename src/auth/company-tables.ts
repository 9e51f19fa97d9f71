import { Prisma } from '../database/generated/client/client.ts';

/** A table with rows of companies. */
export interface CompanyTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The tables that its rows refer to. */
  readonly references: readonly string[];
}

/** Lists the tables with rows of companies, by the database's catalog, so that no table can be forgotten. */
export const listCompanyTables = (prisma: Prisma.TransactionClient): Promise<CompanyTable[]> =>
  prisma.$queryRaw<CompanyTable[]>`
    SELECT relname::text AS name,
      (SELECT jsonb_agg(jsonb_build_object('name', attname, 'type', format_type(atttypid, NULL)) ORDER BY attnum)
       FROM pg_attribute WHERE attrelid = class.oid AND attnum > 0 AND NOT attisdropped) AS columns,
      coalesce((SELECT jsonb_agg(DISTINCT target.relname)
       FROM pg_constraint JOIN pg_class AS target ON target.oid = confrelid
       WHERE conrelid = class.oid AND contype = 'f' AND confrelid <> conrelid), '[]') AS "references"
    FROM pg_class AS class
    WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = current_schema()::regnamespace
      AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = class.oid AND attname = 'company_id' AND NOT attisdropped)
    ORDER BY relname`;

/** Describes the table of the companies themselves. */
export async function describeCompanies(prisma: Prisma.TransactionClient): Promise<CompanyTable> {
  const [companies] = await prisma.$queryRaw<Pick<CompanyTable, 'columns'>[]>`
    SELECT jsonb_agg(jsonb_build_object('name', attname, 'type', format_type(atttypid, NULL)) ORDER BY attnum) AS columns
    FROM pg_attribute WHERE attrelid = 'companies'::regclass AND attnum > 0 AND NOT attisdropped`;
  return { name: 'companies', columns: companies?.columns ?? [], references: [] };
}

/**
 * Sorts tables so that each comes after those that it refers to. Cycles, which only cascading references can form, are
 * broken anywhere.
 */
export function inOrderOfReferences(tables: readonly CompanyTable[]): CompanyTable[] {
  const sorted = new Set<CompanyTable>();
  const visit = (table: CompanyTable, path: readonly CompanyTable[]) => {
    if (sorted.has(table) || path.includes(table)) return;
    for (const other of tables) if (table.references.includes(other.name)) visit(other, [...path, table]);
    sorted.add(table);
  };
  for (const table of tables) visit(table, []);
  return [...sorted];
}

/** The last migration of a database, which tells what tables and columns its rows have. */
export async function lastMigration(prisma: Prisma.TransactionClient): Promise<string> {
  const [last] = await prisma.$queryRaw<{ name: string | null }[]>`
    SELECT max(migration_name) AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`;
  return last?.name ?? 'none';
}

/** The name of a table or column of the catalog, in SQL. */
export const identifier = (name: string): Prisma.Sql => Prisma.raw(`"${name.replaceAll('"', '""')}"`);
