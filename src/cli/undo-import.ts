import { type Command, InvalidArgumentError, Option } from 'commander';
import { commandLine, recordSecurityEvent } from '../auth/security-log.ts';
import { findMainCompanyId } from '../auth/sessions/people.ts';
import type { PrismaClient } from '../database/generated/client/client.ts';
import { type Database, runAs } from '../database/index.ts';
import { findImportInLog, type LoggedImport } from '../events/find-import.ts';
import { type KeptRow, type UndoPosition, undoChanges } from '../events/undo.ts';
import { isUuid } from '../formats.ts';
import { assertLogged, beginTakingBack, type StoredImport, storedImport, takeBack } from '../import/index.ts';
import { findCompanyOrSandbox, print, withDatabase } from './common.ts';

interface Options {
  readonly company: string;
  readonly import: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** An import whose rows are taken back. */
interface Found {
  readonly companyId: string;
  /** What is stored of one that the API has made, for 30 days. */
  readonly stored?: StoredImport | undefined;
  /** What the log has of it; undefined where it has written nothing. */
  readonly logged?: LoggedImport | undefined;
}

/** What became of the rows. */
interface Counts {
  readonly rows: number;
  readonly kept: number;
}

/** Adds the command that takes back what an import has written. */
export function addUndoImportCommand(program: Command): void {
  program
    .command('undo-import')
    .description(
      'take back what an import has written, by the API or the command line: new rows are deleted, changed ones have ' +
        'their values from before; rows that others have changed since or refer to are listed, and kept; exit with 1 ' +
        'if there are any',
    )
    .requiredOption('--company <slug>', 'slug or id of the company')
    .addOption(new Option('--import <id>', 'id of the import').argParser(parseId).makeOptionMandatory())
    .addOption(new Option('--dry-run', 'only count what would be taken back').conflicts('yes'))
    .option('--yes', 'take it back')
    .action((options: Options) =>
      withDatabase(program, async (prisma, { database }) => {
        const { dryRun = false, yes = false } = options;
        if (!dryRun && !yes) throw new Error('begin with --dry-run, and take back with --yes');
        const found = await findImport(prisma, options);
        const { rows, kept } = dryRun ? await tryUndo(prisma, found) : await undo(database, found, options.import);
        const verb = dryRun ? 'Would take back' : 'Took back';
        print(`${verb} ${rows} rows; ${kept} ${dryRun ? 'would be' : 'were'} kept.`);
        if (kept > 0) process.exitCode = 1;
      }),
    );
}

/** @throws InvalidArgumentError */
function parseId(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be a UUID.');
  return text.toLowerCase();
}

/** @throws Error when there is no such company, or no such import of it, or it was taken back */
async function findImport(prisma: PrismaClient, { company, import: id }: Options): Promise<Found> {
  const { id: companyId } = await findCompanyOrSandbox(prisma, company);
  const row = await prisma.import.findUnique({ where: { companyId_id: { companyId, id } } });
  const stored = row ? storedImport(row) : undefined;
  if (stored?.status === 'CANCELLED') throw new Error('the import was taken back, or cancelled before it began');
  const logged = await findImportInLog(prisma, { companyId }, id);
  if (!stored && !logged) throw new Error(`there is no import ${id}, or the log of changes no longer has it`);
  if (stored) await assertLogged(prisma, stored);
  else if (await prisma.changeHorizon.count({ where: { companyId } }))
    print('The oldest changes are no longer in the log: what the import wrote in them would be kept, and not listed.');
  return { companyId, stored, logged };
}

/** Takes an import back, and records that in the security log. */
async function undo(database: Database, found: Found, id: string): Promise<Counts> {
  const { prisma } = database;
  const { companyId, stored, logged } = found;
  const mainId = await findMainCompanyId(prisma, companyId);
  const userId = stored?.userId ?? logged?.userId;
  const event = { actor: commandLine, companyId: mainId, ...(userId && { personId: userId }) };
  const details = { import: id, live: mainId === companyId };
  // Before anything is taken back, as that takes many transactions and the command may be killed.
  await recordSecurityEvent(prisma, { ...event, action: 'undo_started', details });
  const work = () => (stored ? undoStored(database, stored) : undoLogged(database, found));
  const counts = await runAs({ kind: 'command_line', undoes: id }, work);
  await recordSecurityEvent(prisma, { ...event, action: 'import_undone', details: { ...details, ...counts } });
  return counts;
}

/** Takes an import of the API back, which also shows it there. */
async function undoStored(database: Database, { companyId, id }: StoredImport): Promise<Counts> {
  const { prisma, transaction } = database;
  const where = { companyId_id: { companyId, id } };
  const row = await transaction(async () => {
    await prisma.$queryRaw`SELECT FROM imports WHERE company_id = ${companyId}::uuid AND id = ${id}::uuid FOR UPDATE`;
    const row = storedImport(await prisma.import.findUniqueOrThrow({ where }));
    return (await beginTakingBack(row, prisma)) ? row : undefined;
  });
  if (row) await takeBack(row, database);
  const { takenBack, kept } = storedImport(await prisma.import.findUniqueOrThrow({ where }));
  for (const each of kept?.rows ?? []) printKept(each);
  return { rows: takenBack, kept: kept?.count ?? 0 };
}

/** Takes an import back of which the log alone knows. */
const undoLogged = ({ prisma, transaction }: Database, found: Found): Promise<Counts> =>
  inParts(found, (tenant, logged, before) => transaction(() => undoChanges(prisma, tenant, logged, { before })));

/** Finds what would be taken back. */
function tryUndo(prisma: PrismaClient, found: Found): Promise<Counts> {
  const gone = new Set<string>();
  return inParts(found, (tenant, logged, before) => undoChanges(prisma, tenant, logged, { before, gone }));
}

async function inParts(
  { companyId, logged }: Found,
  take: (
    tenant: Pick<Found, 'companyId'>,
    logged: LoggedImport,
    before: UndoPosition | undefined,
  ) => ReturnType<typeof undoChanges>,
): Promise<Counts> {
  const counts = { rows: 0, kept: 0 };
  if (!logged) return counts;
  let before: UndoPosition | undefined;
  do {
    const { count, kept, next } = await take({ companyId }, logged, before);
    counts.rows += count;
    counts.kept += kept.length;
    kept.forEach(printKept);
    before = next;
  } while (before);
  return counts;
}

const printKept = ({ table, rowId, reason }: KeptRow) => print(['kept', table, rowId, reason].join('\t'));
