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

const saveView =
  'mutation ($id: ID, $input: SaveViewInput!) { saveView(id: $id, input: $input) { id name type search isShared isMine savedBy } }';
const open = { type: 'ServiceRequest', search: '?status=PENDING%2CIN_PROGRESS&sort=createdAt' };
const save = (client: Client, input: Row, id?: unknown) => client.graphql<{ saveView: Row }>(saveView, { input, id });
const namesOf = async (client: Client, type?: string) => {
  const query = 'query ($type: String) { savedViews(type: $type) { name } }';
  const { data, errors } = await client.graphql<{ savedViews: Row[] }>(query, { type });
  expect(errors).toEqual([]);
  return data.savedViews.map(({ name }) => name);
};

test('a view is kept for oneself or for the company, and changed by who saved it alone', async () => {
  const mine = await save(member, { name: ' Open ', ...open });
  expect(mine).toMatchObject({
    errors: [],
    data: { saveView: { name: 'Open', ...open, isShared: false, isMine: true, savedBy: tenant.users[2]?.fullName } },
  });
  const { id } = mine.data.saveView;
  expect([await namesOf(member), await namesOf(admin)]).toEqual([['Open'], []]);
  expect((await save(member, { name: 'All open', ...open, isShared: true }, id)).errors).toEqual([]);
  expect([await namesOf(member), await namesOf(admin)]).toEqual([['All open'], ['All open']]);
  expect([await namesOf(admin, 'ServiceRequest'), await namesOf(admin, 'Vendor')]).toEqual([['All open'], []]);

  const remove = 'mutation ($id: ID!) { deleteSavedView(id: $id) { name } }';
  for (const [client, wrong] of [
    [admin, id],
    [member, '019facb8-21ee-732d-9ccd-f72163142b82'],
  ] as const) {
    for (const { data, errors } of [
      await save(client, { name: 'Theirs', ...open }, wrong),
      await client.graphql<Row>(remove, { id: wrong }),
    ]) {
      expect(Object.values(data)).toEqual([null]);
      expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    }
  }
  expect((await member.graphql(remove, { id })).data).toEqual({ deleteSavedView: { name: 'All open' } });
  expect(await namesOf(admin)).toEqual([]);
});

test('views of other companies are not seen, and tokens have no scope for them', async () => {
  const { admin: otherAdmin } = await signInAll(service, await service.tenant());
  await save(otherAdmin, { name: 'Elsewhere', ...open, isShared: true });
  expect([await namesOf(otherAdmin), await namesOf(admin)]).toEqual([['Elsewhere'], []]);
  const token = await tenant.client();
  const { data, errors } = await token.graphql('{ savedViews { name } }');
  expect(data).toEqual({ savedViews: null });
  expect(errors).toMatchObject([{ path: ['savedViews'] }]);
  expect((await save(token, { name: 'By a token', ...open })).errors).toHaveLength(1);
});

test.each([
  [{ name: ' ', ...open }, 'name', 'must not be empty'],
  [{ name: 'x'.repeat(201), ...open }, 'name', 'must be at most 200 characters'],
  [{ name: 'Type', type: 'ServiceRequests', search: '' }, 'type', 'did you mean ServiceRequest?'],
  [{ name: 'Type', type: 'TimeClockSettings', search: '' }, 'type', 'must be the type of a list'],
  ...['status=PENDING', '? ', '?a#b', '?ä', `?${'x'.repeat(4096)}`].map(
    (search) =>
      [{ name: 'Search', type: 'Vendor', search }, 'search', 'must be the search part of an address'] as const,
  ),
])('%j is refused', async (input, field, message) => {
  const { data, errors } = await save(member, input);
  expect(data).toEqual({ saveView: null });
  expect(errors).toMatchObject([
    { extensions: { code: 'VALIDATION_ERROR', details: { [field]: expect.stringContaining(message) } } },
  ]);
  expect(await namesOf(member)).toEqual([]);
});

test('a person keeps up to 200 of up to 4,096 characters, also when several are saved at once', async () => {
  const [, , cleo] = tenant.users;
  const row = { companyId: tenant.company.id, userId: cleo?.id ?? '', name: 'Many', resource: 'Vendor', search: '' };
  await service.database.prisma.savedView.createMany({ data: Array.from({ length: 197 }, () => row) });
  const input = { name: 'Several', type: 'Vendor', search: `?${'x'.repeat(4095)}` };
  const replies = await Promise.all(Array.from({ length: 8 }, () => save(member, input)));
  expect(replies.filter(({ errors }) => errors.length === 0)).toHaveLength(3);
  expect((await save(member, input)).errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
});
