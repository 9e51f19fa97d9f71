import { type Command, Option } from 'commander';
import { z } from 'zod';
import { commandLine, recordSecurityEvent } from '../auth/security-log.ts';
import { findMainCompanyId } from '../auth/sessions/people.ts';
import { inTransactionIf } from '../context.ts';
import type { PrismaClient } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';
import { ServiceError } from '../errors.ts';
import { findDeletedRows, findMissing } from '../events/deleted-rows.ts';
import { type DeletionTransaction, findDeletions } from '../events/deletions.ts';
import { type Api, insertExplained } from '../resource/index.ts';
import { dueReminder } from '../schema/reminder/due.ts';
import { asOptionParser, findCompanyOrSandbox, print, withDatabase } from './common.ts';

/** How long (ms) one transaction may take. */
const timeoutMs = 120_000;

interface Options {
  readonly company: string;
  readonly since: Date;
  readonly actor: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Adds the command that restores what somebody deleted. */
export function addRestoreCommand(program: Command, api: Pick<Api, 'resources'>): void {
  program
    .command('restore')
    .description(
      'restore all that a user deleted since a time, the latest deletion first and each by itself; what conflicts is ' +
        'listed, and left out; exit with 1 if there is any',
    )
    .requiredOption('--company <slug>', 'slug or id of the company')
    .addOption(
      new Option('--since <time>', 'when it began, for example 2027-01-01T08:00:00Z')
        .argParser(asOptionParser(parseTime))
        .makeOptionMandatory(),
    )
    .requiredOption('--actor <email>', 'email address of the user who deleted it')
    .addOption(new Option('--dry-run', 'only list what would be restored').conflicts('yes'))
    .option('--yes', 'restore it')
    .action((options: Options) =>
      withDatabase(program, async (prisma, { database }) => {
        if (!options.dryRun && !options.yes) throw new Error('begin with --dry-run, and restore with --yes');
        const actor = await findActor(prisma, options);
        const { since, dryRun = false } = options;
        const companyId = await findMainCompanyId(prisma, actor.companyId);
        const event = { actor: commandLine, companyId, personId: actor.userId };
        const details = { since: since.toISOString(), live: companyId === actor.companyId };
        // Before anything is restored, as each deletion has a transaction of its own and the command may be killed.
        if (!dryRun) await recordSecurityEvent(prisma, { ...event, action: 'restore_started', details });
        const counts = await restoreDeletions(database, api, actor, { since, dryRun });
        if (!dryRun)
          await recordSecurityEvent(prisma, { ...event, action: 'rows_restored', details: { ...details, ...counts } });
        if (counts.conflicts > 0) process.exitCode = 1;
      }),
    );
}

/** @throws Error for a text that is no time with a time zone */
function parseTime(text: string): Date {
  if (!z.iso.datetime({ offset: true }).safeParse(text).success)
    throw new Error('It must be a time like 2027-01-01T08:00:00Z.');
  return new Date(text);
}

/** @throws Error when there is no such company, or no such user of it */
async function findActor(prisma: PrismaClient, { company, actor }: Options) {
  const found = await findCompanyOrSandbox(prisma, company);
  const email = actor.trim().toLowerCase();
  const user = await prisma.user.findUnique({ where: { companyId_email: { companyId: found.id, email } } });
  if (!user) throw new Error(`${email} is not a member of ${company}`);
  return { companyId: found.id, userId: user.id };
}

/** Restores deletions, each in a transaction of its own. @returns how many rows came back, and deletions did not */
async function restoreDeletions(
  database: Database,
  { resources }: Pick<Api, 'resources'>,
  { companyId, userId }: { readonly companyId: string; readonly userId: string },
  { since, dryRun }: { readonly since: Date; readonly dryRun: boolean },
): Promise<{ readonly rows: number; readonly conflicts: number }> {
  const { prisma, transaction } = database;
  const tried = new Set<string>();
  const counts = { rows: 0, conflicts: 0 };
  const restore = async ({ xid, at }: DeletionTransaction) => {
    const deleted = await findDeletedRows(prisma, { companyId }, { xid });
    if (deleted.rows.length === 0) return;
    const insert = () =>
      insertExplained({ unscopedDb: prisma, transaction }, deleted, { resources, occurrences: [dueReminder] });
    try {
      await transaction(() => (dryRun ? inTransactionIf({ transaction }, () => false, insert) : insert()), {
        timeoutMs,
      });
    } catch (error) {
      // What a dry run would have restored before is not there.
      const missing = dryRun ? await findMissing(prisma, deleted) : [];
      if (missing.length === 0 || !missing.every(({ id }) => tried.has(id))) throw error;
    }
    for (const { rowId } of deleted.rows) tried.add(rowId);
    counts.rows += deleted.rows.length;
    const byTable = new Map<string, number>();
    for (const { table } of deleted.rows) byTable.set(table, (byTable.get(table) ?? 0) + 1);
    const what = [...byTable].map(([table, count]) => `${table} ${count}`).join(', ');
    print([dryRun ? 'would restore' : 'restored', at.toISOString(), what].join('\t'));
  };
  for await (const deletion of findDeletions(prisma, { companyId }, { userId, since })) {
    try {
      await restore(deletion);
    } catch (error) {
      counts.conflicts++;
      print(['conflict', deletion.at.toISOString(), describe(error)].join('\t'));
    }
  }
  print(
    `${dryRun ? 'Would restore' : 'Restored'} ${counts.rows} rows; ${counts.conflicts} deletions ${dryRun ? 'would conflict' : 'conflicted'}.`,
  );
  return counts;
}

/** What is in the way, in one line. */
function describe(error: unknown): string {
  if (!(error instanceof ServiceError)) throw error;
  const fields = Object.entries(error.fieldErrors ?? {}).map(([field, text]) => `${field} ${text}`);
  return [error.reason, ...fields].join(' ').replaceAll(/\s+/g, ' ');
}
