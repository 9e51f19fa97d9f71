import { type Client, columns, type LoggedChange, type Tenant, toChange } from './log.ts';
import type { Position } from './position.ts';

/**
 * Reads the changes after a page of the log that happened before changes of the same rows on the page. The log is in
 * the order in which transactions began, and the first of two can be the last to write a row. `seq` is in the order of
 * a row's changes.
 *
 * @param page the changes of the page
 * @param end where the page ends
 */
export async function readOutOfOrderChanges(
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
