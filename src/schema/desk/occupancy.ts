import type { Context } from '../../context.ts';
import type { WorkspaceRecord } from '../../database/generated/client/client.ts';
import { type Settle, today } from '../../resource/time.ts';
import { lockRows, type Transaction } from '../../resource/writes.ts';

/** The desk that a record occupies: its own, until the day it ends is over. */
export const occupied = ({ deskId, endDate }: Partial<Pick<WorkspaceRecord, 'deskId' | 'endDate'>>): string | null =>
  deskId && (!endDate || endDate >= today()) ? deskId : null;

/**
 * Holds desks that somebody is to leave or to have, before the record says so: two who want the same one, or each the
 * other's, wait here and not for each other's records.
 */
export const holdDesks = (ids: readonly (string | null)[], context: Context, tx: Transaction): Promise<void> =>
  lockRows(
    tx,
    'Desk',
    ids.filter((id) => id !== null),
    context,
  );

/** Writes down on the desks, which are held, that somebody has left the one and has the other. */
export async function move(
  from: string | null,
  to: string | null,
  { caller: { companyId } }: Context,
  tx: Transaction,
): Promise<void> {
  if (from === to) return;
  const assign = (id: string, isAssigned: boolean) =>
    tx.desk.update({ where: { companyId_id: { companyId, id } }, data: { isAssigned }, select: { id: true } });
  if (from) await assign(from, false);
  if (to) await assign(to, true);
}

/** Frees the desks of the records whose last day is over. */
export const freeDesks: Settle = async (context, today) => {
  const {
    db,
    caller: { companyId },
  } = context;
  const over = { companyId, activeDeskId: { not: null }, endDate: { lt: today } };
  const found = await db.workspaceRecord.findMany({ where: over, select: { id: true, activeDeskId: true } });
  if (found.length === 0) return;
  await db.$transaction(async (tx) => {
    // As everywhere: first the record, then its desk.
    await lockRows(
      tx,
      'WorkspaceRecord',
      found.map(({ id }) => id),
      context,
    );
    await holdDesks(
      found.map(({ activeDeskId }) => activeDeskId),
      context,
      tx,
    );
    // Somebody may have changed them until they were held.
    const ended = await tx.workspaceRecord.findMany({
      where: { ...over, id: { in: found.map(({ id }) => id) } },
      select: { id: true, activeDeskId: true },
    });
    const where = (ids: (string | null)[]) => ({ companyId, id: { in: ids.filter((id) => id !== null) } });
    await tx.workspaceRecord.updateMany({ where: where(ended.map(({ id }) => id)), data: { activeDeskId: null } });
    await tx.desk.updateMany({
      where: where(ended.map(({ activeDeskId }) => activeDeskId)),
      data: { isAssigned: false },
    });
  });
};
