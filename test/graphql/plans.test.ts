// What a plan reads is what graphql-js responds: `__typename` beside the lists, which no plan has, leads to graphql-js.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { GraphQLObjectType } from 'graphql';
import { Statement } from '../../src/database/read/statement.ts';
import type { Client, Row } from '../support/client.ts';
import { collectionsWith, leadingFields, operationOf, rootField, rowType, typeOf } from '../support/resources.ts';
import { Rows } from '../support/rows.ts';
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

const listed = collectionsWith('list').filter(
  ([, collection]) => collection.on.list?.operation.type === typeOf(collection),
);

/** The columns of a type. */
const columnsOf = (type: GraphQLObjectType): string =>
  Object.values(type.getFields())
    .filter(({ extensions }) => extensions.exposes !== undefined)
    .map(({ name }) => name)
    .join(' ');

/** All columns of a type, with those of the rows that it refers to and of the first rows of its lists. */
function everythingOf(type: GraphQLObjectType): string {
  const leading = leadingFields(type).map(({ name, type: target }) => {
    const columns = `__typename ${columnsOf(rowType(target))}`;
    return rowType(target) === target
      ? `${name} { ${columns} }`
      : `${name}(first: 2) { __typename nodes { ${columns} } }`;
  });
  return `__typename ${columnsOf(type)} ${leading.join(' ')}`;
}

/** Asks both ways. @returns the data of both, and whether a plan read the first */
async function ask(query: string, variables: Row = {}, by = client) {
  const send = async (text: string) => {
    service.statements.length = 0;
    const { data, errors } = await by.graphql<Record<string, { nodes: Row[] }>>(text, variables);
    return { data, errors, isPlanned: service.statements.some((sql) => sql.includes('json_build_object')) };
  };
  const { isPlanned, ...planned } = await send(query);
  const { isPlanned: isPlannedToo, ...executed } = await send(query.replace('{', '{ __typename '));
  expect(isPlannedToo).toBe(false);
  const { __typename: _, ...data } = executed.data;
  // Also the order of fields.
  expect(JSON.stringify(planned.data)).toBe(JSON.stringify(data));
  // A location depends on the text of the query.
  expect(planned.errors).toMatchObject(
    executed.errors.map(({ message, path, extensions }) => ({ message, path, extensions })),
  );
  return { ...planned, isPlanned };
}

test.each(listed)('all columns, references and lists of %s', async (_path, collection) => {
  const { field, type } = collection.on.list?.operation ?? { field: '', type: '' };
  if (type !== 'Company') for (let n = 0; n < 3; n++) await rows.list(collection, { full: n > 0 });
  const parents = await rows.variables(rootField(field));
  const selection = everythingOf(rowType(rootField(field).type));
  const page = 'totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
  const query = operationOf(rootField(field), 'Query', Object.keys(parents), `{ ${page} nodes { ${selection} } }`);
  const { data, errors, isPlanned } = await ask(query, parents);
  expect(errors).toEqual([]);
  expect(data[field]?.nodes.length).toBeGreaterThan(0);
  expect(isPlanned).toBe(true);
});

test('aliases, fragments, variables, cursors and conditions', async () => {
  const query = `
    query Page($first: Int = 2, $after: String, $status: [RequestStatus!], $rows: Int!) {
      found: serviceRequests(first: $first, after: $after, filter: { status: { in: $status } }) {
        count: totalCount
        ...Rows
        position: pageInfo { __typename endCursor more: hasNextPage }
      }
    }
    fragment Rows on ServiceRequestConnection { __typename list: nodes { ...Row ... on ServiceRequest { state: status } } }
    fragment Row on ServiceRequest { key: id by: creator { name: fullName } said: comments(first: $rows) { all: nodes { comment } } }`;
  const collection = new Map(listed).get('/service-requests');
  if (!collection) throw new Error('There are no service requests.');
  for (let n = 0; n < 5; n++) await rows.list(collection);
  const variables = { status: ['PENDING', 'IN_PROGRESS', 'COMPLETED'], rows: 2 };
  const first = await ask(query, variables);
  expect(first.isPlanned).toBe(true);
  const { found } = first.data as unknown as { found: { position: { endCursor: string; more: boolean } } };
  expect(found.position.more).toBe(true);
  const next = await ask(query, { ...variables, after: found.position.endCursor, first: 3 });
  expect(next.isPlanned).toBe(true);
  expect(next.data).not.toEqual(first.data);
});

