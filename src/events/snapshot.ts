import { Prisma } from '../database/generated/client/client.ts';
import { companyColumn, type TableName } from '../database/tables.ts';
import { type Client, here, readRow, type StoredRow, type Tenant } from './log.ts';
import { encodePosition, type Position } from './position.ts';

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
    SELECT generation, xid::text, seq::text FROM here CROSS JOIN last`;
  if (!found) throw new Error('The log has no position.');
  return encodePosition(found);
}

/** A row as the database has it, and its latest change. */
interface VersionedRow {
  readonly id: string;
  /** The `seq` of the change; 0 if the log has none. */
  readonly version: string;
  readonly stored: StoredRow;
}

/** Which rows of a table are read. */
interface RowsRead {
  readonly table: TableName;
  /** Only rows with a higher id. */
  readonly after: string;
  readonly limit: number;
}

/** Reads rows of a company by their ids, each with its version, which the same statement reads. */
export async function readVersionedRows(
  client: Client,
  { companyId }: Tenant,
  { table, after, limit }: RowsRead,
): Promise<VersionedRow[]> {
  const rows = await client.$queryRaw<(Omit<VersionedRow, 'stored'> & { readonly stored: string })[]>`
    SELECT stored.id::text AS id, to_jsonb(stored)::text AS stored, coalesce((
      SELECT seq FROM changes
      WHERE company_id = ${companyId}::uuid AND row_id = stored.id AND table_name = ${table} ORDER BY seq DESC LIMIT 1
    ), 0)::text AS version
    FROM ${Prisma.raw(`"${table}"`)} AS stored
    WHERE stored.${Prisma.raw(companyColumn(table))} = ${companyId}::uuid AND stored.id > ${after}::uuid
    ORDER BY stored.id LIMIT ${limit}`;
  return rows.map((row) => ({ ...row, stored: readRow(row.stored) }));
}
