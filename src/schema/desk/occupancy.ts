import type { Context } from '../../context.ts';
import { Prisma, type WorkspaceRecord } from '../../database/generated/client/client.ts';
import type { TenantClient } from '../../database/tenant.ts';
import { lockRows, today } from '../../resource/index.ts';

/** The desk that a record occupies: its own, until its last day is over. */
export const findOccupiedDesk = ({
  deskId,
  endDate,
}: Partial<Pick<WorkspaceRecord, 'deskId' | 'endDate'>>): string | null =>
  deskId && (!endDate || endDate >= today()) ? deskId : null;

/**
 * Locks desks before records change their occupants. Locking them first and in order avoids deadlocks between
 * concurrent swaps of desks.
 */
export const lockDesks = (ids: readonly (string | null)[], context: Context): Promise<void> =>
  lockRows(
    'Desk',
    ids.filter((id) => id !== null),
    context,
  );

/** Marks the locked desk `from` as free and `to` as assigned. */
export async function moveOccupant(from: string | null, to: string | null, db: TenantClient): Promise<void> {
  if (from === to) return;
  if (from) await db.desk.update({ where: { id: from }, data: { isAssigned: false } });
  if (to) await db.desk.update({ where: { id: to }, data: { isAssigned: true } });
}

/**
 * The SQL that frees the desks of records whose last day is over. Like all writes, it locks the record before the desk.
 */
export const freeDesksSql = ({
  ofCompany,
  day,
}: {
  readonly ofCompany: Prisma.Sql;
  readonly day: Prisma.Sql;
}): Prisma.Sql[] => [
  Prisma.sql`ended_records AS (
    SELECT id, active_desk_id FROM workspace_records
    WHERE ${ofCompany} AND active_desk_id IS NOT NULL AND end_date < ${day} ORDER BY id FOR NO KEY UPDATE)`,
  Prisma.sql`left_records AS (
    UPDATE workspace_records SET active_desk_id = NULL, updated_at = now()
    WHERE ${ofCompany} AND id IN (SELECT id FROM ended_records))`,
  Prisma.sql`freed_desks AS (
    UPDATE desks SET is_assigned = false, updated_at = now()
    WHERE ${ofCompany} AND id IN (SELECT active_desk_id FROM ended_records))`,
];
