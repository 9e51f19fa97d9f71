import type { Command } from 'commander';
import { unknownFolders } from '../background/stored-files.ts';
import { readConfig } from '../config.ts';
import type { Database } from '../database/index.ts';
import { type FileStore, openFiles, originalOf } from '../files/index.ts';
import { print, withDatabase } from './common.ts';

/** How many rows are read, and compared, at once. */
const rowsAtOnce = 500;
const comparedAtOnce = 16;

/** What a file is that the store does not have as its row says. */
interface Difference {
  readonly companyId: string;
  readonly id: string;
  readonly size: number;
  /** The size in the store; undefined where it has none. */
  readonly stored: number | undefined;
}

/** What was compared, and what differs. */
interface Comparison {
  files: number;
  bytes: number;
  missing: number;
  otherSize: number;
  withoutRow: number;
}

/** Adds the command that compares files with their store. */
export function addCheckFilesCommand(program: Command): void {
  program
    .command('check-files')
    .description(
      'compare the files in the database with the store that has their bytes, and list files without bytes or with ' +
        'other ones (company, file and what is wrong), and bytes without a file, which the service deletes when they ' +
        'are a day old; exit with 1 if a file has not all of its bytes',
    )
    .action(() => withDatabase(program, (_prisma, { database }) => checkFiles(database)));
}

/**
 * Compares all files with the store that the configuration names, prints what differs and the numbers, and has the
 * process exit with 1 if a file has not all of its bytes.
 *
 * @throws Error when the store cannot be asked
 */
export async function checkFiles(database: Database): Promise<void> {
  const { store } = openFiles(readConfig());
  try {
    const { files, bytes, missing, otherSize, withoutRow } = await compare(database, store);
    print(
      `${files} files with ${bytes} bytes: ${missing} have no bytes, ${otherSize} have another size. The store has ` +
        `${withoutRow} without a row.`,
    );
    if (missing + otherSize > 0) process.exitCode = 1;
  } finally {
    await store.close();
  }
}

/** Compares files with their store, and prints what differs. */
async function compare(database: Database, store: FileStore): Promise<Comparison> {
  const found: Comparison = { files: 0, bytes: 0, missing: 0, otherSize: 0, withoutRow: 0 };
  for await (const page of pagesOf(database)) {
    for (let start = 0; start < page.length; start += comparedAtOnce) {
      const compared = await Promise.all(page.slice(start, start + comparedAtOnce).map((file) => examine(file, store)));
      for (const { companyId, id, size, stored } of compared) {
        found.files += 1;
        found.bytes += size;
        if (stored === size) continue;
        if (!(await isThere(database, { companyId, id }))) continue;
        found[stored === undefined ? 'missing' : 'otherSize'] += 1;
        print([companyId, id, stored === undefined ? 'no bytes' : `${stored} bytes instead of ${size}`].join('\t'));
      }
    }
  }
  for await (const folders of unknownFolders(database, store, { olderThanMs: 0 }))
    for (const folder of folders) {
      found.withoutRow += 1;
      print(`${folder}\tno row`);
    }
  return found;
}

const examine = async (
  file: { readonly companyId: string; readonly id: string; readonly size: bigint },
  store: FileStore,
): Promise<Difference> => ({ ...file, size: Number(file.size), stored: await store.sizeOf(originalOf(file)) });

/** Whether a file was not deleted meanwhile. */
const isThere = async ({ prisma }: Database, { companyId, id }: { companyId: string; id: string }) =>
  (await prisma.file.count({ where: { companyId, id } })) > 0;

/** Reads the rows of all files, some at a time. */
async function* pagesOf({ prisma }: Database) {
  const select = { companyId: true, id: true, size: true } as const;
  for (let last: { companyId: string; id: string } | undefined; ; ) {
    const page = await prisma.file.findMany({
      ...(last && { cursor: { companyId_id: { companyId: last.companyId, id: last.id } }, skip: 1 }),
      select,
      orderBy: [{ companyId: 'asc' }, { id: 'asc' }],
      take: rowsAtOnce,
    });
    yield page;
    last = page.at(-1);
    if (!last || page.length < rowsAtOnce) return;
  }
}
