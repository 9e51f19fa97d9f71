import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

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
