// The cells of CSV are read again as the values that JSON has, by the type of each column.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseCell } from '../../src/fields/index.ts';
import { apiField } from '../../src/resource/index.ts';
import { definitions } from '../../src/schema/index.ts';
import { parseCsv } from '../support/csv.ts';
import { collectionsWith, snakeCase, typeOf } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
});
afterAll(() => service.close());

describe.each(collectionsWith('list'))('GET %s', (_path, collection) => {
  test('has cells that are read as they were printed', async () => {
    const resource = definitions
      .flatMap((each) => (each.kind === 'resource' || each.kind === 'listing' ? [each] : []))
      .find(({ type }) => type === typeOf(collection));
    if (!resource) throw new Error(`${typeOf(collection)} has no list.`);
    const path = fill(collection.path, await rows.parents(collection.path));
    if (resource.type !== 'Company') for (const full of [true, false]) await rows.list(collection, { full });
    const shown = (await rows.client.get(path)).rows;
    expect(shown.length).toBeGreaterThan(0);
    const [header = [], ...records] = parseCsv((await rows.client.get(path, {}, { accept: 'text/csv' })).text);
    // Watchers are listed as users, who have only some of the same columns.
    for (const column of resource.columns.filter((each) => header.includes(snakeCase(each)))) {
      const { type } = apiField(resource, column);
      const name = snakeCase(column);
      const cells = records.map((record) => record[header.indexOf(name)] ?? '');
      const values = shown.map((row) => row[name]);
      expect({ name, printed: values.map((value) => (value === null ? '' : type.csv.print(value))) }).toEqual({
        name,
        printed: cells,
      });
      expect({ name, read: cells.map((cell) => parseCell(type, cell)) }).toEqual({
        name,
        read: values.map((value) => ({ value })),
      });
    }
  });
});
