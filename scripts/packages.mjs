// Which packages a bundle contains.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const name = 'packages.json';

/** Packages with machine code or files of data, which are not bundled: the service loads them from `node_modules`. */
export const nativePackages = ['@napi-rs/canvas', 'pdfjs-dist', 'sharp'];

/**
 * Writes which packages a bundle contains into its folder.
 *
 * @param {string} folder the folder of the bundle
 * @param {Iterable<string>} files the paths of the files that were bundled
 */
export function writePackages(folder, files) {
  const folders = new Set();
  for (const file of files) {
    const [, found] = /(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
    if (found) folders.add(found);
  }
  writeFileSync(join(folder, name), JSON.stringify([...folders].sort()));
}

/**
 * Reads which packages a bundle contains.
 *
 * @param {string} folder the folder of the bundle
 * @returns {string[]} their folders, below that of `node_modules`
 */
export const readPackages = (folder) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
