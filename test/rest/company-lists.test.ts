// The lists of sub-resources of all parents.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { api } from '../../src/schema/index.ts';
import type { Row } from '../support/client.ts';
import { collectionsWith, lowerFirst, modelOf, snakeCase } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
let others: Rows;
beforeAll(async () => {
  service = await startService();
  // References are to one of two rows.
  rows = await Rows.of(service, await service.tenant(), true, 2);
  others = await Rows.of(service, await service.tenant(), true, 2);
});
afterAll(() => service.close());

const lists = collectionsWith('list').flatMap(([path, collection]) => {
  const { operation } = collection.on.list ?? {};
  const resource = api.resources.find(({ type, path: own }) => type === operation?.type && own === path);
  return resource?.parent && operation
    ? [{ path, collection, field: operation.field, type: resource.type, parent: resource.parent }]
    : [];
});

test('nearly all sub-resources have one', () => {
  expect(lists.length).toBeGreaterThan(18);
});

describe.each(lists.map((list) => [list.path, list] as const))('%s', (path, { collection, field, type, parent }) => {
  const all = path.replace(/\/:\w+/, '');
  let mine: Row[];
  beforeAll(async () => {
    for (const company of [rows, others]) {
      const column = parent.column;
      const [first, second] = [
        await company.reference(parent.resource.type),
        await company.reference(parent.resource.type, 1),
      ];
      const made = [first, first, second].map(async (id) => {
        const row = await company.list(collection, { full: true });
        const table = tableOf(modelOf(type) ?? '');
        await table.updateMany({ where: { id: row['id'] }, data: { [column]: id } });
      });
      await Promise.all(made);
    }
    const parents = await Promise.all([0, 1].map((n) => rows.reference(parent.resource.type, n)));
    const name = Object.keys(await rows.parents(path))[0] ?? '';
    mine = (
      await Promise.all(parents.map((id) => rows.client.get(fill(path, { [name]: id }), { limit: 100 })))
    ).flatMap((reply) => reply.rows);
  });

  test('lists the rows of all parents, and filters by them', async () => {
    const { rows: found, meta } = await rows.client.get(all, { limit: 100 });
    const ids = (some: readonly Row[]) => some.map(({ id }) => String(id)).sort();
    expect(ids(found)).toEqual(ids(mine));
    expect(meta.total).toBe(mine.length);
    const column = snakeCase(parent.column);
    const [one] = [...new Set(mine.map((row) => row[column]))];
    const ofOne = mine.filter((row) => row[column] === one);
    expect(ofOne.length).toBeLessThan(mine.length);
    expect(ids((await rows.client.get(all, { limit: 100, [column]: one })).rows)).toEqual(ids(ofOne));
    const nested = JSON.stringify({ [snakeCase(relationOf(type))]: { id: { eq: one } } });
    expect(ids((await rows.client.get(all, { limit: 100, filter: nested })).rows)).toEqual(ids(ofOne));
  });

  test('is the same in GraphQL, which groups it too', async () => {
    const { data, errors } = await rows.client.graphql<{
      list: { nodes: Row[] };
      groups: { aggregates: { count: number }[] };
    }>(
      `{ list: ${field}(first: 100) { nodes { id ${relationOf(type)} { id } } } groups: ${field} { aggregates { count } } }`,
    );
    expect(errors).toEqual([]);
    const column = snakeCase(parent.column);
    const pairs = (some: readonly (readonly unknown[])[]) => some.map(String).sort();
    expect(pairs(data.list.nodes.map((row) => [row['id'], (row[relationOf(type)] as Row)['id']]))).toEqual(
      pairs(mine.map((row) => [row['id'], row[column]])),
    );
    expect(data.groups.aggregates).toEqual([{ count: mine.length }]);
  });
});

/** Prisma's table of a model. */
const tableOf = (model: string) =>
  (service.database.prisma as unknown as Record<string, { updateMany(args: object): Promise<unknown> }>)[
    lowerFirst(model)
  ] as { updateMany(args: object): Promise<unknown> };

/** The relation to a sub-resource's parent. */
function relationOf(type: string): string {
  const resource = api.resources.find((one) => one.type === type);
  const field = resource?.graphql.relations.find(
    (relation) => relation === special[type] || relation === lowerFirst(resource.parent?.resource.type ?? ''),
  );
  if (!field) throw new Error(`${type} does not show its parent`);
  return field;
}

/** Relations that are not named like the type of the parent. */
const special: Readonly<Record<string, string>> = {
  StockAdjustment: 'item',
  TrainingCompletion: 'program',
  TrainingQuestion: 'program',
};
