import { tsImport } from 'tsx/esm/api';

/** Before all tests. Jest does not compile this file itself to a module, so tsx does. */
export default async () => {
  const { makeTemplate } = await tsImport('./template.ts', import.meta.url);
  await makeTemplate();
};
