// What imports do without a request: a job checks the file, writes its rows, or takes them back.
import { type Context, createContext } from '../context.ts';
import { Prisma } from '../database/generated/client/client.ts';
import { type Actor, runAs } from '../database/index.ts';
import { ServiceError } from '../errors.ts';
import type { UndoPosition } from '../events/undo.ts';
import { defineJob, type GivenUpJob, type JobData, type JobRun } from '../jobs/index.ts';
import { errorsHeader, errorsRows } from './errors-file.ts';
import { Left, move } from './moves.ts';
import { addErrors, deleteErrorRows, deleteParts, openStoredFile } from './parts.ts';
import { type OnColumns, type PreparedImport, prepareImport, reopenImport } from './prepare.ts';
import { type PageReport, runImport } from './run.ts';
import {
  describeFile,
  type ImportError,
  knownOf,
  maxShown,
  resourceOfType,
  type StoredImport,
  storedImport,
  targetOf,
} from './stored.ts';
import { takeBack } from './take-back.ts';

/** Does what is next of an import. */
export const importFile = defineJob<{ readonly importId: string }>({
  kind: 'import',
  pauses: [1, 10, 60, 300, 900],
  async run({ importId }, job) {
    try {
      for (let row = await read(importId, job); row; row = await read(importId, job)) {
        const step = steps[row.status];
        if (!step) return;
        await runAs(actorOf(row), () => step(row, job));
      }
    } catch (error) {
      if (error instanceof Left) return;
      if (!(error instanceof ServiceError) || job.signal.aborted) throw error;
      await fail(importId, { message: error.reason, details: error.fieldErrors }, job);
    }
  },
  onGivenUp: ({ importId }, job) => endGivenUp(importId, job),
});

type Step = (row: StoredImport, job: JobRun) => Promise<void>;

const steps: Partial<Record<StoredImport['status'], Step>> = {
  CHECKING: check,
  IMPORTING: write,
  CANCELLING: cancel,
};

async function read(id: string, { companyId, database: { prisma } }: JobRun): Promise<StoredImport | undefined> {
  const row = await prisma.import.findUnique({ where: { companyId_id: { companyId, id } } });
  return row ? storedImport(row) : undefined;
}

/** Who its writes are of, in histories and in the feed. */
const actorOf = ({ id, userId, tokenId, status }: StoredImport): Actor => ({
  ...(tokenId === null ? { kind: 'session' } : { kind: 'token', id: tokenId }),
  user_id: userId,
  ...(status === 'CANCELLING' ? { undoes: id } : { imports: id }),
});

/** Ends an import whose job is given up, unless another one goes on with it. */
async function endGivenUp(id: string, job: GivenUpJob): Promise<void> {
  const { companyId, database } = job;
  const { prisma } = database;
  // Two jobs that are given up at once find each other.
  const [row] = await prisma.$queryRaw<{ hasBegun: boolean; status: string }[]>`
    SELECT first_xid IS NOT NULL AS "hasBegun", status::text FROM imports
    WHERE company_id = ${companyId}::uuid AND id = ${id}::uuid FOR UPDATE`;
  const [other] = await prisma.$queryRaw<object[]>`
    SELECT 1 FROM jobs WHERE company_id = ${companyId}::uuid AND kind = ${importFile.kind} AND state = 'pending'
      AND id <> ${job.id}::uuid AND payload->>'importId' = ${id} LIMIT 1`;
  if (!row || other) return;
  const goOn = row.hasBegun ? waysOn.begun : waysOn.unbegun;
  const next = row.status === 'cancelling' ? waysOn.cancelling : goOn;
  await fail(id, { message: `The service failed in all attempts; its log may say why. ${next}` }, job);
}

/** How a client goes on with an import that nothing is wrong with. */
const waysOn = {
  begun: 'Set the status to importing to go on where it was.',
  unbegun: 'Nothing is written: send the file again, or change how it is read, to have it checked again.',
  cancelling: 'Set the status to cancelled to go on with taking back what it has written.',
};

async function fail(id: string, error: ImportError, { companyId, database: { prisma } }: GivenUpJob): Promise<void> {
  await prisma.import.updateMany({
    where: { companyId, id, status: { in: ['CHECKING', 'IMPORTING', 'CANCELLING'] } },
    data: { status: 'FAILED', error: asJson(error), finishedAt: new Date() },
  });
}

/** A value that is stored as JSON. */
const asJson = (value: object): Prisma.InputJsonObject => value;

/** Finds out what the file is, and the errors of all rows. */
async function check(row: StoredImport, job: JobRun): Promise<void> {
  const { prisma } = job.database;
  await job.database.transaction(async () => {
    await move(row, job.database.prisma, 'CHECKING', {
      ...{ found: Prisma.DbNull, error: Prisma.DbNull, refusals: [], finishedAt: null },
      ...{ done: 0, created: 0, updated: 0, unchanged: 0, refused: 0 },
    });
    await deleteParts(prisma, row, 'errors');
  });
  const keepFound = async (file: Parameters<typeof describeFile>[0]) =>
    move(row, prisma, 'CHECKING', { found: asJson(await describeFile(file)) });
  const prepared = await prepare(row, job, keepFound);
  await keepFound(prepared);
  await addErrors(prisma, row, 0, errorsHeader(prepared.table));
  const onPage = (report: PageReport) => job.database.transaction(() => note(row, job, prepared, report));
  await finish(runImport(prepared, { dryRun: true, context: () => contextOf(row, job), onPage }));
  const { refused = 0 } = (await read(row.id, job)) ?? {};
  const goesOn = row.options.autoStart && (refused === 0 || row.options.handling === 'lenient');
  await job.database.transaction(() =>
    goesOn ? begin(row, job) : move(row, job.database.prisma, 'CHECKING', { status: 'CHECKED' }),
  );
}

