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

/** The name of a table or column of the catalog, in SQL. */
export const identifier = (name: string): Prisma.Sql => Prisma.raw(`"${name.replaceAll('"', '""')}"`);
