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

const query = 'query Desks { desks { aggregates { key { status } count } } }';
const chart = {
  part: 'desks.aggregates',
  kind: 'STACKED_BARS',
  labels: 'key.status',
  values: ['count'],
  split: null,
};
const saveQuery = (client: Client, input: Row, id?: unknown) =>
  client.graphql<{ saveQuery: Row }>(
    'mutation ($id: ID, $input: SaveQueryInput!) { saveQuery(id: $id, input: $input) { id charts { part kind labels values split } } }',
    { id, input: { name: 'Desks', query, ...input } },
  );
const fields = 'id name isShared isOfCompany mayEdit ownedBy updatedAt tiles { savedQueryId part kind isWide }';
const save = (client: Client, input: Row, id?: unknown, updatedAt?: unknown) =>
  client.graphql<{ saveDashboard: Row }>(
    `mutation ($id: ID, $input: SaveDashboardInput!, $updatedAt: DateTime) {
      saveDashboard(id: $id, input: $input, updatedAt: $updatedAt) { ${fields} }
    }`,
    { id, updatedAt, input: { name: 'Mine', tiles: [], ...input } },
  );
const remove = (client: Client, id: unknown) =>
  client.graphql<Row>('mutation ($id: ID!) { deleteDashboard(id: $id) { name } }', { id });
const namesOf = async (client: Client) => {
  const { data, errors } = await client.graphql<{ dashboards: Row[] }>('{ dashboards { name mayEdit } }');
  expect(errors).toEqual([]);
  return data.dashboards.map(({ name, mayEdit }) => [name, mayEdit]);
};
const refusal = ({ errors }: { errors: readonly { extensions: { code: string; details?: object } }[] }) =>
  errors.map(({ extensions: { code, details } }) => [code, ...Object.keys(details ?? {})]);

test('the charts of a saved query are kept, and stay until others are sent', async () => {
  const { data, errors } = await saveQuery(member, { charts: [chart] });
  expect(errors).toEqual([]);
  expect(data.saveQuery['charts']).toEqual([chart]);
  const { id } = data.saveQuery;
  expect((await saveQuery(member, { name: 'Renamed' }, id)).data.saveQuery['charts']).toEqual([chart]);
  expect((await saveQuery(member, { charts: [] }, id)).data.saveQuery['charts']).toEqual([]);
});

test.each([
  [[chart, chart], 'charts'],
  [Array.from({ length: 21 }, (_, n) => ({ ...chart, part: `list${n}` })), 'charts'],
  [[{ ...chart, part: 'not a place' }], 'charts[0].part'],
  [[{ ...chart, labels: 'key..status' }], 'charts[0].labels'],
  [[chart, { ...chart, part: '', values: ['count', 'x y'] }], 'charts[1].values[1]'],
  [[{ ...chart, values: Array.from({ length: 11 }, (_, n) => `v${n}`) }], 'charts[0].values'],
])('charts that are none are refused: %#', async (charts, field) => {
  expect(refusal(await saveQuery(member, { charts }))).toEqual([['VALIDATION_ERROR', field]]);
});

