import { open, rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { createCompany } from '../auth/accounts.ts';
import { CompanyArchive } from '../auth/company-archive.ts';
import { deleteCompany } from '../auth/company-deletion.ts';
import { exportCompany } from '../auth/company-export.ts';
import { type ImportedCompany, importCompany } from '../auth/company-import.ts';
import { commandLine, recordSecurityEvent } from '../auth/security-log.ts';
import { readConfig } from '../config.ts';
import { analyzeChanged } from '../database/index.ts';
import { openFiles } from '../files/index.ts';
import { normalizeSlug } from '../formats.ts';
import { type Api, createRefresher } from '../resource/index.ts';
import { asOwner, companyOption, findCompany, print, withDatabase } from './common.ts';

/** How long (ms) an export may take. */
const exportTimeoutMs = 6 * 3_600_000;

/** Adds the commands on companies. */
export function addCompanyCommands(program: Command, { resources }: Pick<Api, 'resources'>): void {
  const company = program.command('company').description('companies');

  company
    .command('create')
    .description('create a company, and a sandbox for its test tokens')
    .requiredOption('--slug <slug>', 'short name in URLs, for example acme')
    .requiredOption('--name <name>', 'name')
    .action((options: { slug: string; name: string }) =>
      withDatabase(program, async (prisma, { database }) => {
        const { id, slug, name, sandbox } = await database.transaction(async () => {
          const created = await createCompany(prisma, options);
          await recordSecurityEvent(prisma, { action: 'company_created', actor: commandLine, companyId: created.id });
          return created;
        });
        print(`Created company ${name} (${slug}, ${id}) with the sandbox ${sandbox.slug} (${sandbox.id}).`);
      }),
    );

  company
    .command('export')
    .description(
      'export the data of a company, without secrets and without its sandbox, to a ZIP archive of NDJSON files, with ' +
        'the files that its rows hold',
    )
    .addOption(companyOption().makeOptionMandatory())
    .requiredOption('--file <path>', 'where to write the archive, for example acme.zip')
    .action((options: { company: string; file: string }) =>
      withDatabase(program, async (prisma, { database }) => {
        const { id: companyId, timeZone } = await findCompany(prisma, options.company);
        await recordSecurityEvent(prisma, { action: 'company_exported', actor: commandLine, companyId });
        await createRefresher(database, resources)({ companyId, timeZone });
        // It contains personal data.
        const file = await open(options.file, 'wx', 0o600);
        try {
          const files = openFiles(readConfig());
          const options = { timeoutMs: exportTimeoutMs };
          const { missing, withheld } = await exportCompany(database, files, companyId, file, options);
          if (withheld > 0)
            process.stderr.write(
              `Files that are without their content, as they have malware or were not scanned for it: ${withheld}.\n`,
            );
          if (missing > 0)
            process.stderr.write(
              `The store lacks ${missing} files, and so does the archive, which cannot be imported.\n`,
            );
        } catch (error) {
          await rm(options.file);
          throw error;
        } finally {
          await file.close();
        }
        print(`Exported ${options.company} to ${options.file}.`);
      }),
    );

  company
    .command('import')
    .description(
      'create a company from an archive that export has written, with its users, files, histories and logs, and an empty ' +
        'sandbox; people who are known by their email address become its users as they are',
    )
    .argument('<file>', 'the archive')
    .option('--slug <slug>', 'another short name than that of the archive', normalizeSlug)
    .action((path: string, options: { slug?: string }) =>
      withDatabase(program, async (_prisma, { database }) => {
        const archive = await CompanyArchive.open(path);
        try {
          const imported = await asOwner(database, (owner) =>
            importCompany(owner, openFiles(readConfig()), archive, options.slug),
          );
          await analyzeChanged(database);
          printImported(imported);
        } finally {
          archive.close();
        }
      }),
    );

  company
    .command('delete')
    .description('delete a company with its sandbox, and the people who belong to no other company')
    .addOption(companyOption().makeOptionMandatory())
    .requiredOption('--confirm <slug>', 'the slug again, as a confirmation', normalizeSlug)
    .action((options: { company: string; confirm: string }) =>
      withDatabase(program, async (prisma, { database }) => {
        const { id } = await findCompany(prisma, options.company);
        if (options.confirm !== options.company) throw new Error(`--confirm must be ${options.company}`);
        await deleteCompany(database, id, commandLine);
        print(`Deleted ${options.company}.`);
      }),
    );
}

/** Prints what was imported, and what has to be made again. */
function printImported({ id, slug, name, sandbox, rows, people, leftOut }: ImportedCompany): void {
  print(
    `Imported company ${name} (${slug}, ${id}): ${rows} rows, ${people.all} users, of whom ${people.known} were known.`,
  );
  print(`Its sandbox ${sandbox.slug} (${sandbox.id}) has the users alone.`);
  print('No password was imported: new people get one with "user reset-password", or by email.');
  const left = Object.entries(leftOut).map(([table, count]) => `${table} (${count})`);
  if (left.length > 0) print(`Rows that need secrets or wait to be sent were not imported: ${left.join(', ')}.`);
}
