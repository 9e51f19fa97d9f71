import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { openDatabase } from '../database/index.ts';
import { migrate } from '../database/migrate.ts';
import { moveRows } from '../database/move.ts';
import { copyFiles, openFiles } from '../files/index.ts';
import { asOwner, print, withDatabase } from './common.ts';

/** How often (ms) progress is reported at most. */
const progressMs = 1000;

/** Adds the command that moves the embedded database. */
export function addMoveCommand(program: Command): void {
  program
    .command('move')
    .description(
      'copy everything from the embedded database in DATA_DIR into the empty PostgreSQL at DATABASE_URL, and compare ' +
        'the two; the embedded database stays as it is',
    )
    .action(() => {
      const { databaseUrl, filesUrl, ...config } = readConfig();
      if (databaseUrl === undefined)
        program.error('error: DATABASE_URL must lead to the PostgreSQL to move to, and DATA_DIR to what is moved');
      if (!existsSync(join(config.dataDir, 'pglite')))
        program.error(`error: there is no embedded database in ${config.dataDir}`);
      return withDatabase(program, async (_prisma, { database }) => {
        const source = await openDatabase(config);
        try {
          await migrate(source);
          const folder = pathToFileURL(join(config.dataDir, 'files')).href;
          // Before their rows: what is copied twice is the same.
          const copied =
            filesUrl === undefined || filesUrl.replace(/\/$/, '') === folder
              ? undefined
              : await copyFiles(openFiles(config), openFiles({ ...config, filesUrl }));
          const { rows, tables } = await asOwner(database, (target) => moveRows(source, target, progress()));
          print(`Moved ${rows} rows of ${tables} tables; in both databases each has as many, with the same checksum.`);
          if (copied === undefined) print(`The files of rows stay where they are: set FILES_URL to ${folder}`);
          else print(`Copied ${copied} files to ${filesUrl}.`);
          print(`The embedded database in ${config.dataDir} is as it was. Do not start the service on it again.`);
        } finally {
          await source.close();
        }
      });
    });
}

/** Creates what prints progress to stderr, if it takes long. */
function progress(): (table: string, done: number, total: number) => void {
  let last = performance.now();
  return (table, done, total) => {
    if (performance.now() - last < progressMs) return;
    last = performance.now();
    process.stderr.write(`${table}: ${done} of ${total} rows\n`);
  };
}