test('rows from the end, in their order', async () => {
  const { isPlanned } = await ask(
    '{ serviceRequests(last: 3) { nodes { id createdAt } pageInfo { startCursor endCursor } } }',
  );
  expect(isPlanned).toBe(true);
});

const commentsOf = (relation: string, reference: string) => `${relation}(first: 100) { nodes { id ${reference} } }`;

test('rows of the type that a list names, where a model has several', async () => {
  const { isPlanned, data } = await ask(
    `{ users { nodes { ${commentsOf('moveRequestComments', 'of: moveRequestId')} ${commentsOf('serviceRequestComments', 'of: serviceRequestId')} } } }`,
  );
  expect(isPlanned).toBe(true);
  const lists = (data['users']?.nodes ?? []).flatMap((user) => Object.values(user) as { nodes: Row[] }[]);
  expect(lists.flatMap(({ nodes }) => nodes).length).toBeGreaterThan(0);
  for (const { nodes } of lists) for (const comment of nodes) expect(comment['of']).not.toBeNull();
});

test.each([
  [
    'totals of lists inside rows',
    `{ serviceRequests(first: 4) { nodes {
      comments(first: 1) { totalCount nodes { id } }
      few: comments(first: 100) { n: totalCount }
      later: comments(first: 2, offset: 1, filter: { comment: { ne: "x" } }) { totalCount nodes { id } }
      watchers(first: 1) { totalCount __typename nodes { fullName } } } } }`,
  ],
  ['lists of which only the type is asked', '{ serviceRequests(first: 4) { nodes { comments { __typename } } } }'],
  [
    'conditions',
    `query ($yes: Boolean = true, $no: Boolean = false) { serviceRequests(first: 3) {
      totalCount @include(if: $no) nodes { id title @skip(if: $yes) status @include(if: $yes) ...Row @include(if: $yes) } } }
    fragment Row on ServiceRequest { creator @skip(if: $no) { id } comments(first: 2) { nodes { id comment @include(if: $no) } } }`,
  ],
  [
    'fields that are selected several times',
    `{ serviceRequests(first: 3) { nodes { id ...One } nodes { id title ...Two } } }
    fragment One on ServiceRequest { creator { id } comments(first: 2) { nodes { id } } }
    fragment Two on ServiceRequest { creator { fullName id } comments(first: 2) { nodes { comment } totalCount } }`,
  ],
  ['edges', '{ serviceRequests(first: 3) { edges { __typename cursor node { id title } } pageInfo { endCursor } } }'],
  [
    'items',
    '{ purchaseOrders(first: 3) { nodes { id lineItems { __typename description quantity unitPrice item { id name } } } } }',
  ],
  ['several lists', '{ a: paints(first: 2) { nodes { id } } b: vendors(last: 2) { totalCount nodes { id status } } }'],
  ['a list beside a wrong one', '{ a: paints(first: 0) { nodes { id } } b: paints(first: 1) { nodes { id } } }'],
])('%s', async (_what, query) => {
  const { isPlanned } = await ask(query);
  expect(isPlanned).toBe(true);
});

test('a row, and one that does not exist', async () => {
  const { data } = await client.graphql<{ serviceRequests: { nodes: Row[] } }>('{ serviceRequests { nodes { id } } }');
  const query =
    'query ($id: ID!) { serviceRequest(id: $id) { id title creator { fullName } comments { totalCount } } }';
  const found = await ask(query, { id: data.serviceRequests.nodes[0]?.['id'] });
  expect(found).toMatchObject({ isPlanned: true, errors: [] });
  const missing = await ask(query, { id: '00000000-0000-7000-8000-000000000000' });
  expect(missing.errors).toMatchObject([{ path: ['serviceRequest'], extensions: { code: 'NOT_FOUND' } }]);
});

