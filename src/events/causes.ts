import type { Client, Tenant } from './log.ts';

/** Finds the traces of the requests that made changes, as their `traceparent`, without those that were not traced. */
export async function readTraceparents(
  client: Client,
  { companyId }: Tenant,
  changes: readonly { readonly xid: bigint | string; readonly seq: bigint | string }[],
): Promise<string[]> {
  const [xids, seqs] = [changes.map(({ xid }) => String(xid)), changes.map(({ seq }) => String(seq))];
  const rows = await client.$queryRaw<{ traceparent: string | null }[]>`
    SELECT found.traceparent FROM unnest(${xids}::bigint[], ${seqs}::bigint[]) AS wanted (xid, seq)
    CROSS JOIN LATERAL (
      SELECT actor->>'traceparent' AS traceparent FROM changes
      WHERE company_id = ${companyId}::uuid AND changes.xid = wanted.xid AND changes.seq = wanted.seq
      -- Each by its key: joined, PostgreSQL may compare all changes of the company with them.
      OFFSET 0
    ) AS found`;
  return [...new Set(rows.flatMap(({ traceparent }) => traceparent ?? []))];
}
