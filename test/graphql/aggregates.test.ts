// Compares every aggregate field with the rows of its list.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type GraphQLObjectType, getNamedType, isEnumType, isLeafType } from 'graphql';
import { Prisma } from '../../src/database/generated/client/client.ts';
import { type Asked, askAll } from '../support/ask.ts';
import type { Row } from '../support/client.ts';
import {
  collectionsWith,
  type Field,
  fieldsOf,
  groupedList,
  rootField,
  rootFields,
  rowType,
  snakeCase,
  typeOf,
} from '../support/resources.ts';
import { Rows } from '../support/rows.ts';
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

const grouped = rootFields('Query').flatMap(({ name }) => {
  const list = groupedList(name);
  return list ? [[name, list] as const] : [];
});

/** The fields of one part of a group, by name, without relations. */
const partFields = (name: string, part: string): string[] => {
  const type = getNamedType((getNamedType(rootField(name).type) as GraphQLObjectType).getFields()[part]?.type);
  return Object.values((type as GraphQLObjectType | undefined)?.getFields() ?? {}).flatMap(({ name, type }) =>
    isLeafType(getNamedType(type)) ? [name] : [],
  );
};

/** The fields of a group besides its key. */
const measures = (name: string): string =>
  ['sum', 'avg', 'min', 'max']
    .map((part) => [part, partFields(name, part)] as const)
    .filter(([, fields]) => fields.length > 0)
    .map(([part, fields]) => `${part} { ${fields.join(' ')} }`)
    .join(' ');

const months = /Month$/;
/** A row's value of a key. */
const keyOf = (row: Row, key: string): unknown => {
  if (key in row || !months.test(key)) return row[key];
  const value = row[key.replace(months, '')];
  return typeof value === 'string' ? `${value.slice(0, 7)}-01` : null;
};

/** The expected sum, average and so on, computed without floating point. */
function expected(name: string, rows: readonly Row[]) {
  const set = (column: string) => rows.map((row) => row[column]).filter((value) => value !== null);
  const sum = (values: unknown[]) =>
    values.reduce<Prisma.Decimal>((all, value) => all.plus(value as number), new Prisma.Decimal(0));
  const outcome: Record<string, (values: unknown[]) => unknown> = {
    sum: (values) => sum(values).toNumber(),
    avg: (values) => expect.closeTo(sum(values).div(values.length).toNumber(), 10),
    min: (values) => values.reduce((one, other) => ((other as number) < (one as number) ? other : one)),
    max: (values) => values.reduce((one, other) => ((other as number) > (one as number) ? other : one)),
  };
  return Object.fromEntries(
    Object.entries(outcome).flatMap(([part, of]) => {
      const fields = partFields(name, part).map((column) => [column, set(column).length > 0 ? of(set(column)) : null]);
      return fields.length > 0 ? [[part, Object.fromEntries(fields)]] : [];
    }),
  );
}

/** Kinds of columns already tested with an empty filter: the result depends on the kind alone. */
const filteredKinds = new Set<string>();
function isNewKind({ type, required }: Field): boolean {
  const kind = `${type.name} ${required}`;
  const isNew = !filteredKinds.has(kind);
  filteredKinds.add(kind);
  return isNew;
}

test('all lists but a few have aggregates', () => {
  expect(grouped.length).toBeGreaterThan(40);
});

