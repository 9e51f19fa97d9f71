import { Prisma } from '../database/generated/client/client.ts';
import { type Client, columns, here, type LoggedChange, type StoredRow, type Tenant, toChange } from './log.ts';
import { encodePosition, type Position } from './position.ts';

/** Reads the position from which the log goes on: all changes before it can be read. */
export async function readPosition(client: Client): Promise<string> {
  const [found] = await client.$queryRaw<{ generation: string; fence: string }[]>`
    WITH ${here} SELECT generation, fence::text FROM here`;
  if (!found) throw new Error('The log has no position.');
  return encodePosition({ generation: found.generation, xid: found.fence, seq: '0' });
}

/** A row as the database has it, and its latest change. */
export interface VersionedRow {
  readonly id: string;
  /** The `seq` of the change; 0 if the log has none. */
  readonly version: string;
  readonly stored: StoredRow;
}

/** Which rows of a table are read. */
interface RowsRead {
  readonly table: string;
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
    WHERE stored.${Prisma.raw(table === 'companies' ? 'id' : 'company_id')} = ${companyId}::uuid AND stored.id > ${after}::uuid
    ORDER BY stored.id LIMIT ${limit}`;

/** A row of some table. */
export interface RowPlace {
  readonly table: string;
  readonly id: string;
}

/**
 * Reads the changes of rows that have some which follow a position already, from the first of these on. Transactions
 * end in another order than they begin, so a row can have later changes that precede the position.
 *
 * @param after only rows after this one
 * @param limit the most rows
 * @returns the changes in the order of their versions, and the last of the rows, if there may be more
 */
export async function readUnsettled(
  client: Client,
  { companyId }: Tenant,
  { position, tables, after, limit }: { position: Position; tables: readonly string[]; after: RowPlace; limit: number },
): Promise<{ changes: LoggedChange[]; last?: RowPlace }> {
  const rows = await client.$queryRaw<LoggedChange[]>`
    WITH unsettled AS (
      SELECT row_id AS id, table_name AS name, min(seq) AS low FROM changes
      WHERE company_id = ${companyId}::uuid AND xid >= ${position.xid}::bigint AND table_name = ANY(${[...tables]})
        AND (row_id, table_name) > (${after.id}::uuid, ${after.table})
      GROUP BY row_id, table_name ORDER BY row_id, table_name LIMIT ${limit}
    )
    SELECT ${columns} FROM changes JOIN unsettled ON row_id = unsettled.id AND table_name = unsettled.name
    WHERE company_id = ${companyId}::uuid AND seq >= unsettled.low
    ORDER BY row_id, table_name, changes.seq`;
  const found = new Set(rows.map(({ table, rowId }) => `${rowId} ${table}`));
  const last = rows.at(-1);
  return {
    changes: rows.map(toChange),
    ...(last && found.size === limit && { last: { table: last.table, id: last.rowId } }),
  };
}
