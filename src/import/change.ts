// Changes of stored imports, in the transaction of a request.
import type { Context } from '../context.ts';
import { Prisma } from '../database/generated/client/client.ts';
import { conflict } from '../errors.ts';
import { addJob } from '../jobs/index.ts';
import { fromTheStart, importFile } from './job.ts';
import { deleteErrorRows } from './parts.ts';
import type { ImportOptions, StoredImport } from './stored.ts';
import { beginTakingBack, hasBegun } from './take-back.ts';

/** Options as JSON, which leaves out what is undefined. */
const asJson = (options: ImportOptions): Prisma.InputJsonObject =>
  JSON.parse(JSON.stringify(options)) as Prisma.InputJsonObject;

/** Locks an import until the end of the transaction. */
export async function lockImport(id: string, { caller, unscopedDb }: Context): Promise<void> {
  await unscopedDb.$queryRaw`
    SELECT FROM imports WHERE company_id = ${caller.companyId}::uuid AND id = ${id}::uuid FOR UPDATE`;
}

/** Stores a new import of the caller, which waits for its file. @returns its id */
export async function addImport(type: string, options: ImportOptions, { caller, db }: Context): Promise<string> {
  const { userId, kind, id: tokenId } = caller;
  const data = { type, userId, options: asJson(options), tokenId: kind === 'token' ? tokenId : null };
  return (await db.import.create({ data })).id;
}

/** @throws ServiceError CONFLICT where its file, or how that is read, can no longer be changed */
export function assertOpen(row: StoredImport): void {
  if (hasBegun(row)) throw conflict('Rows of this import have been written: make another one.');
  if (row.status === 'CHECKING') throw conflict('The file of this import is being checked.');
}

/** Has the file of an import checked. */
export async function checkFile(row: StoredImport, context: Context, data: Prisma.ImportUpdateInput): Promise<void> {
  await context.db.import.update({ where: { id: row.id }, data: { ...data, status: 'CHECKING' } });
  await queue(row, context);
}

/** Changes how the file of an import is read, which checks it again. @throws ServiceError CONFLICT */
export async function changeOptions(row: StoredImport, options: ImportOptions, context: Context): Promise<void> {
  assertOpen(row);
  const data = { options: asJson(options) };
  if (row.fileBytes === null) await context.db.import.update({ where: { id: row.id }, data });
  else await checkFile(row, context, data);
}

/** Begins to write the rows of an import, or goes on where that failed. @throws ServiceError CONFLICT */
export async function beginImport(row: StoredImport, context: Context): Promise<void> {
  const { status, refused, options, firstXid, takenBack, kept } = row;
  const goesOn = status === 'FAILED' && firstXid !== null;
  // The rows that it goes on with would follow ones that are gone.
  if (goesOn && (takenBack > 0 || kept))
    throw conflict('Rows of this import were taken back: it can only be cancelled.');
  if (status !== 'CHECKED' && !goesOn)
    throw conflict(`Only an import that was checked can begin: this one is ${status.toLowerCase()}.`);
  if (!goesOn && refused > 0 && options.handling === 'strict')
    throw conflict(
      `${refused} rows have errors. Correct the file and send it again, or set handling to lenient to write the others.`,
    );
  if (!goesOn) await deleteErrorRows(context.unscopedDb, row);
  const data = goesOn ? { status: 'IMPORTING' as const, error: Prisma.DbNull, finishedAt: null } : fromTheStart;
  await context.db.import.update({ where: { id: row.id }, data });
  await queue(row, context);
}

/** Cancels an import: takes back what it has written. @throws ServiceError GONE where the log no longer has that */
export async function cancelImport(row: StoredImport, context: Context): Promise<void> {
  if (row.status === 'CANCELLED' || row.status === 'CANCELLING') return;
  if (await beginTakingBack(row, context.unscopedDb)) await queue(row, context);
}

/** Has a job go on with an import, once the transaction is committed. */
async function queue({ companyId, id: importId, userId }: StoredImport, { unscopedDb }: Context): Promise<void> {
  await addJob(unscopedDb, importFile, { companyId, payload: { importId }, createdBy: userId });
}
