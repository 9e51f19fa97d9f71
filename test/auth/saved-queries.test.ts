import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { signInAll } from '../support/browser.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let admin: Client;
let member: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  ({ admin, member } = await signInAll(service, tenant));
});
afterAll(() => service.close());

const saveQuery =
  'mutation ($id: ID, $input: SaveQueryInput!) { saveQuery(id: $id, input: $input) { id name query variables isShared isMine savedBy } }';
const desks = 'query Desks($taken: Boolean) { desks(filter: { isAssigned: { eq: $taken } }) { totalCount } }';
const save = (client: Client, input: Row, id?: unknown) => client.graphql<{ saveQuery: Row }>(saveQuery, { input, id });
const namesOf = async (client: Client) => {
  const { data, errors } = await client.graphql<{ savedQueries: Row[] }>('{ savedQueries { name isMine savedBy } }');
  expect(errors).toEqual([]);
  return data.savedQueries.map(({ name }) => name);
};

test('a query is kept for oneself or for the company, and changed by who saved it alone', async () => {
  const mine = await save(member, { name: ' Desks ', query: desks, variables: '{"taken": true}' });
  expect(mine).toMatchObject({
    errors: [],
    data: {
      saveQuery: {
        name: 'Desks',
        query: desks,
        variables: '{"taken": true}',
        isShared: false,
        isMine: true,
        savedBy: tenant.users[2]?.fullName,
      },
    },
  });
  const { id } = mine.data.saveQuery;
  expect([await namesOf(member), await namesOf(admin)]).toEqual([['Desks'], []]);

  expect((await save(member, { name: 'Taken desks', query: desks, isShared: true }, id)).data.saveQuery).toMatchObject({
    id,
    name: 'Taken desks',
    variables: null,
  });
  expect([await namesOf(member), await namesOf(admin)]).toEqual([['Taken desks'], ['Taken desks']]);

  const remove = 'mutation ($id: ID!) { deleteSavedQuery(id: $id) { name } }';
  for (const [client, wrong] of [
    [admin, id],
    [member, '019facb8-21ee-732d-9ccd-f72163142b82'],
  ] as const) {
    for (const { data, errors } of [
      await save(client, { name: 'Theirs', query: desks }, wrong),
      await client.graphql<Row>(remove, { id: wrong }),
    ]) {
      expect(Object.values(data)).toEqual([null]);
      expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    }
  }
  expect(await namesOf(member)).toEqual(['Taken desks']);
  expect((await member.graphql(remove, { id })).data).toEqual({ deleteSavedQuery: { name: 'Taken desks' } });
  expect(await namesOf(admin)).toEqual([]);
});

test('queries of other companies are not seen, and tokens have no scope for them', async () => {
  const other = await service.tenant();
  const { admin: otherAdmin } = await signInAll(service, other);
  await save(otherAdmin, { name: 'Elsewhere', query: desks, isShared: true });
  expect(await namesOf(otherAdmin)).toEqual(['Elsewhere']);
  expect(await namesOf(admin)).toEqual([]);
  const token = await tenant.client();
  const { data, errors } = await token.graphql('{ savedQueries { name } }');
  expect(data).toEqual({ savedQueries: null });
  expect(errors).toMatchObject([{ path: ['savedQueries'] }]);
  expect((await save(token, { name: 'By a token', query: desks })).errors).toHaveLength(1);
});

test.each([
  [{ name: ' ', query: desks }, 'name', 'must not be empty'],
  [{ name: 'x'.repeat(201), query: desks }, 'name', 'must be at most 200 characters'],
  [{ name: 'Two\nlines', query: desks }, 'name', 'must not contain control characters'],
  [{ name: 'Broken', query: '{ desks {' }, 'query', 'must be GraphQL'],
  [{ name: 'Long', query: `# ${'x'.repeat(50_000)}\n${desks}` }, 'query', 'must be GraphQL'],
  [{ name: 'Variables', query: desks, variables: '[1]' }, 'variables', 'must be a JSON object'],
  [{ name: 'Variables', query: desks, variables: '{' }, 'variables', 'must be a JSON object'],
])('%j is refused', async (input, field, message) => {
  const { data, errors } = await save(member, input);
  expect(data).toEqual({ saveQuery: null });
  expect(errors).toMatchObject([
    { extensions: { code: 'VALIDATION_ERROR', details: { [field]: expect.stringContaining(message) } } },
  ]);
  expect(await namesOf(member)).toEqual([]);
});

test('a person keeps up to 200, also when several are saved at once', async () => {
  const [, , cleo] = tenant.users;
  const row = { companyId: tenant.company.id, userId: cleo?.id ?? '', name: 'Many', query: desks };
  await service.database.prisma.savedQuery.createMany({ data: Array.from({ length: 197 }, () => row) });
  const replies = await Promise.all(Array.from({ length: 8 }, () => save(member, { name: 'Several', query: desks })));
  expect(replies.filter(({ errors }) => errors.length === 0)).toHaveLength(3);
  expect((await save(member, { name: 'One more', query: desks })).errors).toMatchObject([
    { extensions: { code: 'CONFLICT' } },
  ]);
});
