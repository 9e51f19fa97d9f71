/** After all tests. What Node loaded is loaded already where Jest ran the tests without workers. */
export default async () => {
  const { closeIdle } = await import('./database.ts');
  await closeIdle();
  const { dropTemplate } = await import('./template.ts');
  await dropTemplate();
};
