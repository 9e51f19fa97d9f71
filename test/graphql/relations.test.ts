import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type GraphQLInputObjectType, getNamedType, isListType, isObjectType } from 'graphql';
import type { Client, Row } from '../support/client.ts';
import {
  collectionsWith,
  type Field,
  leadingFields,
  operationOf,
  rootField,
  rowType,
  selectionOf,
  shownFields,
  typeOf,
  wordsOf,
} from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
let client: Client;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
  ({ client } = rows);
});
afterAll(() => service.close());

type Nodes<T = Row> = { nodes: T[]; totalCount: number; pageInfo: { hasNextPage: boolean; endCursor: string | null } };

// Every relation of every type.
const listed = collectionsWith('list').filter(
  ([, collection]) => collection.on.list?.operation.type === typeOf(collection),
);

test.each(listed)('GraphQL and REST show the same of %s', async (path, collection) => {
  const { field, type } = collection.on.list?.operation ?? { field: '', type: '' };
  if (type !== 'Company') for (let n = 0; n < 3; n++) await rows.list(collection, { full: n > 0 });
  const parents = await rows.variables(rootField(field));
  const shown = shownFields(type);
  const query = operationOf(
    rootField(field),
    'Query',
    Object.keys(parents),
    `{ totalCount nodes { ${selectionOf(shown)} } }`,
  );
  const { data, errors } = await client.graphql<Record<string, Nodes>>(query, parents);
  expect(errors).toEqual([]);
  const rest = await client.get(fill(path, await rows.parents(path)), { limit: field === 'serviceRequests' ? 50 : 25 });
  expect(data[field]?.totalCount).toBe(rest.meta.total);
  expect(data[field]?.nodes.map((row) => inRest(shown, row))).toEqual(rest.rows);
});

test.each(listed)('no values find nothing in %s, and null what is unset', async (_path, collection) => {
  const { field, type } = collection.on.list?.operation ?? { field: '', type: '' };
  await rows.list(collection, { full: true });
  const parents = await rows.variables(rootField(field));
  const shown = shownFields(type);
  const ask = async (filter: Row | null) => {
    const query = operationOf(
      rootField(field),
      'Query',
      [...Object.keys(parents), 'filter'],
      `{ totalCount nodes { ${selectionOf(shown)} } }`,
    );
    const { data, errors } = await client.graphql<Record<string, Nodes>>(query, { ...parents, filter });
    expect({ filter, errors }).toEqual({ filter, errors: [] });
    return data[field] ?? { nodes: [], totalCount: NaN };
  };
  const { nodes, totalCount } = await ask(null);
  const all = totalCount === nodes.length;
  expect(totalCount).toBeGreaterThan(0);
  const { type: filter } = rootField(field).args.find(({ name }) => name === 'filter') ?? {};
  for (const { name, type } of Object.values((getNamedType(filter) as GraphQLInputObjectType).getFields())) {
    if (isListType(type)) expect([name, (await ask({ [name]: [] })).totalCount]).toEqual([name, 0]);
    if (all && shown.some((field) => field.name === name))
      expect([name, (await ask({ [name]: null })).totalCount]).toEqual([
        name,
        nodes.filter((row) => row[name] === null).length,
      ]);
  }
});

/** What REST shows of a row that GraphQL answered with. */
const inRest = (fields: readonly Field[], row: Row): Row =>
  Object.fromEntries(
    fields.map(({ name, rest, type }) => {
      const value = row[name];
      if (!isObjectType(type) || value === null) return [rest, word(type, value)];
      const inner = shownFields(type.name);
      return [rest, Array.isArray(value) ? value.map((line: Row) => inRest(inner, line)) : inRest(inner, value as Row)];
    }),
  );

/** The word that REST has for an enum's value; anything else is the same in both. */
function word(type: Parameters<typeof wordsOf>[0], value: unknown): unknown {
  const words = wordsOf(type);
  return words.find((word) => word.replaceAll('-', '_').toUpperCase() === value) ?? value;
}

