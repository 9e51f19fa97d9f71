// A condition that says nothing is no condition: with it every list has the rows that it has without.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { getNamedType, isInputObjectType } from 'graphql';
import { ownerContext } from '../../src/background/owner.ts';
import { filterWhere } from '../../src/resource/index.ts';
import { api } from '../../src/schema/index.ts';
import type { Row } from '../support/client.ts';
import { collections, snakeCase, typeOf } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant(), true, 2);
  // Some rows refer to others, and some to none.
  for (const collection of collections)
    if (collection.on.list && typeOf(collection) !== 'Company')
      for (const full of [true, false]) await rows.list(collection, { full });
});
afterAll(() => service.close());

/** A relation of a list's filter, and a column of the related rows. */
interface Related {
  readonly name: string;
  readonly column: string;
  readonly isList: boolean;
}

function relationsOf(type: string): Related[] {
  const fieldsOf = (name: string) => {
    const filter = api.schema.getType(name);
    return isInputObjectType(filter) ? Object.values(filter.getFields()) : [];
  };
  return fieldsOf(`${type}Filter`).flatMap(({ name, type: conditions, extensions }) => {
    const isList = extensions.relation === 'list';
    const target = getNamedType(conditions).name.replace(/(List)?Filter$/, 'Filter');
    const column = fieldsOf(target).find(({ extensions: { stored }, name }) => stored && name !== 'id');
    return extensions.relation && column ? [{ name, column: column.name, isList }] : [];
  });
}

/** Filters that say nothing, or as much as the one that comes with them. */
function emptyFilters({ name, column, isList }: Related): [filter: Row, same: Row][] {
  const empty = [{}, { [column]: {} }, { and: [] }, { and: [{ [column]: {} }] }, { not: {} }, { or: [{}] }];
  const inside = empty.map((filter) => ({ [name]: isList ? { every: filter } : filter }));
  const outside = [...inside, ...(isList ? [{ [name]: {} }] : [])];
  const nothing = outside.flatMap((filter) => [
    filter,
    { not: filter },
    { and: [filter, {}] },
    { not: { or: [filter] } },
    { not: { not: filter } },
  ]);
  // These ask whether there are rows.
  const existing = isList
    ? ['some', 'none'].flatMap((quantifier) =>
        empty.map((filter): [Row, Row] => [{ [name]: { [quantifier]: filter } }, { [name]: { [quantifier]: {} } }]),
      )
    : [];
  return [...nothing.map((filter): [Row, Row] => [filter, {}]), ...existing];
}

const lists = api.resources.flatMap(({ type, parent, path }) => {
  const operation = api.operations.find((each) => each.action === 'list' && each.path === path && each.type === type);
  const relations = relationsOf(type);
  return operation && relations.length > 0 ? [{ type, path, parent, field: operation.field, relations }] : [];
});

test('most lists have relations, and there are many to one row', () => {
  expect(lists.length).toBeGreaterThan(35);
  expect(lists.flatMap(({ relations }) => relations.filter(({ isList }) => !isList)).length).toBeGreaterThan(60);
});

test.each(lists.map((list) => [list.type, list] as const))('%s compiles them to nothing', (type, { relations }) => {
  const resource = api.resources.find((each) => each.type === type);
  if (!resource) throw new Error(`${type} is no resource`);
  const { company, users } = rows.tenant;
  const owner = { companyId: company.id, timeZone: 'UTC', userId: users[0]?.id ?? '', role: 'ADMIN' } as const;
  const context = ownerContext(service.database, api, owner, 'test');
  const compile = (filter: Row) => filterWhere(api.filterableOf(resource), filter, context);
  for (const related of relations)
    for (const [filter, same] of emptyFilters(related))
      expect({ filter, where: compile(filter) }).toEqual({ filter, where: compile(same) });
});

test.each(lists.map((list) => [list.field, list] as const))(
  '%s has the same rows with them',
  async (field, { path, relations }) => {
    // The value of a condition is a variable without one.
    const ask = async (condition: string): Promise<unknown> => {
      const query = `query ($unset: Boolean) { ${field}(filter: { ${condition} }) { totalCount aggregates { count } } }`;
      const { data, errors } = await rows.client.graphql<Record<string, unknown>>(query);
      expect({ query, errors }).toEqual({ query, errors: [] });
      return data[field];
    };
    const place = fill(path, await rows.parents(path));
    const totalInRest = async (filter: Row) => {
      const { meta } = await rows.client.get(place, { filter: JSON.stringify(filter), limit: 1 });
      return meta.total;
    };
    const all = await ask('id: { isNull: $unset }');
    const { totalCount } = all as { totalCount: number };
    expect(all).toEqual({ totalCount, aggregates: [{ count: totalCount }] });
    const total = await totalInRest({});
    for (const { name, column, isList } of relations.slice(0, 6)) {
      const condition = `${name}: { ${isList ? 'every: {' : ''} ${column}: { isNull: $unset } ${isList ? '}' : ''} }`;
      for (const each of [condition, `not: { ${condition} }`, `and: [{ not: { ${condition} } }]`])
        expect({ each, found: await ask(each) }).toEqual({ each, found: all });
      const inner = { [snakeCase(column)]: {} };
      const filter = { [snakeCase(name)]: isList ? { every: inner } : inner };
      for (const each of [filter, { not: filter }, { or: [filter] }])
        expect({ each, total: await totalInRest(each) }).toEqual({ each, total });
    }
  },
);
