import { type Client, columns, type LoggedChange, type LoggedRow, type Tenant, toChange } from './log.ts';
import type { Position } from './position.ts';

/** How many earlier changes of a row are examined: as many as others may have written while one transaction ran. */
const maxExamined = 1000;

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
  const rows = await client.$queryRaw<LoggedRow[]>`
    SELECT ${columns} FROM (
      SELECT given.row_id AS read_id, max(given.seq) AS read_seq
      FROM unnest(${page.map(({ rowId }) => rowId)}::uuid[], ${page.map(({ seq }) => seq)}::bigint[]) AS given (row_id, seq)
      GROUP BY read_id
    ) AS read CROSS JOIN LATERAL (
      SELECT * FROM changes AS earlier
      WHERE company_id = ${companyId}::uuid AND earlier.row_id = read_id AND earlier.seq < read_seq
      ORDER BY earlier.seq DESC LIMIT ${maxExamined}
    ) AS changes
    WHERE (changes.xid, changes.seq) > (${end.xid}::bigint, ${end.seq}::bigint)
    ORDER BY changes.seq`;
  return rows.map(toChange);
}