test('a dashboard is of a person, who alone changes it, or of the company, whose admins do', async () => {
  const own = (await saveQuery(member, {})).data.saveQuery['id'];
  const shared = (await saveQuery(member, { isShared: true })).data.saveQuery['id'];
  const tiles = [{ savedQueryId: own, part: 'desks.aggregates', kind: 'LINES', isWide: true }];
  const mine = await save(member, { tiles });
  expect(mine).toMatchObject({
    errors: [],
    data: { saveDashboard: { name: 'Mine', isShared: false, isOfCompany: false, mayEdit: true, tiles } },
  });
  expect(mine.data.saveDashboard['ownedBy']).toBe(tenant.users[2]?.fullName);
  const { id, updatedAt } = mine.data.saveDashboard;
  expect(await namesOf(admin)).toEqual([]);
  expect(refusal(await save(admin, {}, id))).toEqual([['NOT_FOUND']]);

  // Others would see an empty tile.
  expect(refusal(await save(member, { isShared: true, tiles }, id))).toEqual([
    ['VALIDATION_ERROR', 'tiles[0].savedQueryId'],
  ]);
  const visible = [{ savedQueryId: shared, part: '', kind: null, isWide: false }];
  expect((await save(member, { isShared: true, tiles: visible }, id, updatedAt)).errors).toEqual([]);
  expect(await namesOf(admin)).toEqual([['Mine', false]]);
  for (const reply of [await save(admin, {}, id), await remove(admin, id)])
    expect(refusal(reply)).toEqual([['NOT_FOUND']]);
  expect(refusal(await save(member, { tiles: visible }, id, updatedAt))).toEqual([['CONFLICT']]);

  expect(refusal(await save(member, { isOfCompany: true }))).toEqual([['INSUFFICIENT_SCOPE']]);
  const ofCompany = await save(admin, { name: 'Ours', isOfCompany: true, tiles: visible });
  expect(ofCompany.data.saveDashboard).toMatchObject({ isShared: true, isOfCompany: true, ownedBy: null });
  const company = ofCompany.data.saveDashboard['id'];
  expect(await namesOf(member)).toEqual([
    ['Mine', true],
    ['Ours', false],
  ]);
  expect(refusal(await save(member, { name: 'Theirs' }, company))).toEqual([['NOT_FOUND']]);
  expect(refusal(await remove(member, company))).toEqual([['NOT_FOUND']]);
  // It stays whose it is.
  expect(refusal(await save(admin, { name: 'Ours' }, company))).toEqual([['VALIDATION_ERROR', 'isOfCompany']]);
  expect((await save(admin, { name: 'Still ours', isOfCompany: true }, company)).errors).toEqual([]);
  expect((await remove(admin, company)).data).toEqual({ deleteDashboard: { name: 'Still ours' } });
  expect((await remove(member, id)).data).toEqual({ deleteDashboard: { name: 'Mine' } });
  expect(await namesOf(member)).toEqual([]);
});

test('tiles show saved queries that one sees, of one company, and not too many', async () => {
  const other = await service.tenant();
  const { admin: stranger } = await signInAll(service, other);
  const elsewhere = (await saveQuery(stranger, { isShared: true })).data.saveQuery['id'];
  const unseen = (await saveQuery(admin, {})).data.saveQuery['id'];
  for (const savedQueryId of [elsewhere, unseen, 'x'])
    expect(refusal(await save(member, { tiles: [{ savedQueryId, part: '' }] }))).toEqual([
      ['VALIDATION_ERROR', 'tiles[0].savedQueryId'],
    ]);
  const mine = (await saveQuery(member, {})).data.saveQuery['id'];
  const many = (count: number) => Array.from({ length: count }, () => ({ savedQueryId: mine, part: '' }));
  expect(refusal(await save(member, { tiles: many(25) }))).toEqual([['VALIDATION_ERROR', 'tiles']]);
  expect((await save(member, { tiles: many(24) })).errors).toEqual([]);
  await save(stranger, { name: 'Elsewhere', isOfCompany: true });
  expect(await namesOf(member)).toEqual([['Mine', true]]);
  const token = await tenant.client();
  expect(refusal(await save(token, {}))).toHaveLength(1);
  expect((await token.graphql('{ dashboards { name } }')).data).toEqual({ dashboards: null });
});

test('there are up to 50, also when several are saved at once', async () => {
  const { prisma } = service.database;
  const companyId = tenant.company.id;
  const rows = (userId: string | null) =>
    prisma.dashboard.createMany({
      data: Array.from({ length: 48 }, () => ({ companyId, userId, name: 'Many', isShared: true })),
    });
  await prisma.dashboard.deleteMany({ where: { companyId } });
  await rows(tenant.users[0]?.id ?? '');
  await rows(null);
  for (const isOfCompany of [false, true]) {
    const replies = await Promise.all(Array.from({ length: 5 }, () => save(admin, { isOfCompany })));
    expect(replies.filter(({ errors }) => errors.length === 0)).toHaveLength(2);
  }
});
