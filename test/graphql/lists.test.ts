import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { Rows } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
let client: Client;
/** The latest request, which has the longest thread. */
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
  /**
   * Runs a query without errors.
   * @returns its data, and its number of statements
   */
  async function count<Data>(query: string) {
    const { data, errors } = await client.graphql<Data>(query);
    expect(errors).toEqual([]);
    return { data, statements: service.statements.length };
  }
  const nested = (total: string) => `{
    serviceRequests(first: 20) { nodes {
      id title status assignee { id fullName }
      comments(first: 5) { ${total} nodes { comment author { fullName } } }
      watchers(first: 5) { ${total} nodes { id fullName } }
    } }
  }`;

  test('one statement loads 20 requests with their lists and people', async () => {
    const { data, statements } = await count<{
      serviceRequests: Nodes<{ comments: Nodes; watchers: Nodes; assignee: Row | null }>;
    }>(nested(''));
    expect(statements).toBe(1);
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

  test('counts are part of the statement, or take one per list where graphql-js executes it', async () => {
    const { data, statements } = await count<{ serviceRequests: Nodes<{ comments: Nodes; watchers: Nodes }> }>(
      nested('totalCount'),
    );
    expect(statements).toBe(1);
    const executed = await count(nested('totalCount pageInfo { hasNextPage }'));
    expect(executed.statements).toBeGreaterThan(1);
    expect(executed.statements).toBeLessThanOrEqual(3);
    expect(data.serviceRequests.nodes.map(({ comments }) => comments.totalCount)).toEqual(
      Array.from({ length: 20 }, (_, n) => (n === 0 ? 120 : (29 - n) % 7)),
    );
    expect(data.serviceRequests.nodes.map(({ watchers }) => watchers.totalCount)).toEqual(
      Array.from({ length: 20 }, (_, n) => (29 - n) % 4),
    );
  });

  test.each([
    ['a list', '{ serviceRequests { nodes { id title } } }', 1],
    ['a list with its count', '{ serviceRequests(first: 5) { totalCount nodes { id title } } }', 1],
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
  ])('%s', async (_, query, statements) => {
    expect((await count(query)).statements).toBe(statements);
  });

  test('REST reads a list and its count in one statement', async () => {
    await client.get('/service-requests', { limit: 20 });
    expect(service.statements).toHaveLength(1);
  });
});

test('a filter accepts 1,000 values, and so do many nested filters in one statement', async () => {
  const texts = (count: number) => Array.from({ length: count }, (_, n) => `Request ${n}`);
  const ids = texts(1000).map((_, n) => `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`);
  const ask = async (query: string, count = 1000) =>
    (await client.graphql(`query ($texts: [String!], $ids: [ID!]) ${query}`, { texts: texts(count), ids })).errors.map(
      ({ message, extensions }) => [extensions.code, message],
    );
  const filter = '(first: 1, filter: { title: { in: $texts }, id: { in: $ids } })';
  expect(await ask(`{ serviceRequests${filter} { nodes { id } } }`)).toEqual([]);
  expect(await ask(`{ serviceRequests${filter} { nodes { id } } }`, 32_000)).toEqual([
    ['BAD_REQUEST', 'texts: must have at most 1000 values'],
  ]);
  const names = ['description', 'category', 'floor', 'room'].map((name) => `${name}: { in: $texts }`);
  const full = `(first: 1, filter: { title: { in: $texts }, ${names.join()}, id: { in: $ids }, assignedTo: { in: $ids }, buildingId: { in: $ids } })`;
  // Each has 8,000 values, and all are in one statement: more than PostgreSQL's 65,535 parameters.
  const innermost = `assignee { assignedServiceRequests${full} { nodes { id } } }`;
  const inner = `building { serviceRequests${full} { nodes { ${innermost} } } }`;
  const lists = ['created', 'assigned', 'more: created'].map(
    (list) => `${list}ServiceRequests${full} { nodes { ${inner} } }`,
  );
  expect(await ask(`{ users(first: 1) { nodes { ${lists.join(' ')} } } }`)).toEqual([]);
});

describe('a list inside a row', () => {
  const one = (selection: string) =>
    client.graphql<{ serviceRequest: Record<string, Nodes> }>(`{ serviceRequest(id: "${busy}") { ${selection} } }`);

  test('has 20 rows by default, and at most 100', async () => {
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

  test.each(['CREATED_AT', 'COMMENT', 'USER_ID', 'ID'])('is paged by cursors, sorted by %s', async (sort) => {
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

  test('accepts different arguments under different aliases', async () => {
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
    expect(nodes).toHaveLength(5);
    expect(edges.map(({ node }) => node['id'])).toEqual(nodes.map(({ id }) => id));
    expect(pageInfo).toEqual({ startCursor: edges[0]?.cursor, endCursor: edges[4]?.cursor });
    const { data: rest } = await client.graphql<{ serviceRequests: Nodes }>(
      'query ($after: String) { serviceRequests(first: 2, after: $after) { nodes { id } } }',
      { after: edges[2]?.cursor },
    );
    expect(rest.serviceRequests.nodes.map(({ id }) => id)).toEqual(nodes.slice(3).map(({ id }) => id));
  });
});
