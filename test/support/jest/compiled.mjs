import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..', '..', '..');
const compiled = join(root, 'test', 'dist');

/** The URL of what scripts/build.mjs compiled of a TypeScript module. @param path absolute */
export const compiledUrl = (path) => pathToFileURL(join(compiled, relative(root, path).replace(/\.ts$/, '.js'))).href;
