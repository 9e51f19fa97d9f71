import { afterAll, expect, test } from '@jest/globals';
import { findSearchIndexes, neededSearchIndexes } from '../scripts/search-indexes.ts';
import { testDatabase } from './support/database.ts';

const database = await testDatabase();
afterAll(() => database.close());

test('the columns that a search reads in all rows of a company have an index', async () => {
  const needed = neededSearchIndexes();
  expect(Object.keys(needed).length).toBeGreaterThan(25);
  expect(await findSearchIndexes(database)).toEqual(needed);
});
