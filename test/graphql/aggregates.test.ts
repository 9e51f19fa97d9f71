// Compares every aggregate field with the rows of its list.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type GraphQLObjectType, getNamedType, isLeafType } from 'graphql';
import { Prisma } from '../../src/database/generated/client/client.ts';
import { isConnection } from '../../src/resource/index.ts';
import type { Row } from '../support/client.ts';
import { queryFields } from '../support/query-fields.ts';
import { collectionsWith, fieldsOf, rootField, rootFields, rowType, snakeCase, typeOf } from '../support/resources.ts';
import { Rows } from '../support/rows.ts';
import { takesScope } from '../support/scopes.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let mine: Rows;
let others: Rows;
beforeAll(async () => {
  service = await startService();
  [mine, others] = [await Rows.of(service, await service.tenant()), await Rows.of(service, await service.tenant())];
});
afterAll(() => service.close());

/** A group in GraphQL. */
interface Group {
  readonly key: Row;
  readonly count: number;
}

/** The type that the lists of a root field aggregate to. */
const aggregateOf = (list: string): GraphQLObjectType | undefined =>
  getNamedType((getNamedType(rootField(list).type) as GraphQLObjectType).getFields()['aggregates']?.type) as
    | GraphQLObjectType
    | undefined;

/** One list of each type whose lists have aggregates. */
const lists = new Map(
  rootFields('Query').flatMap(({ name, type }): [string, string][] => {
    const isList = isConnection(getNamedType(type));
    return isList && aggregateOf(name) && takesScope(rootField(name).extensions['access'])
      ? [[rowType(type).name, name]]
      : [];
  }),
);

const fieldsBelow = (type: GraphQLObjectType, field: string) =>
  Object.keys((getNamedType(type.getFields()[field]?.type) as GraphQLObjectType).getFields());

/** The selection of what is computed of each column. */
const measuresOf = (type: GraphQLObjectType, columns: readonly string[], median = true): string =>
  columns
    .map((column) => {
      const fields = fieldsBelow(type, column).flatMap((name) =>
        name === 'percentile' ? (median ? ['percentile(p: 0.5)'] : []) : [name],
      );
      return `${column} { ${fields.join(' ')} }`;
    })
    .join(' ');

/** The value of each row that a key groups by: a month, or its value. */
const keyOf = (row: Row, key: string, isDate: boolean): unknown => {
  const value = row[key] ?? null;
  return isDate && typeof value === 'string' ? `${value.slice(0, 7)}-01` : value;
};

