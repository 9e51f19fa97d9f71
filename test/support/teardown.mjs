import { tsImport } from 'tsx/esm/api';

/** After all tests. */
export default async () => {
  const { dropTemplate } = await tsImport('./template.ts', import.meta.url);
  await dropTemplate();
};
