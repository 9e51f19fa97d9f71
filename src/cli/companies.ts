import { open, rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { createCompany } from '../auth/accounts.ts';
import { deleteCompany } from '../auth/company-deletion.ts';
import { exportCompany } from '../auth/company-export.ts';
import { commandLine, recordSecurityEvent } from '../auth/security-log.ts';
import { normalizeSlug } from '../formats.ts';
import { type Api, createRefresher } from '../resource/index.ts';
import { companyOption, findCompany, print, withDatabase } from './common.ts';

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
      'export the data of a company, without secrets and without its sandbox, to a ZIP archive of NDJSON files',
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
          await exportCompany(database, companyId, file, exportTimeoutMs);
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