/** What is expected of each column, computed without floating point. */
function expected(type: GraphQLObjectType, columns: readonly string[], rows: readonly Row[], median = true): Row {
  const sum = (values: unknown[]) =>
    values.reduce<Prisma.Decimal>((all, value) => all.plus(value as number), new Prisma.Decimal(0));
  const outcome: Record<string, (values: unknown[]) => unknown> = {
    sum: (values) => sum(values).toNumber(),
    avg: (values) => expect.closeTo(sum(values).div(values.length).toNumber(), 10),
    min: (values) => values.reduce((one, other) => ((other as number) < (one as number) ? other : one)),
    max: (values) => values.reduce((one, other) => ((other as number) > (one as number) ? other : one)),
    percentile: (values) => {
      const sorted = (values as number[]).toSorted((one, other) => one - other);
      const middle = (sorted.length - 1) / 2;
      return expect.closeTo(((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2, 5);
    },
  };
  return Object.fromEntries(
    columns.map((column) => {
      const values = rows.map((row) => row[column]).filter((value) => value !== null);
      const of = (name: string) => (values.length > 0 ? outcome[name]?.(values) : null);
      const names = fieldsBelow(type, column).filter((name) => median || name !== 'percentile');
      return [column, Object.fromEntries(names.map((name) => [name, of(name)]))];
    }),
  );
}

test('all lists of resources have aggregates', () => {
  expect(lists.size).toBeGreaterThan(40);
});

describe.each([...lists])('%s', (typeName, list) => {
  const collection = collectionsWith('list').find(([, { on }]) => on.list?.operation.field === list)?.[1];
  const type = aggregateOf(list) as GraphQLObjectType;
  const shown = fieldsOf(rowType(rootField(list).type), typeName).filter(({ facts }) => facts);
  const columns = shown.map(({ name }) => name);
  const measured = Object.keys(type.getFields()).filter((name) => columns.includes(name));
  const keyType = getNamedType(type.getFields()['key']?.type) as GraphQLObjectType;
  const keys = Object.values(keyType.getFields())
    // Numbers are grouped by ranges alone, which test/questions-keys.test.ts asks for.
    .filter(({ name, type }) => columns.includes(name) && getNamedType(type).name !== 'NumberKey')
    .map(({ name, type }) => ({ name, isDate: !isLeafType(getNamedType(type)) }));
  let rows: Row[];
  let parents: Row;

  const groups = async (selections: readonly string[], variables: Row = {}) =>
    (
      await queryFields<{ aggregates: Group[] }[]>(
        mine.client,
        selections.map((selection) => [list, { ...parents, ...variables }, `{ aggregates(first: 100) ${selection} }`]),
      )
    ).map(({ aggregates }) => aggregates);

  beforeAll(async () => {
    const add = (to: Rows, full: boolean) =>
      collection
        ? to.list(collection, { full })
        : to.insert({ path: '', on: {}, type: rowType(rootField(list).type).name }, { full });
    if (!collection || typeOf(collection) !== 'Company') {
      for (let n = 0; n < 7; n++) await add(mine, n % 3 !== 0);
      await add(others, true);
    }
    parents = await mine.variables(rootField(list));
    const [found] = await queryFields<[{ totalCount: number; nodes: Row[] }]>(mine.client, [
      [list, { ...parents, first: 100 }, `{ totalCount nodes { ${columns.join(' ')} } }`],
    ]);
    rows = found.nodes;
    expect(rows.length).toBeGreaterThan(0);
    expect(rows).toHaveLength(found.totalCount);
  });

  test('measures all rows, and those of each value of each key', async () => {
    // In two requests, as one would cost too much where there are several percentiles.
    const [all] = await groups([`{ count ${measuresOf(type, measured)} }`]);
    const single = await groups(
      keys.map(
        ({ name, isDate }) =>
          `{ key { ${name} ${isDate ? '{ month }' : ''} } count ${measuresOf(type, measured, false)} }`,
      ),
    );
    expect(all).toEqual([{ count: rows.length, ...expected(type, measured, rows) }]);
    expect(single).toHaveLength(keys.length);
    for (const [n, { name, isDate }] of keys.entries()) {
      const worked = [...new Set(rows.map((row) => keyOf(row, name, isDate)))].map((value) => {
        const those = rows.filter((row) => keyOf(row, name, isDate) === value);
        const key = { [name]: isDate ? { month: value } : value };
        return { key, count: those.length, ...expected(type, measured, those, false) };
      });
      expect(single[n]).toHaveLength(worked.length);
      expect(single[n]).toEqual(expect.arrayContaining(worked));
    }
  });

  test('groups by several keys, counts distinct values, and applies the conditions of its list', async () => {
    const several = keys.filter(({ isDate }) => !isDate).map(({ name }) => name);
    const sorts = shown.filter(({ list }) => !list).map(({ name }) => name);
    const distinct = sorts.map((name, n) => `d${n}: countDistinct(of: ${snakeCase(name).toUpperCase()})`);
    const [together = []] = await groups([`{ key { ${several.join(' ')} } count }`]);
    const counts: Row = {};
    for (let from = 0; from < distinct.length; from += 8)
      Object.assign(counts, (await groups([`{ ${distinct.slice(from, from + 8).join(' ')} }`]))[0]?.[0]);
    const worked = new Map<string, number>();
    for (const row of rows) {
      const key = JSON.stringify(Object.fromEntries(several.map((key) => [key, row[key]])));
      worked.set(key, (worked.get(key) ?? 0) + 1);
    }
    expect(Object.fromEntries(together.map(({ key, count }) => [JSON.stringify(key), count]))).toEqual(
      Object.fromEntries(worked),
    );
    expect(counts).toEqual(
      Object.fromEntries(
        sorts.map((name, n) => [`d${n}`, new Set(rows.map((row) => row[name]).filter((value) => value !== null)).size]),
      ),
    );
    const [row = {}] = rows;
    for (const filter of [{ id: { eq: row['id'] } }, { not: { id: { eq: row['id'] } } }, { id: { in: [] } }]) {
      const [[found] = []] = await groups(['{ count }'], { filter });
      expect([filter, found]).toEqual([filter, { count: filter.id?.eq ? 1 : filter.id ? 0 : rows.length - 1 }]);
    }
  });
});
