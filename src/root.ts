import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of `package.json`; compiled code in `dist/` has another depth than its source. */
export const root = findRoot(import.meta.dirname);

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('There is no package.json above the service.');
  return findRoot(parent);
}
