import { afterAll, expect, test } from '@jest/globals';
import { snakeCase } from '../src/names.ts';
import { modelFacts } from '../src/resource/index.ts';
import { api } from '../src/schema/index.ts';
import { testDatabase } from './support/database.ts';
import { searchIndexes } from './support/search-indexes.ts';

const database = await testDatabase();
afterAll(() => database.close());

test('the columns that a search reads in all rows of a company have an index', async () => {
  // The rows of one parent are few, and found by the index of their reference to it.
  const searched = api.resources.filter(({ search, parent }) => search.length > 0 && !parent);
  expect(searched.length).toBeGreaterThan(25);
  const expected = searched.map(({ model, search, normalized }) => [
    modelFacts(model).table,
    search.map((name) => snakeCase(normalized[name]?.column ?? name)).sort(),
  ]);
  expect(await searchIndexes(database)).toEqual(Object.fromEntries(expected));
});
