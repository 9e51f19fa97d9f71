import { type Client, columns, type LoggedChange, type Tenant, toChange } from './log.ts';
import type { Position } from './position.ts';

/**
 * Reads the changes after a page of the log that are earlier changes of rows on it. The log is in the order of
 * transactions, and one that begins first can write a row last; of one row, the numbers of its changes are in order.
 *
 * @param page the changes of the page
 * @param end where the page ends
 */
export async function readOvertaken(
  client: Client,
  { companyId }: Tenant,
  page: readonly LoggedChange[],
  end: Position,
): Promise<LoggedChange[]> {
  const rows = await client.$queryRaw<LoggedChange[]>`
    SELECT ${columns} FROM changes WHERE company_id = ${companyId}::uuid AND (changes.xid, changes.seq) IN (
      SELECT other.xid, other.seq
      FROM unnest(${page.map(({ rowId }) => rowId)}::uuid[], ${page.map(({ seq }) => seq)}::bigint[]) AS read (row_id, seq)
      JOIN changes AS other ON other.company_id = ${companyId}::uuid AND other.row_id = read.row_id AND other.seq < read.seq
      WHERE (other.xid, other.seq) > (${end.xid}::bigint, ${end.seq}::bigint)
    )
    ORDER BY changes.seq`;
  return rows.map(toChange);
}
