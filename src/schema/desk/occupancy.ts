import type { Context } from '../../context.ts';
import { Prisma, type WorkspaceRecord } from '../../database/generated/client/client.ts';
import { conflict } from '../../errors.ts';
import { lockRows, type StaleUpdate, staleRowsAtOnce, today, updateAllBySystem } from '../../resource/index.ts';
import { hasRule } from '../company-rules.ts';
import { Desk } from './desk.ts';
import { findOverlaps, periodOf } from './overlaps.ts';

/** The columns of a record that set its desk and its period. */
type Assignment = Partial<Pick<WorkspaceRecord, 'deskId' | 'startDate' | 'endDate'>>;

/** The desk that a record occupies today: its own, from its first to its last day. */
export function findOccupiedDesk({ deskId, startDate, endDate }: Assignment, context: Context): string | null {
  const day = today(context);
  return deskId && (!startDate || startDate <= day) && (!endDate || endDate >= day) ? deskId : null;
}

/** Whether an update moves a record to another desk or period. */
export const isMoved = (previous: Assignment, next: Assignment): boolean =>
  (['deskId', 'startDate', 'endDate'] as const).some(
    (column) => previous[column]?.valueOf() !== next[column]?.valueOf(),
  );

/**
 * Rejects a record, whose desk is locked, if its period overlaps another one of the desk. This is SQL, for which the
 * scoped client has no method.
 *
 * @throws ServiceError CONFLICT
 */
export async function assertNoOverlap(row: WorkspaceRecord, { unscopedDb }: Context): Promise<void> {
  if ((await findOverlaps(unscopedDb, row)).length === 0) return;
  throw conflict('Another workspace record has this desk in the same period.', { deskId: alreadyOccupied });
}

/**
 * Rejects a record if its user has another desk in its period, where the company does not allow that. The user is
 * locked, so that of two records at the same time one is rejected.
 *
 * @throws ServiceError CONFLICT
 */
export async function assertSingleDesk(row: WorkspaceRecord, context: Context): Promise<void> {
  if (row.deskId === null || !(await hasRule('singleDesk', context))) return;
  await lockRows('User', [row.userId], context);
  const [other] = await findOverlaps(context.unscopedDb, row, 'user');
  if (!other) return;
  throw conflict(`The workspace record ${other.otherId} gives this user another desk in the same period.`, {
    userId: `has another desk in a part of this period, by the workspace record ${other.otherId}`,
  });
}

/** The message of a CONFLICT about a desk. */
export const alreadyOccupied = 'is taken for a part of this period';

/**
 * Locks desks before records change their occupants. Locking them first and in order avoids deadlocks between
 * concurrent swaps of desks.
 */
export const lockDesks = (ids: readonly (string | null | undefined)[], context: Context): Promise<void> =>
  lockRows(
    'Desk',
    ids.filter((id) => id != null),
    context,
  );

/** Marks the locked desk `from` as free and `to` as assigned. */
export async function moveOccupant(from: string | null, to: string | null, context: Context): Promise<void> {
  if (from === to) return;
  // Somebody may have marked a desk by hand.
  if (from) await updateAllBySystem(Desk, { id: from, isAssigned: true }, { isAssigned: false }, context);
  if (to) await updateAllBySystem(Desk, { id: to, isAssigned: false }, { isAssigned: true }, context);
}

/**
 * The SQL that frees the desks of records whose period is over, and assigns those of records whose period begins. Like
 * all writes, it locks the record before the desk.
 */
export const moveOccupantsSql = ({
  ofCompany,
  day,
}: {
  readonly ofCompany: Prisma.Sql;
  readonly day: Prisma.Sql;
}): StaleUpdate => ({
  steps: [
    Prisma.sql`ended_records AS (
    SELECT id, active_desk_id FROM workspace_records record
    WHERE ${ofCompany} AND active_desk_id IS NOT NULL AND NOT ${periodOf('record')} @> ${day}
    ORDER BY id LIMIT ${staleRowsAtOnce} FOR NO KEY UPDATE)`,
    Prisma.sql`left_records AS (
    UPDATE workspace_records SET active_desk_id = NULL
    WHERE ${ofCompany} AND id IN (SELECT id FROM ended_records) RETURNING id)`,
    // Overlapping records are older than the rule against them: one of them has the desk.
    Prisma.sql`begun_records AS (
    SELECT DISTINCT ON (desk_id) id FROM workspace_records record
    WHERE ${ofCompany} AND active_desk_id IS NULL AND desk_id IS NOT NULL AND ${periodOf('record')} @> ${day}
      AND desk_id NOT IN (
        SELECT active_desk_id FROM workspace_records
        WHERE ${ofCompany} AND active_desk_id IS NOT NULL AND id NOT IN (SELECT id FROM ended_records))
    ORDER BY desk_id, id LIMIT ${staleRowsAtOnce})`,
    // The count makes this step wait for the records that end, as a desk can have only one active record. The
    // conditions are checked again for a row that somebody has just changed.
    Prisma.sql`entered_records AS (
    UPDATE workspace_records AS record SET active_desk_id = desk_id
    WHERE ${ofCompany} AND id IN (SELECT id FROM begun_records) AND (SELECT count(*) FROM left_records) >= 0
      AND active_desk_id IS NULL AND desk_id IS NOT NULL AND ${periodOf('record')} @> ${day}
    RETURNING desk_id)`,
    Prisma.sql`moved_desks AS (
    UPDATE desks SET is_assigned = NOT is_assigned, updated_at = now()
    WHERE ${ofCompany} AND is_assigned <> (id IN (SELECT desk_id FROM entered_records)) AND id IN (
      SELECT active_desk_id FROM ended_records UNION ALL SELECT desk_id FROM entered_records))`,
    Prisma.sql`moved_records AS (SELECT id FROM left_records UNION ALL SELECT desk_id FROM entered_records)`,
  ],
  updated: Prisma.raw('moved_records'),
});
