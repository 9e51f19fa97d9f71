import { join } from 'node:path';
import { compiledUrl } from './jest/compiled.mjs';

const load = (name) => import(compiledUrl(join(import.meta.dirname, name)));

/** After all tests. What Node loaded is loaded already where Jest ran the tests without workers. */
export default async () => {
  const { closeIdle } = await load('database.ts');
  await closeIdle();
  const { dropTemplate } = await load('template.ts');
  await dropTemplate();
  const { assertCompanyConditions } = await load('statements.ts');
  assertCompanyConditions();
};
