import type { Client, Tenant } from './log.ts';

/** A period in which a row had a status. */
export interface StatusPeriod {
  /** The status as the database has it. */
  readonly status: string;
  readonly enteredAt: Date;
  /** Null for the current status. */
  readonly leftAt: Date | null;
}

/** The most periods of a row that are read. */
const maxPeriods = 100;

/** Reads the latest periods of rows of one table. @returns them by row, in their order */
export async function readStatusPeriods(
  client: Client,
  { companyId }: Tenant,
  { table, rowIds }: { table: string; rowIds: readonly string[] },
): Promise<Map<string, StatusPeriod[]>> {
  const rows = await client.$queryRaw<(StatusPeriod & { readonly rowId: string })[]>`
    SELECT found.* FROM unnest(${[...rowIds]}::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
      SELECT row_id::text AS "rowId", status, entered_at AS "enteredAt", left_at AS "leftAt", seq::text
      FROM status_periods
      WHERE company_id = ${companyId}::uuid AND row_id = wanted.id AND table_name = ${table}
      ORDER BY status_periods.seq DESC LIMIT ${maxPeriods}
    ) AS found
    ORDER BY found.seq::bigint`;
  const periods = new Map<string, StatusPeriod[]>();
  for (const row of rows) periods.set(row.rowId, [...(periods.get(row.rowId) ?? []), row]);
  return periods;
}
