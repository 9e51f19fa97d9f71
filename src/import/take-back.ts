// Takes back what an import has written, by the log of changes.
import { Prisma } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';
import { ServiceError } from '../errors.ts';
import { type UndoPosition, undoChanges } from '../events/undo.ts';
import { Left, move } from './moves.ts';
import { deleteParts } from './parts.ts';
import { maxShown, type StoredImport } from './stored.ts';

/** Whether rows of an import may have been written. */
export const hasBegun = ({ status, firstXid }: StoredImport): boolean =>
  firstXid !== null || ['IMPORTING', 'IMPORTED', 'CANCELLING', 'CANCELLED'].includes(status);

/**
 * Lets an import be taken back, or cancels one that has written nothing, in the current transaction.
 *
 * @returns whether there is something to take back
 * @throws ServiceError GONE where the log no longer has what was written
 */
export async function beginTakingBack(row: StoredImport, client: Prisma.TransactionClient): Promise<boolean> {
  const { companyId, id, firstXid } = row;
  const begun = hasBegun(row);
  if (begun) await assertLogged(client, { companyId, firstXid });
  await client.import.update({
    where: { companyId_id: { companyId, id } },
    data: begun
      ? { status: 'CANCELLING', error: Prisma.DbNull, finishedAt: null }
      : { status: 'CANCELLED', finishedAt: new Date() },
  });
  if (!begun) await deleteParts(client, row);
  return begun;
}

/** @throws ServiceError GONE where the log no longer has what an import has written */
export async function assertLogged(
  client: Pick<Prisma.TransactionClient, 'changeHorizon'>,
  { companyId, firstXid }: Pick<StoredImport, 'companyId' | 'firstXid'>,
): Promise<void> {
  if (firstXid === null) return;
  const gone = await client.changeHorizon.count({ where: { companyId, xid: { gte: firstXid } } });
  if (gone > 0) throw new ServiceError('GONE', 'The log of changes no longer has what the import has written.');
}

/** Where it begins, and who is told how far it is. */
export interface TakeBackOptions {
  readonly before?: UndoPosition | undefined;
  /** Called in the transaction of each part but the last. */
  readonly onPart?: (next: UndoPosition) => Promise<void>;
}

/**
 * Takes back what an import has written, part by part: each is a transaction that also notes it in the import. Deletes
 * its file.
 *
 * @throws Left if it has another status meanwhile
 */
export async function takeBack(
  row: StoredImport,
  database: Database,
  { before: begin, onPart }: TakeBackOptions = {},
): Promise<void> {
  const { prisma, transaction } = database;
  const { companyId, firstXid, lastXid } = row;
  const undo = async (before: UndoPosition | undefined): Promise<UndoPosition | undefined> => {
    if (firstXid === null || lastXid === null) return undefined;
    // Whoever else goes on with it waits, and finds nothing left.
    await prisma.$queryRaw`
      SELECT FROM imports WHERE company_id = ${companyId}::uuid AND id = ${row.id}::uuid FOR UPDATE`;
    const undoing = { imports: row.id, firstXid: String(firstXid), lastXid: String(lastXid) };
    const { count, kept, next } = await undoChanges(prisma, { companyId }, undoing, { before });
    if (next) await onPart?.(next);
    const noted = await prisma.$executeRaw`
      UPDATE imports SET taken_back = taken_back + ${count}::int,
        kept = CASE WHEN ${kept.length}::int = 0 THEN kept ELSE jsonb_build_object(
          'count', coalesce((kept->>'count')::int, 0) + ${kept.length}::int,
          'rows', jsonb_path_query_array(coalesce(kept->'rows', '[]') || ${JSON.stringify(kept)}::jsonb,
            ${`$[0 to ${maxShown - 1}]`}::jsonpath)) END
      WHERE company_id = ${companyId}::uuid AND id = ${row.id}::uuid AND status = 'cancelling'`;
    if (noted === 0) throw new Left();
    return next;
  };
  let before = begin;
  do before = await transaction(() => undo(before));
  while (before);
  await transaction(async () => {
    await move(row, prisma, 'CANCELLING', { status: 'CANCELLED', finishedAt: new Date() });
    await deleteParts(prisma, row);
  });
}
