import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
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
/** Of the requests, the last made, which has the longest thread. */
let busy: string;
beforeAll(async () => {
  service = await startService();
  const tenant = await service.tenant();
  rows = await Rows.of(service, tenant);
  ({ client } = rows);
  const { prisma } = service.database;
  const [ada, ben, cleo] = tenant.users.map(({ id }) => id);
  const companyId = tenant.company.id;
  for (let n = 0; n < 30; n++) {
    const { id } = await prisma.serviceRequest.create({
      data: { companyId, title: `Request ${n}`, createdBy: ada ?? '', assignedTo: n % 2 ? ben : null },
    });
    busy = id;
    const comments = Array.from({ length: n === 29 ? 120 : n % 7 }, (_, c) => ({
      companyId,
      serviceRequestId: id,
      userId: (c % 2 ? ben : cleo) ?? '',
      comment: `Comment ${c}`,
    }));
    await prisma.comment.createMany({ data: comments });
    await prisma.watcher.createMany({
      data: [ada, ben, cleo].slice(0, n % 4).map((userId = '') => ({ companyId, serviceRequestId: id, userId })),
    });
  }
  await client.graphql('{ __typename }');
});
afterAll(() => service.close());

type Nodes<T = Row> = { nodes: T[]; totalCount: number; pageInfo: { hasNextPage: boolean; endCursor: string | null } };

describe('SQL statements', () => {
  beforeEach(() => {
    service.statements.length = 0;
  });
  /** Runs a query without errors. @returns its data, and how many statements it took besides the token's and the limit's */
  async function count<Data>(query: string) {
    const { data, errors } = await client.graphql<Data>(query);
    expect(errors).toEqual([]);
    return { data, statements: service.statements.length - 2 };
  }
  const nested = (total: string) => `{
    serviceRequests(first: 20) { nodes {
      id title status assignee { id fullName }
      comments(first: 5) { ${total} nodes { comment author { fullName } } }
      watchers(first: 5) { ${total} nodes { id fullName } }
    } }
  }`;

  test('the lists and people of 20 requests come in one', async () => {
    const { data, statements } = await count<{
      serviceRequests: Nodes<{ comments: Nodes; watchers: Nodes; assignee: Row | null }>;
    }>(nested(''));
    expect(statements).toBeLessThanOrEqual(1);
    const { nodes } = data.serviceRequests;
    expect(nodes).toHaveLength(20);
    expect(nodes[0]).toMatchObject({ title: 'Request 29', assignee: { fullName: expect.stringContaining('Ben') } });
    expect(nodes.map(({ comments }) => comments.nodes.length)).toEqual(
      Array.from({ length: 20 }, (_, n) => (n === 0 ? 5 : Math.min(5, (29 - n) % 7))),
    );
    expect(nodes.map(({ watchers }) => watchers.nodes.length)).toEqual(
      Array.from({ length: 20 }, (_, n) => (29 - n) % 4),
    );
    expect(nodes[0]?.comments.nodes[0]).toMatchObject({ author: { fullName: expect.any(String) } });
  });

  test('their counts take one more a list, not one a row', async () => {
    const { data, statements } = await count<{ serviceRequests: Nodes<{ comments: Nodes; watchers: Nodes }> }>(
      nested('totalCount'),
    );
    expect(statements).toBeLessThanOrEqual(3);
    expect(data.serviceRequests.nodes.map(({ comments }) => comments.totalCount)).toEqual(
      Array.from({ length: 20 }, (_, n) => (n === 0 ? 120 : (29 - n) % 7)),
    );
    expect(data.serviceRequests.nodes.map(({ watchers }) => watchers.totalCount)).toEqual(
      Array.from({ length: 20 }, (_, n) => (29 - n) % 4),
    );
  });

  test.each([
    ['a list', '{ serviceRequests { nodes { id title } } }', 1],
    ['a list with its count', '{ serviceRequests(first: 5) { totalCount nodes { id title } } }', 2],
    [
      'edges as nodes',
      '{ serviceRequests { edges { cursor node { title assignee { fullName } building { name } } } } }',
      1,
    ],
    [
      'a row with its lists',
      '{ users(first: 1) { nodes { fullName assignedServiceRequests { nodes { title comments { nodes { comment } } } } } } }',
      1,
    ],
    [
      'the way back',
      '{ serviceRequests { nodes { comments(first: 2) { nodes { author { fullName createdServiceRequests(first: 1) { nodes { id } } } } } } } }',
      1,
    ],
  ])('%s', async (_, query, most) => {
    expect((await count(query)).statements).toBeLessThanOrEqual(most);
  });

  test('REST reads a list and its count in two', async () => {
    await client.get('/service-requests', { limit: 20 });
    expect(service.statements.length - 2).toBeLessThanOrEqual(2);
  });
});

