import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { runFor, wholeCompany } from '../src/database/index.ts';
import { maxKeptCharacters } from '../src/database/request-client.ts';
import { testDatabase } from './support/database.ts';

// Its requests have one connection, as all work on the embedded database has.
const database = await testDatabase({ poolSize: 5 });
afterAll(() => database.close());

// Prisma's promises do not start before they are awaited.
const forRequest = <T>(work: () => Promise<T>) => runFor({ company: 'acme', caller: 'ada' }, async () => await work());

const reader = database.readerOf(wholeCompany(randomUUID()));

/** The texts of the statements that the server keeps. */
const keptStatements = async () =>
  (
    await forRequest(
      () => database.prisma.$queryRaw<{ statement: string }[]>`SELECT statement FROM pg_prepared_statements`,
    )
  ).map(({ statement }) => statement);

const inUse = () => forRequest(() => reader.findMany('Company', { where: { slug: 'acme' }, take: 10 }));

/** A filter that has a statement of its own for each number. */
const filtered = (n: number) => {
  const OR = Array.from({ length: 500 }, (_, bit) => ({ [n & (1 << (bit % 10)) ? 'name' : 'slug']: `${bit}` }));
  return forRequest(() => reader.count('Company', { OR }));
};

test('statements in use are prepared, and the server keeps little text however many filters differ', async () => {
  const characters: number[] = [];
  for (let n = 0; n < 40; n++) {
    await inUse();
    await filtered(n);
    await filtered(n);
    characters.push((await keptStatements()).join('').length);
  }
  // Filters are kept, but not all of them, which would be several times as long.
  expect(Math.max(...characters)).toBeGreaterThan(maxKeptCharacters / 2);
  expect(Math.max(...characters)).toBeLessThan(maxKeptCharacters * 1.5);
  await inUse();
  expect((await keptStatements()).filter((text) => /FROM "companies".*LIMIT/.test(text))).toHaveLength(1);
});
