import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from '../root.ts';

/** The files of an empty embedded database with all tables, which the build makes (scripts/database.ts). */
const prepared = join(root, 'dist', 'database');

/**
 * Copies the prepared database to `folder`, unless there is one, as creating and migrating one takes long. A
 * process that is killed meanwhile leaves none.
 */
export async function copyPrepared(folder: string): Promise<void> {
  if (existsSync(folder) || !existsSync(prepared)) return;
  const copy = `${folder}.new`;
  await rm(copy, { recursive: true, force: true });
  await cp(prepared, copy, { recursive: true });
  await rename(copy, folder);
}

/** Creates a folder and those above it. Node's own `mkdir` with `recursive` never ends below /proc. */
export async function createFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  if (dirname(folder) !== folder) await createFolder(dirname(folder));
  await mkdir(folder, { mode: 0o700 }).catch(async (error: unknown) => {
    // Another process may have created it meanwhile.
    if (!(await isFolder(folder))) throw error;
  });
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
