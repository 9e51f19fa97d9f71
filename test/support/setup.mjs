import { join } from 'node:path';
import { compiledUrl } from './jest/compiled.mjs';

const load = (name) => import(compiledUrl(join(import.meta.dirname, name)));

/** Before all tests. */
export default async () => {
  const { makeTemplate } = await load('template.ts');
  await makeTemplate();
  const { prepareStatements } = await load('statements.ts');
  prepareStatements();
};
