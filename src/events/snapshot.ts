import { Prisma } from '../database/generated/client/client.ts';
import { companyColumn, type TableName } from '../database/tables.ts';
import { type Client, here, type StoredRow, type Tenant } from './log.ts';
import { encodePosition } from './position.ts';

/** Reads the position from which the log goes on: all changes before it can be read. */
export async function readPosition(client: Client): Promise<string> {
  const [found] = await client.$queryRaw<{ generation: string; fence: string }[]>`
    WITH ${here} SELECT generation, fence::text FROM here`;
  if (!found) throw new Error('The log has no position.');
  return encodePosition({ generation: found.generation, xid: found.fence, seq: '0' });
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
export const readVersionedRows = (
  client: Client,
  { companyId }: Tenant,
  { table, after, limit }: RowsRead,
): Promise<VersionedRow[]> =>
  client.$queryRaw<VersionedRow[]>`
    SELECT stored.id::text AS id, to_jsonb(stored) AS stored, coalesce((
      SELECT seq FROM changes
      WHERE company_id = ${companyId}::uuid AND row_id = stored.id AND table_name = ${table} ORDER BY seq DESC LIMIT 1
    ), 0)::text AS version
    FROM ${Prisma.raw(`"${table}"`)} AS stored
    WHERE stored.${Prisma.raw(companyColumn(table))} = ${companyId}::uuid AND stored.id > ${after}::uuid
    ORDER BY stored.id LIMIT ${limit}`;
