/** Before all tests. */
export default async () => {
  // The tests read the pages that are built, and start the service that is.
  await import('../../scripts/ensure-build.mjs');
  const { makeTemplate } = await import('./template.ts');
  await makeTemplate();
};