/** Lets the rows of an import be written, once they were checked. */
async function begin(row: StoredImport, job: JobRun): Promise<void> {
  await move(row, job.database.prisma, 'CHECKING', fromTheStart);
  await deleteErrorRows(job.database.prisma, row);
}

/** An import whose first row is to be written. */
export const fromTheStart = {
  ...{ status: 'IMPORTING', refusals: [], error: Prisma.DbNull },
  ...{ done: 0, created: 0, updated: 0, unchanged: 0, refused: 0 },
} as const satisfies Prisma.ImportUpdateManyMutationInput;

/** Writes the rows that no earlier attempt has. */
async function write(row: StoredImport, job: JobRun): Promise<void> {
  const prepared = await prepare(row, job);
  const onPage = (report: PageReport) => note(row, job, prepared, report);
  const context = () => contextOf(row, job);
  await finish(runImport(prepared, { dryRun: false, from: row.done, context, onPage }));
  await job.database.transaction(async () => {
    await move(row, job.database.prisma, 'IMPORTING', { status: 'IMPORTED', finishedAt: new Date() });
    await deleteParts(job.database.prisma, row, 'file');
  });
}

/** Takes all pages, which `onPage` notes. */
async function finish(pages: AsyncGenerator): Promise<void> {
  while (!(await pages.next()).done);
}

/** Opens the file; once it was checked, by what was found out then. */
async function prepare(
  row: StoredImport,
  { api, database, companyId }: JobRun,
  onColumns?: OnColumns,
): Promise<PreparedImport> {
  const { options, found } = row;
  const target = targetOf(resourceOfType(row.type, api), options);
  const { timeZone } = await database.prisma.company.findUniqueOrThrow({ where: { id: companyId } });
  const file = openStoredFile(database.prisma, row, row.fileBytes ?? 0);
  return found?.rows != null && row.status !== 'CHECKING'
    ? reopenImport(file, target, { ...options, ...knownOf(found), rows: found.rows }, { api, timeZone })
    : prepareImport(file, target, options, { api, timeZone, ...(onColumns && { onColumns }) });
}

/** Notes a page, in the transaction that writes it. */
async function note(
  { companyId, id, status }: StoredImport,
  job: JobRun,
  { table }: PreparedImport,
  { done, created, updated, unchanged, refused }: PageReport,
): Promise<void> {
  const { prisma } = job.database;
  await job.setProgress({ done });
  const shown = refused.slice(0, maxShown).map(({ row: { line }, errors }) => ({ line, errors }));
  // What is rolled back needs no place in the log.
  const wrote = status === 'IMPORTING';
  const noted = await prisma.$executeRaw`
    UPDATE imports SET done = ${done}::int, created = created + ${created}::int, updated = updated + ${updated}::int,
      unchanged = unchanged + ${unchanged}::int, refused = refused + ${refused.length}::int,
      refusals = CASE WHEN jsonb_array_length(refusals) < ${maxShown}::int
                      THEN refusals || ${JSON.stringify(shown)}::jsonb ELSE refusals END,
      first_xid = CASE WHEN ${wrote} THEN coalesce(first_xid, current_change_number()) ELSE first_xid END,
      last_xid = CASE WHEN ${wrote} THEN current_change_number() ELSE last_xid END
    WHERE company_id = ${companyId}::uuid AND id = ${id}::uuid AND status::text = ${status.toLowerCase()}`;
  if (noted === 0) throw new Left();
  if (refused.length > 0) await addErrors(prisma, { companyId, id }, done, errorsRows(table, refused));
}

/** Takes back what was written, from where an earlier attempt has come to. */
async function cancel(row: StoredImport, { database, progress, setProgress }: JobRun): Promise<void> {
  const onPart = (next: UndoPosition) => setProgress(next as UndoPosition & JobData);
  await takeBack(row, database, { before: reached(progress), onPart });
}

/** How far an earlier attempt to take an import back came; what it has written is not taken back from there on. */
const reached = (progress: unknown): UndoPosition | undefined =>
  typeof progress === 'object' && progress !== null && 'xid' in progress ? (progress as UndoPosition) : undefined;

/**
 * The context of who made an import, with the role and the scopes that they have now.
 *
 * @throws ServiceError FORBIDDEN once their token or their access has ended
 */
async function contextOf({ companyId, tokenId }: StoredImport, job: JobRun): Promise<Context> {
  job.signal.throwIfAborted();
  const context = await job.context();
  if (!context) throw new ServiceError('FORBIDDEN', 'The person who made the import is deactivated.');
  if (tokenId === null) return context;
  const token = await job.database.prisma.apiToken.findFirst({
    where: { companyId, id: tokenId, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
    select: { scopes: true },
  });
  if (!token) throw new ServiceError('FORBIDDEN', 'The token that made the import has expired or was revoked.');
  const caller = { ...context.caller, id: tokenId, scopes: token.scopes };
  return createContext(job.database, { ...context, caller });
}
