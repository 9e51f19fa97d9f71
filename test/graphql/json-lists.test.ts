// What PostgreSQL writes as JSON is what graphql-js responds: a directive that changes nothing leads to graphql-js.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { GraphQLObjectType } from 'graphql';
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
    .filter(({ extensions }) => typeof extensions['pothosExposedField'] === 'string')
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

/** Asks both ways. @returns the data of both, and whether PostgreSQL wrote the first */
async function ask(query: (directive: string) => string, variables: Row) {
  service.statements.length = 0;
  const send = async (directive: string) => {
    const { data, errors } = await client.graphql<Record<string, { nodes: Row[] }>>(query(directive), variables);
    return { data, errors };
  };
  const written = await send('');
  const isWritten = service.statements.some((sql) => sql.includes('json_build_object'));
  service.statements.length = 0;
  const executed = await send('@include(if: true)');
  expect(service.statements.some((sql) => sql.includes('json_build_object'))).toBe(false);
  return { written, executed, isWritten };
}

test.each(listed)('all columns, references and lists of %s', async (_path, collection) => {
  const { field, type } = collection.on.list?.operation ?? { field: '', type: '' };
  if (type !== 'Company') for (let n = 0; n < 3; n++) await rows.list(collection, { full: n > 0 });
  const parents = await rows.variables(rootField(field));
  const selection = everythingOf(rowType(rootField(field).type));
  const { written, executed, isWritten } = await ask(
    (directive) =>
      operationOf(
        rootField(field),
        'Query',
        Object.keys(parents),
        `{ totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes ${directive} { ${selection} } }`,
      ),
    parents,
  );
  expect(written).toEqual(executed);
  expect(written.errors).toEqual([]);
  expect(written.data[field]?.nodes.length).toBeGreaterThan(0);
  expect(isWritten).toBe(true);
});

test('aliases, fragments, variables, cursors and conditions', async () => {
  const query = (directive: string) => `
    query Page($first: Int = 2, $after: String, $status: [RequestStatus!], $rows: Int!) {
      found: serviceRequests(first: $first, after: $after, filter: { status: { in: $status } }) {
        count: totalCount
        ...Rows
        position: pageInfo ${directive} { __typename endCursor more: hasNextPage }
      }
    }
    fragment Rows on ServiceRequestConnection { __typename list: nodes { ...Row ... on ServiceRequest { state: status } } }
    fragment Row on ServiceRequest { key: id by: creator { name: fullName } said: comments(first: $rows) { all: nodes { comment } } }`;
  const collection = new Map(listed).get('/service-requests');
  if (!collection) throw new Error('There are no service requests.');
  for (let n = 0; n < 5; n++) await rows.list(collection);
  const variables = { status: ['PENDING', 'IN_PROGRESS', 'COMPLETED'], rows: 2 };
  const first = await ask(query, variables);
  expect(first.isWritten).toBe(true);
  expect(first.written).toEqual(first.executed);
  const { found } = first.written.data as unknown as { found: { position: { endCursor: string; more: boolean } } };
  expect(found.position.more).toBe(true);
  const next = await ask(query, { ...variables, after: found.position.endCursor, first: 3 });
  expect(next.isWritten).toBe(true);
  expect(next.written).toEqual(next.executed);
  expect(next.written.data).not.toEqual(first.written.data);
});

test('rows from the end, in their order', async () => {
  const { written, executed, isWritten } = await ask(
    (directive) =>
      `{ serviceRequests(last: 3) { nodes ${directive} { id createdAt } pageInfo { startCursor endCursor } } }`,
    {},
  );
  expect(isWritten).toBe(true);
  expect(written).toEqual(executed);
});

test('reads no more rows than it returns, and each related row once', async () => {
  service.statements.length = 0;
  await client.graphql('{ serviceRequests(first: 7) { nodes { watchers(first: 4) { nodes { fullName } } } } }');
  const [sql = ''] = service.statements.filter((each) => each.includes('"service_requests"'));
  expect([...sql.matchAll(/LIMIT (\d+)/g)].map(([, most]) => most)).toEqual(['4', '7']);
  expect(sql.match(/"users"/g)).toHaveLength(1);
});