describe.each(grouped)('%s', (name, list) => {
  const collection = collectionsWith('list').find(([, { on }]) => on.list?.operation.field === list)?.[1];
  const columns = fieldsOf(rowType(rootField(list).type), rowType(rootField(list).type).name).filter(
    ({ facts }) => facts,
  );
  const keys = partFields(name, 'key');
  const enumOf = (key: string) => snakeCase(key).toUpperCase();
  let parents: Row;
  let rows: Row[];

  /** The groups for each of several arguments. */
  const groups = (queries: readonly (readonly [variables: Row, selection: string])[]) =>
    askAll<Group[][]>(
      mine.client,
      queries.map(([variables, selection]) => [name, { ...parents, ...variables }, selection]),
    );

  beforeAll(async () => {
    const add = (to: Rows, full: boolean) =>
      collection
        ? to.list(collection, { full })
        : to.insert({ path: '', on: {}, type: rowType(rootField(list).type).name }, { full });
    if (!collection || typeOf(collection) !== 'Company') {
      for (let n = 0; n < 9; n++) await add(mine, n % 3 !== 0);
      await add(others, true);
    }
    parents = await mine.variables(rootField(list));
    const selection = `{ totalCount nodes { ${columns.map(({ name }) => name).join(' ')} } }`;
    const [found] = await askAll<[{ totalCount: number; nodes: Row[] }]>(mine.client, [
      [list, { ...parents, first: 100 }, selection],
    ]);
    rows = found.nodes;
    expect(rows.length).toBeGreaterThan(0);
    expect(rows).toHaveLength(found.totalCount);
  });

  test('returns one group without groupBy', async () => {
    const [all, keyless] = await groups([
      [{}, `{ count ${measures(name)} }`],
      [{}, keys.length > 0 ? `{ key { ${keys.join(' ')} } }` : '{ count }'],
    ]);
    expect(all).toEqual([{ count: rows.length, ...expected(name, rows) }]);
    expect(keyless).toEqual([
      keys.length > 0 ? { key: Object.fromEntries(keys.map((key) => [key, null])) } : { count: rows.length },
    ]);
  });

  test('groups the rows by each key, and by several keys', async () => {
    const several = keys.slice(-3);
    const [together = [], ...single] = await groups([
      [
        { groupBy: several.map(enumOf), first: 100 },
        several.length > 0 ? `{ key { ${several.join(' ')} } count }` : '{ count }',
      ],
      ...keys.map(
        (key) => [{ groupBy: [enumOf(key)], first: 100 }, `{ key { ${key} } count ${measures(name)} }`] as const,
      ),
    ]);
    expect(single).toHaveLength(keys.length);
    for (const [n, key] of keys.entries()) {
      const found = single[n] ?? [];
      const worked = [...new Set(rows.map((row) => keyOf(row, key)))].map((value) => {
        const those = rows.filter((row) => keyOf(row, key) === value);
        return { key: { [key]: value }, count: those.length, ...expected(name, those) };
      });
      expect(found).toHaveLength(worked.length);
      expect(found).toEqual(expect.arrayContaining(worked));
      // The largest first.
      expect(found.map(({ count }) => count)).toEqual(worked.map(({ count }) => count).sort((a, b) => b - a));
    }
    const worked = new Map<string, number>();
    for (const row of rows) {
      const key = JSON.stringify(Object.fromEntries(several.map((key) => [key, keyOf(row, key)])));
      worked.set(key, (worked.get(key) ?? 0) + 1);
    }
    expect(Object.fromEntries(together.map(({ key = {}, count }) => [JSON.stringify(key), count]))).toEqual(
      Object.fromEntries(worked),
    );
  });

  test('counts the rows of the list with the same filter and search', async () => {
    const [row = {}] = rows.filter((row) => Object.values(row).every((value) => value !== null)).concat(rows);
    const filterable = columns.filter(({ list }) => !list);
    const set = filterable.map(({ name }) => ({ [name]: row[name] === null ? { isNull: true } : { in: [row[name]] } }));
    const unset = filterable
      .filter(isNewKind)
      .flatMap(({ name }) => [{ [name]: { isNull: true } }, { [name]: { in: [] } }]);
    const times = row['createdAt']
      ? [{ createdAt: { gte: row['createdAt'] } }, { createdAt: { lt: row['createdAt'] } }]
      : [];
    const searches = rootField(name).args.some(({ name }) => name === 'search') ? ['0', '%', 'no such text'] : [];
    const conditions: Row[] = [
      ...[...set, ...unset, ...times].map((filter) => ({ filter })),
      ...searches.map((search) => ({ search })),
    ];
    const answers = await askAll<(Group[] | { totalCount: number })[]>(
      mine.client,
      conditions.flatMap((variables): Asked[] => [
        [list, { ...parents, ...variables }, '{ totalCount }'],
        [name, { ...parents, ...variables }, '{ count }'],
      ]),
    );
    const totals = conditions.map((_, n) => (answers[2 * n] as { totalCount: number }).totalCount);
    expect(conditions.map((condition, n) => [condition, answers[2 * n + 1]])).toEqual(
      conditions.map((condition, n) => [condition, [{ count: totals[n] }]]),
    );
    // Each column's own value matches at least its row.
    expect(Math.min(...totals.slice(0, set.length))).toBeGreaterThan(0);
  });

  test('has the access rule, filter and search of its list', () => {
    const { args, extensions } = rootField(name);
    const shared = (field: typeof args) =>
      field
        .filter(({ name, type }) => ['filter', 'search'].includes(name) || getNamedType(type).name === 'ID')
        .map(({ name, type }) => [name, String(type)]);
    expect(shared(args)).toEqual(shared(rootField(list).args));
    expect(extensions['access']).toBe(rootField(list).extensions['access']);
    const groupBy = getNamedType(args.find(({ name }) => name === 'groupBy')?.type);
    expect(isEnumType(groupBy) && groupBy.getValues().map(({ name }) => name)).toEqual(keys.map(enumOf));
  });
});
