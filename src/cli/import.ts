import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { ownerContext } from '../background/owner.ts';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { type Database, runAs } from '../database/index.ts';
import { openFiles } from '../files/index.ts';

import {
  dateOrders,
  decimals,
  errorsHeader,
  errorsRows,
  type FileOptions,
  findSavedMapping,
  type Mode,
  modes,
  openFileSource,
  type PreparedImport,
  prepareImport,
  readMapping,
  runImport,
  separators,
  targetOf,
} from '../import/index.ts';
import type { Api, Resource } from '../resource/index.ts';
import { asOptionParser, companyOption, findCompany, findMember, print, withDatabase } from './common.ts';

/** What is said about the file. */
interface Given extends FileOptions {
  readonly mode: Mode;
  readonly key?: string | undefined;
  readonly handling: 'strict' | 'lenient';
}

/** Some of it may be saved. */
interface Options extends Partial<Given> {
  readonly company: string;
  readonly user: string;
  readonly resource: string;
  readonly savedMapping?: string;
  readonly errors?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Adds the command that imports a file. */
export function addImportCommand(
  program: Command,
  api: Pick<Api, 'resources' | 'storage' | 'schema' | 'listsBelow'>,
): void {
  program
    .command('import')
    .description(
      'import rows of a file: CSV, a spreadsheet (XLSX), or NDJSON; with --dry-run only find the errors of its rows; ' +
        'exit with 1 if there are any',
    )
    .argument('<file>', 'the file')
    .addOption(companyOption().makeOptionMandatory())
    .requiredOption('--user <email>', 'the user who imports it, with whose role')
    .requiredOption('--resource <path>', 'what its rows are: a path of the API, for example service-requests')
    .addOption(new Option('--mode <mode>', 'what becomes of its rows; insert by default').choices(modes))
    .option('--key <fields>', 'the field that names a stored row, or several with commas; the id by default')
    .addOption(new Option('--decimal <mark>', 'how decimals are written').choices(decimals))
    .addOption(new Option('--date-order <order>', 'how days are written').choices(dateOrders))
    .addOption(new Option('--separator <name>', 'what separates cells of CSV').choices(Object.keys(separators)))
    .option('--encoding <name>', 'the encoding of CSV or NDJSON, for example windows-1252')
    .option(
      '--mapping <json>',
      'the fields of columns, by their headers or positions: \'{"Title":"title","3":null}\'',
      asOptionParser(readMapping),
    )
    .addOption(
      new Option(
        '--handling <what>',
        'whether rows with errors keep all others from being written; strict by default',
      ).choices(['strict', 'lenient']),
    )
    .option(
      '--saved-mapping <name>',
      'a saved mapping of the user or the company, or its id: it says what is not said here',
    )
    .option('--errors <path>', 'where to write the rows that are refused, as CSV')
    .addOption(new Option('--dry-run', 'only find errors').conflicts('yes'))
    .option('--yes', 'import it')
    .action((path: string, options: Options) =>
      withDatabase(program, async (_prisma, { database }) => {
        if (!options.dryRun && !options.yes) throw new Error('begin with --dry-run, and import with --yes');
        const source = await openFileSource(path);
        try {
          const context = contextOf(database, api, options);
          const { caller } = await context();
          const resource = findResource(api.resources, options.resource);
          const given = await withSaved(options, resource, await context());
          const target = targetOf(resource, given);
          const prepared = await prepareImport(source, target, given, { api, timeZone: caller.timeZone });
          printDetected(prepared);
          // Who it is, in histories and in the feed.
          const actor = { kind: 'command_line', user_id: caller.userId, imports: randomUUID() } as const;
          const isWhole = await runAs(actor, () => take(prepared, actor.imports, { ...options, ...given }, context));
          if (!isWhole) process.exitCode = 1;
        } finally {
          await source.close();
        }
      }),
    );
}

/** What is said about a file, with what is saved. */
async function withSaved(options: Options, { type }: Resource, context: Context): Promise<Options & Given> {
  const { savedMapping } = options;
  const saved = savedMapping === undefined ? {} : await findSavedMapping(savedMapping, type, context);
  return { mode: 'insert', handling: 'strict', ...saved, ...options };
}

/** Finds a resource by its path, or by the name of its type. @throws Error when there is none whose rows are written */
function findResource(resources: readonly Resource[], name: string): Resource {
  const plain = (text: string) => text.toLowerCase().replaceAll(/:[a-z]+|[^a-z]/gi, '');
  const found = resources.find(({ path, type }) => plain(path) === plain(name) || plain(type) === plain(name));
  if (!found) throw new Error(`there is no resource ${name}`);
  return found;
}

/** The context of the user, in the role that they have now. */
function contextOf(database: Database, api: Pick<Api, 'storage'>, { company, user }: Options) {
  return async (): Promise<Context> => {
    const { id: companyId, timeZone } = await findCompany(database.prisma, company);
    const { id: userId, role, deactivatedAt } = await findMember(database.prisma, company, user);
    if (deactivatedAt) throw new Error(`${user} is deactivated`);
    const owner = { companyId, timeZone, userId, role };
    return ownerContext(database, api, owner, 'command line', openFiles(readConfig()));
  };
}

function printDetected({ detected, rows, map }: PreparedImport): void {
  const facts = Object.entries(detected).filter(([, value]) => value !== undefined);
  print(facts.map(([name, value]) => `${name}: ${value}`).join(', '));
  const own = map.columns.map(({ header, field }) => `${header} → ${field.name}`);
  const ofItems = map.lists.flatMap(({ list, columns, whole }) => [
    ...(whole ? [`${whole.header} → ${list.relation}`] : []),
    ...columns.map(({ header, field }) => `${header} → ${list.relation}.${field.name}`),
  ]);
  print(`${rows} rows; columns: ${[...own, ...ofItems].join(', ')}`);
  if (map.ignored.length > 0) print(`not read: ${map.ignored.join(', ')}`);
}

/** Checks the rows, and writes them. @returns whether no row was refused */
async function take(
  prepared: PreparedImport,
  id: string,
  options: Options,
  context: () => Promise<Context>,
): Promise<boolean> {
  const { dryRun = false, handling } = options;
  if (dryRun || handling === 'strict') {
    const refused = await runAll(prepared, { ...options, dryRun: true }, context);
    if (dryRun || refused > 0) return refused === 0;
  }
  // Also at the beginning, for what a command has written that does not come to its end.
  print(`Import ${id}`);
  const refused = await runAll(prepared, { ...options, dryRun: false }, context);
  print(`To take it back: undo-import --company ${options.company} --import ${id}`);
  return refused === 0;
}

/** Takes all pages. @returns how many rows were refused */
async function runAll(
  prepared: PreparedImport,
  { dryRun, errors }: Pick<Options, 'errors'> & { readonly dryRun: boolean },
  context: () => Promise<Context>,
): Promise<number> {
  const file = errors === undefined ? undefined : await open(errors, 'w', 0o600);
  const counts = { created: 0, updated: 0, unchanged: 0, refused: 0 };
  try {
    await file?.write(errorsHeader(prepared.table));
    for await (const report of runImport(prepared, { dryRun, context })) {
      counts.created += report.created;
      counts.updated += report.updated;
      counts.unchanged += report.unchanged;
      counts.refused += report.refused.length;
      await file?.write(errorsRows(prepared.table, report.refused));
      if (!file) for (const { row, errors } of report.refused) print(`line ${row.line}\t${errors.join('; ')}`);
    }
  } finally {
    await file?.close();
  }
  const verb = dryRun ? 'Would create' : 'Created';
  print(
    `${verb} ${counts.created}, update ${counts.updated}, leave ${counts.unchanged}, refuse ${counts.refused} rows.`,
  );
  return counts.refused;
}