/** The lists inside the rows of a type. */
const listsOf = (type: Parameters<typeof leadingFields>[0]) =>
  leadingFields(type).filter(({ type: of }) => rowType(of) !== getNamedType(of));

test.each(listed)('every list inside %s is limited, paged and counted', async (_path, collection) => {
  const { field } = collection.on.list?.operation ?? { field: '' };
  const parents = await rows.variables(rootField(field));
  const inside = listsOf(rowType(rootField(field).type));
  for (const { name, args } of inside) {
    expect(args.map(({ name }) => name)).toEqual(expect.arrayContaining(['first', 'after', 'offset']));
    expect(args.find(({ name }) => name === 'first')?.defaultValue).toBe(20);
    const query = (first: number) =>
      operationOf(
        rootField(field),
        'Query',
        Object.keys(parents),
        `{ nodes { ${name}(first: ${first}) { totalCount nodes { id } pageInfo { hasNextPage } } } }`,
      );
    const { data, errors } = await client.graphql<Record<string, { nodes: Record<string, Nodes>[] }>>(
      query(1),
      parents,
    );
    expect({ name, errors }).toEqual({ name, errors: [] });
    for (const { [name]: list } of data[field]?.nodes ?? []) {
      expect(list?.pageInfo.hasNextPage).toBe((list?.totalCount ?? 0) > 1);
      expect(list?.nodes).toHaveLength(Math.min(1, list?.totalCount ?? 0));
    }
    const tooMany = await client.graphql(query(101), parents);
    expect(new Set(tooMany.errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['BAD_REQUEST']));
  }
});

/** Those whose rows have lists of rows that have lists. */
const deep = listed.filter(([, { on }]) =>
  listsOf(rowType(rootField(on.list?.operation.field ?? '').type)).some(
    ({ type }) => listsOf(rowType(type)).length > 0,
  ),
);

test.each(deep)(
  'what is inside %s is the same under nodes and under edges, and may be asked for otherwise',
  async (_path, collection) => {
    const { field } = collection.on.list?.operation ?? { field: '' };
    const parents = await rows.variables(rootField(field));
    for (const { name, type } of listsOf(rowType(rootField(field).type))) {
      // As many as the limit of aliases allows. A filter has arrays and dates, which are no objects to look into.
      const inner = listsOf(rowType(type))
        .slice(0, 7)
        .map(({ name, args }) => [
          name,
          args.some(({ name: argument }) => argument === 'filter') ? ', filter: { createdAfter: "2000-01-01" }' : '',
        ]);
      if (inner.length === 0) continue;
      const select = (offset: number) =>
        inner
          .map(
            ([name, filter], n) =>
              `same${n}: ${name}(first: 2${filter}) { nodes { id } } other${n}: ${name}(first: 1, offset: ${offset}) { nodes { id } }`,
          )
          .join(' ');
      const query = operationOf(
        rootField(field),
        'Query',
        Object.keys(parents),
        `{ nodes { ${name}(first: 2) { nodes { ${select(0)} } edges { node { ${select(1)} } } } } }`,
      );
      type Inner = Record<string, Nodes>;
      const { data, errors } = await client.graphql<
        Record<string, { nodes: Record<string, { nodes: Inner[]; edges: { node: Inner }[] }>[] }>
      >(query, parents);
      expect({ name, errors }).toEqual({ name, errors: [] });
      for (const { [name]: list } of data[field]?.nodes ?? []) {
        for (const [at, under] of (list?.nodes ?? []).entries()) {
          const beside = list?.edges[at]?.node ?? {};
          for (const n of inner.keys()) {
            const rows = under[`same${n}`]?.nodes ?? [];
            expect([beside[`same${n}`]?.nodes, under[`other${n}`]?.nodes, beside[`other${n}`]?.nodes]).toEqual([
              rows,
              rows.slice(0, 1),
              rows.slice(1),
            ]);
          }
        }
      }
    }
  },
);
