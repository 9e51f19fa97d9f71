import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of `package.json`; compiled code in `dist/` has another depth than its source. */
export const root = findRoot(import.meta.dirname);

/** Reads the version of the installation. */
export function readVersion(): string {
  // package.json has one.
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return version;
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('There is no package.json above the service.');
  return findRoot(parent);
}