test.each([
  ['a virtual field', '{ serviceRequests(first: 1) { nodes { id etag } } }'],
  ['a list from its end', '{ serviceRequests(first: 1) { nodes { comments(last: 1) { nodes { id } } } } }'],
  ['the position of an inner page', '{ serviceRequests(first: 1) { nodes { comments { pageInfo { endCursor } } } } }'],
  ['groups', '{ serviceRequests { aggregates { count } } }'],
  [
    'wrong arguments of an inner list',
    '{ serviceRequests(first: 1) { nodes { comments(first: 0) { nodes { id } } } } }',
  ],
])('%s is left to graphql-js', async (_what, query) => {
  expect((await ask(query)).isPlanned).toBe(false);
});

test('a related row that the caller may not read is left to graphql-js', async () => {
  const reader = await rows.tenant.client(['service_requests:read']);
  const { isPlanned, errors } = await ask('{ serviceRequests(first: 2) { nodes { id building { id } } } }', {}, reader);
  expect(isPlanned).toBe(false);
  expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE' } }]);
});

test('reads no more rows than it returns, and each related row once', async () => {
  service.statements.length = 0;
  await client.graphql('{ serviceRequests(first: 7) { nodes { watchers(first: 4) { nodes { fullName } } } } }');
  const [sql = ''] = service.statements.filter((each) => each.includes('"service_requests"'));
  expect([...sql.matchAll(/LIMIT (\d+)/g)].map(([, most]) => most)).toEqual(['4', '7']);
  expect(sql.match(/"users"/g)).toHaveLength(1);
});

test('makes a statement once for all requests that differ by their values', async () => {
  const [title, another] = ['Leaking tap', 'Broken door'];
  const create = async (title: string) => (await client.post('/service-requests', { title })).row['id'];
  const [one, other] = [await create(title), await create(another)];
  const query = `query ($title: String, $titles: [String!], $with: Boolean!) {
    serviceRequests(filter: { or: [{ title: { eq: $title } }, { title: { in: $titles } }] }) {
      nodes { id title comments(first: 2, filter: { comment: { ne: $title } }) @include(if: $with) { nodes { id } } }
    } }`;
  const made = jest.spyOn(Statement.prototype, 'alias');
  /** Whether the text of a statement is made. */
  const makes = async (read: () => Promise<unknown>) => {
    made.mockClear();
    await read();
    return made.mock.calls.length > 0;
  };
  const graphql = async (variables: Row) => {
    const { data: found, errors } = await client.graphql<{ serviceRequests: { nodes: Row[] } }>(query, variables);
    expect(errors).toEqual([]);
    const titles = [variables['title'], ...((variables['titles'] as unknown[]) ?? [])];
    const { nodes } = found.serviceRequests;
    expect(nodes.every(({ title }) => titles.includes(title))).toBe(true);
    expect(nodes.length).toBeGreaterThan(0);
    for (const node of nodes) expect('comments' in node).toBe(variables['with']);
  };
  for (const [variables, isNew] of [
    [{ title, titles: [another], with: true }, true],
    [{ title: another, titles: ['none', 'nothing'], with: true }, false],
    [{ title: 'none', titles: [title, another, 'none'], with: true }, false],
    // A condition that holds for no row, and other fields.
    [{ title, titles: [], with: true }, true],
    [{ title, titles: [another], with: false }, true],
    [{ title: another, titles: [title], with: false }, false],
  ] as const)
    expect({ variables, isMade: await makes(() => graphql(variables)) }).toEqual({ variables, isMade: isNew });
  const rest = async (path: string, parameters = {}) => {
    const { status } = await client.get(path, parameters);
    expect(status).toBe(200);
  };
  // Another test may have read one row before.
  await rest(`/service-requests/${one}`);
  for (const [path, parameters, isNew] of [
    ['/service-requests', { title, limit: 7 }, true],
    ['/service-requests', { title: another, limit: 7 }, false],
    ['/service-requests', { title: another, limit: 8 }, true],
    [`/service-requests/${other}`, {}, false],
  ] as const)
    expect({ path, parameters, isMade: await makes(() => rest(path, parameters)) }).toEqual({
      ...{ path, parameters },
      isMade: isNew,
    });
  made.mockRestore();
});
