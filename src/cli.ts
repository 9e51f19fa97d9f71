import { Command } from 'commander';
import { addBiCommands } from './cli/bi.ts';
import { addCheckFilesCommand, checkFiles } from './cli/check-files.ts';
import { parseCount, print, withDatabase } from './cli/common.ts';
import { addCompanyCommands } from './cli/companies.ts';
import { addImportCommand } from './cli/import.ts';
import { addMoveCommand } from './cli/move.ts';
import { addRestoreCommand } from './cli/restore.ts';
import { addTokenCommands } from './cli/tokens.ts';
import { addUndoImportCommand } from './cli/undo-import.ts';
import { addUserCommands } from './cli/users.ts';
import { findUnnormalized } from './database/unnormalized.ts';
import { findOverlaps } from './schema/desk/overlaps.ts';
import { api } from './schema/index.ts';
import { createDemo } from './seed/index.ts';

const program = new Command('admin')
  .usage('<command> [options]     (npm run --silent admin -- <command> [options])')
  .description(
    'Manage companies, users and API tokens in the database at DATABASE_URL or, without one, in the embedded database ' +
      'in DATA_DIR. Every command first applies pending migrations. Only one process at a time can open the embedded ' +
      'database: stop the service first.',
  );

program
  .command('migrate')
  .description('apply pending database migrations')
  .action(() =>
    withDatabase(program, async (_prisma, { applied }) => {
      print(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The database is up to date.');
    }),
  );

program
  .command('check')
  .description(
    'list what older versions allowed: workspace records whose periods overlap on one desk (company, desk and the two ' +
      'records), and texts that are not in the form in which texts are compared (company, table, column and id of the ' +
      'row); then compare files with their store, as check-files does; exit with 1 if there is anything to repair',
  )
  .action(() =>
    withDatabase(program, async (prisma, { database }) => {
      const overlaps = await findOverlaps(prisma);
      for (const { company, deskId, recordId, otherId } of overlaps)
        print([company, deskId, recordId, otherId].join('\t'));
      if (overlaps.length === 0) print('No workspace records overlap.');
      const models = api.resources.flatMap(({ model, roles }) => (roles.company ? [model] : []));
      const texts = await findUnnormalized(database, models);
      for (const { company, table, column, rowId } of texts) print([company, table, column, rowId].join('\t'));
      if (texts.length === 0) print('All texts are in one form.');
      if (overlaps.length + texts.length > 0) process.exitCode = 1;
      await checkFiles(database);
    }),
  );

addCompanyCommands(program, api);
addUserCommands(program);
addTokenCommands(program);
addBiCommands(program, api);
addCheckFilesCommand(program);
addImportCommand(program, api);
addMoveCommand(program);
addRestoreCommand(program, api);
addUndoImportCommand(program);

program
  .command('demo')
  .description('create the company "demo" with sample data, and print a new token for it on the last line')
  .option('--service-requests <number>', 'add service requests until there are this many', parseCount)
  .action(({ serviceRequests }: { serviceRequests?: number }) =>
    withDatabase(program, async (_prisma, { database }) => {
      const demo = await createDemo(database, { serviceRequests, onProgress: showProgress });
      const state = demo.created ? 'Created the demo company' : 'The demo company already exists';
      print(`${state}: ${demo.companySlug}, with ${demo.serviceRequests} service requests.`);
      const { email, password } = demo.signIn;
      if (password) print(`Sign in as ${email} with the password ${password}`);
      print('New API token:');
      print(demo.token);
    }),
  );

await program.parseAsync();

/** Prints progress to stderr, in one line that it overwrites. */
function showProgress(done: number, total: number): void {
  process.stderr.write(`\r${done} of ${total} service requests${done === total ? '\n' : ''}`);
}