describe('a list inside a row', () => {
  const one = (selection: string) =>
    client.graphql<{ serviceRequest: Record<string, Nodes> }>(`{ serviceRequest(id: "${busy}") { ${selection} } }`);

  test('has 20 rows unless asked, and at most 100', async () => {
    const { data } = await one(
      'few: comments { nodes { id } pageInfo { hasNextPage } } many: comments(first: 100) { nodes { id } }',
    );
    expect(data.serviceRequest['few']).toMatchObject({ nodes: { length: 20 }, pageInfo: { hasNextPage: true } });
    expect(data.serviceRequest['many']?.nodes).toHaveLength(100);
    for (const first of [0, 101, -1]) {
      const { data, errors } = await one(`id comments(first: ${first}) { nodes { id } }`);
      expect(data.serviceRequest).toEqual({ id: busy, comments: null });
      expect(errors).toMatchObject([
        {
          path: ['serviceRequest', 'comments'],
          message: expect.stringContaining('first'),
          extensions: { code: 'BAD_REQUEST' },
        },
      ]);
    }
  });

  test.each(['CREATED_AT', 'COMMENT', 'USER_ID', 'ID'])('is paged by its cursors, sorted by %s', async (sort) => {
    for (const order of ['ASC', 'DESC']) {
      const seen: unknown[] = [];
      for (let after: string | null = ''; after !== null; ) {
        const { data, errors } = await one(
          `page: comments(first: 50, sort: ${sort}, order: ${order} ${after && `after: "${after}"`}) { totalCount nodes { id } pageInfo { hasNextPage endCursor } }`,
        );
        expect(errors).toEqual([]);
        const { nodes = [], totalCount, pageInfo } = data.serviceRequest['page'] ?? {};
        seen.push(...nodes.map(({ id }) => id));
        expect(totalCount).toBe(120);
        after = pageInfo?.hasNextPage ? pageInfo.endCursor : null;
      }
      expect(seen).toHaveLength(120);
      expect(new Set(seen).size).toBe(120);
    }
  });

  test('takes different arguments under different names', async () => {
    const { data, errors } = await one(`
      first: comments(first: 1, order: ASC, sort: ID) { totalCount nodes { id comment } }
      last: comments(first: 2, order: DESC, sort: ID) { totalCount nodes { id comment } }
      seven: comments(search: "Comment 7", first: 100) { totalCount nodes { comment } }
      skipped: comments(offset: 118) { nodes { comment } pageInfo { hasNextPage hasPreviousPage } }
      watchers(first: 1) { totalCount nodes { fullName } edges { node { email } } }
      other: watchers(offset: 1) { nodes { fullName } }`);
    expect(errors).toEqual([]);
    const { first, last, seven, skipped, watchers, other } = data.serviceRequest;
    expect(first).toMatchObject({ totalCount: 120, nodes: { length: 1 } });
    expect(last).toMatchObject({ totalCount: 120, nodes: { length: 2 } });
    expect(last?.nodes).not.toContainEqual(first?.nodes[0]);
    expect(seven).toMatchObject({ totalCount: 11, nodes: { length: 11 } });
    expect(skipped).toMatchObject({ nodes: { length: 2 }, pageInfo: { hasNextPage: false, hasPreviousPage: true } });
    expect(watchers).toMatchObject({
      totalCount: 1,
      nodes: { length: 1 },
      edges: [{ node: { email: expect.any(String) } }],
    });
    expect(other?.nodes).toEqual([]);
  });

  test('shows the same rows as nodes and as edges', async () => {
    const { data } = await client.graphql<{
      serviceRequests: { nodes: Row[]; edges: { cursor: string; node: Row }[]; pageInfo: Row };
    }>(
      '{ serviceRequests(first: 5) { nodes { id title } edges { cursor node { id status } } pageInfo { startCursor endCursor } } }',
    );
    const { nodes, edges, pageInfo } = data.serviceRequests;
    expect(edges.map(({ node }) => node['id'])).toEqual(nodes.map(({ id }) => id));
    expect(pageInfo).toEqual({ startCursor: edges[0]?.cursor, endCursor: edges[4]?.cursor });
    const { data: rest } = await client.graphql<{ serviceRequests: Nodes }>(
      'query ($after: String) { serviceRequests(first: 2, after: $after) { nodes { id } } }',
      { after: edges[2]?.cursor },
    );
    expect(rest.serviceRequests.nodes.map(({ id }) => id)).toEqual(nodes.slice(3).map(({ id }) => id));
  });
});

// Every relation of every type, whatever the families come to be.
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
