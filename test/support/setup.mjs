/** Before all tests. */
export default async () => {
  const { makeTemplate } = await import('./template.ts');
  await makeTemplate();
};
