import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { getNamedType, isObjectType } from 'graphql';
import type { Client, Row } from '../support/client.ts';
import {
  collectionsWith,
  type Field,
  leadingFields,
  operationOf,
  restValuesOf,
  rootField,
  rowType,
  selectionOf,
  shownFields,
  typeOf,
} from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
let client: Client;
beforeAll(async () => {
  service = await startService();
  // All rows refer to one of two rows per model, so that these have lists of several.
  rows = await Rows.of(service, await service.tenant(), true, 2);
  ({ client } = rows);
});
afterAll(() => service.close());

type Nodes<T = Row> = { nodes: T[]; totalCount: number; pageInfo: { hasNextPage: boolean; endCursor: string | null } };

// All relations of all types.
const listed = collectionsWith('list').filter(
  ([, collection]) => collection.on.list?.operation.type === typeOf(collection),
);

test.each(listed)('GraphQL and REST show the same fields of %s', async (path, collection) => {
  const { field, type } = collection.on.list?.operation ?? { field: '', type: '' };
  if (type !== 'Company') for (let n = 0; n < 4; n++) await rows.list(collection, { full: n > 0 });
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
  expect(rest.rows.length).toBeGreaterThan(0);
  expect(data[field]?.totalCount).toBe(rest.meta.total);
  expect(data[field]?.nodes.map((row) => inRest(shown, row))).toEqual(rest.rows);
});

/** The REST form of a GraphQL row. */
const inRest = (fields: readonly Field[], row: Row): Row =>
  Object.fromEntries(
    fields.map(({ name, rest, type }) => {
      const value = row[name];
      if (!isObjectType(type) || value === null) return [rest, word(type, value)];
      const inner = shownFields(type.name);
      return [rest, Array.isArray(value) ? value.map((line: Row) => inRest(inner, line)) : inRest(inner, value as Row)];
    }),
  );

/** REST's value of an enum; other values are the same in both. */
function word(type: Parameters<typeof restValuesOf>[0], value: unknown): unknown {
  const words = restValuesOf(type);
  return words.find((word) => word.replaceAll('-', '_').toUpperCase() === value) ?? value;
}

/** The lists inside a type's rows. */
const listsOf = (type: Parameters<typeof leadingFields>[0]) =>
  leadingFields(type).filter(({ type: of }) => rowType(of) !== getNamedType(of));

/** The types whose rows have lists. */
const outer = listed.flatMap(([path, { on }]) => {
  const field = on.list?.operation.field ?? '';
  const inside = listsOf(rowType(rootField(field).type));
  return inside.length > 0 ? [[path, field, inside] as const] : [];
});
/** The numbers of lists seen with no row, one, and more. */
const sizes = { none: 0, one: 0, more: 0 };

test.each(outer)('every list inside %s is limited, paged and counted', async (_path, field, inside) => {
  const parents = await rows.variables(rootField(field));
  const ask = (outerRows: number, innerRows: number) => {
    const variables = { ...parents, first: outerRows };
    const lists = inside.map(
      ({ name }) => `${name}(first: ${innerRows}) { totalCount nodes { id } pageInfo { hasNextPage } }`,
    );
    const query = operationOf(rootField(field), 'Query', Object.keys(variables), `{ nodes { ${lists.join(' ')} } }`);
    return client.graphql<Record<string, { nodes: Record<string, Nodes | null>[] }>>(query, variables);
  };
  for (const { name, args } of inside) {
    expect([name, args.map(({ name }) => name)]).toEqual([name, expect.arrayContaining(['first', 'after', 'offset'])]);
    expect([name, args.find(({ name }) => name === 'first')?.defaultValue]).toEqual([name, 20]);
  }

  const { data, errors } = await ask(100, 1);
  expect(errors).toEqual([]);
  const nodes = data[field]?.nodes ?? [];
  expect(nodes.length).toBeGreaterThan(0);
  for (const row of nodes) {
    for (const { name } of inside) {
      const { totalCount = Number.NaN, nodes = [], pageInfo } = row[name] ?? {};
      sizes[totalCount === 0 ? 'none' : totalCount === 1 ? 'one' : 'more'] += 1;
      expect([name, pageInfo?.hasNextPage, nodes.length]).toEqual([name, totalCount > 1, Math.min(1, totalCount)]);
    }
  }

  const tooMany = await ask(1, 101);
  expect(tooMany.errors.map(({ path, extensions }) => [path?.at(-1), extensions.code]).sort()).toEqual(
    inside.map(({ name }) => [name, 'BAD_REQUEST']).sort(),
  );
});

test('the checked lists had none, one and several rows', () => {
  expect(Math.min(...Object.values(sizes))).toBeGreaterThan(10);
});

/** The types whose rows have nested lists. */
const deep = listed.filter(([, { on }]) =>
  listsOf(rowType(rootField(on.list?.operation.field ?? '').type)).some(
    ({ type }) => listsOf(rowType(type)).length > 0,
  ),
);

/** The number of compared lists with two rows. */
let compared = 0;

test.each(deep)('%s has the same rows under nodes and edges, also with different fields', async (_path, collection) => {
  const { field } = collection.on.list?.operation ?? { field: '' };
  const parents = await rows.variables(rootField(field));
  for (const { name, type } of listsOf(rowType(rootField(field).type))) {
    // As many as the alias limit allows. A filter has arrays and dates, which are not objects to descend into.
    const inner = listsOf(rowType(type))
      .slice(0, 7)
      .map(({ name, args }) => [
        name,
        args.some(({ name: argument }) => argument === 'filter')
          ? ', filter: { createdAt: { gte: "2000-01-01" } }'
          : '',
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
          if (rows.length > 1) compared += 1;
          expect([beside[`same${n}`]?.nodes, under[`other${n}`]?.nodes, beside[`other${n}`]?.nodes]).toEqual([
            rows,
            rows.slice(0, 1),
            rows.slice(1),
          ]);
        }
      }
    }
  }
});

test('the compared lists had several rows', () => {
  expect(compared).toBeGreaterThan(10);
});
