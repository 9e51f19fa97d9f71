import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ownerContext } from '../../src/background/owner.ts';
import type { Context } from '../../src/context.ts';
import { createRows, type Resource } from '../../src/resource/index.ts';
import { api } from '../../src/schema/index.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

// Only inventory items have a batch in the API. These tests create rows of other resources with the same function, as
// they have the rules that inventory items lack.
let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

const resourceOf = (type: string): Resource => {
  const resource = api.resources.find((each) => each.type === type);
  if (!resource) throw new Error(`There is no ${type}.`);
  return resource;
};

type Role = 'ADMIN' | 'MEMBER';

/** The context of a person of the company with this role. */
function contextOf(role: Role): Context {
  const userId = tenant.users.find((user) => user.role === role)?.id ?? '';
  return ownerContext(service.database, { companyId: tenant.company.id, timeZone: 'UTC', userId, role }, randomUUID());
}

const create = (
  type: string,
  inputs: readonly Row[],
  { parentId, role = 'ADMIN' }: { readonly parentId?: string; readonly role?: Role } = {},
) => createRows(resourceOf(type), parentId, { name: 'items', inputs, context: contextOf(role) });

const createAsset = async (body: Row = {}) =>
  String((await client.post('/assets', { asset_name: 'Drill', ...body })).row['id']);

test('all rows of a batch are saved by one statement, below their parent', async () => {
  const parentId = await createAsset();
  service.statements.length = 0;
  const ids = await create('AssetWarranty', [{ provider: 'One' }, { provider: 'Two' }, { provider: 'Three' }], {
    parentId,
  });
  expect(service.statements.filter((sql) => sql.includes('INSERT')).length).toBe(1);
  const { rows } = await client.get(`/assets/${parentId}/warranties`, { sort: '+provider' });
  expect(rows.map(({ id, provider }) => [id, provider])).toEqual([
    [ids[0], 'One'],
    [ids[2], 'Three'],
    [ids[1], 'Two'],
  ]);
});

test('rules between columns, of roles and of extra input name the row by its position', async () => {
  const parentId = await createAsset();
  const [start, end] = [new Date('2026-02-01'), new Date('2026-01-01')];
  await expect(
    create('AssetWarranty', [{}, { startDate: start, endDate: end }, { provider: 'x'.repeat(501) }], { parentId }),
  ).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    fieldErrors: {
      'items.1.endDate': 'must be on or after the start date',
      'items.2.provider': expect.stringMatching(/^must be at most \d+ characters$/),
    },
  });
  const documentId = String((await client.post('/hr/documents', { title: 'Handbook' })).row['id']);
  await expect(
    create('HrAcknowledgment', [{ documentId }, { documentId, ipAddress: '::1' }], { role: 'MEMBER' }),
  ).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    fieldErrors: { 'items.1.ipAddress': 'cannot be set by the role member' },
  });
  await expect(create('ServiceRequest', [{ title: 'x', location: { building: 'Nowhere' } }])).rejects.toMatchObject({
    fieldErrors: { 'items.0.location.building': 'is not the code or name of a building in your company' },
  });
});

test('the checks of the transaction name the row by its position, and nothing is created', async () => {
  const [tower, annex] = await Promise.all(
    ['Tower', 'Annex'].map(async (name) => (await client.post('/locations/buildings', { name })).row['id']),
  );
  const parentId = await createAsset({ building_id: tower });
  // The hook gets the locked parent, which is where both transfers start. The first moves it.
  await expect(
    create('AssetTransfer', [{ toLocation: annex }, { toLocation: annex }], { parentId }),
  ).rejects.toMatchObject({
    code: 'CONFLICT',
    fieldErrors: { 'items.1.fromLocation': "is not the asset's location" },
  });
  await expect(create('AssetTransfer', [{ toLocation: annex }, {}], { parentId })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    fieldErrors: { 'items.1.toUser': 'is required, unless there is a new location' },
  });
  expect((await client.get(`/assets/${parentId}/transfers`)).meta.total).toBe(0);
  expect((await client.get(`/assets/${parentId}`)).row['building_id']).toBe(tower);
});

test('a status that the role may not set, and a parent that does not exist, reject the batch', async () => {
  await expect(
    create('Invoice', [{ invoiceNumber: randomUUID() }, { invoiceNumber: randomUUID(), status: 'PAID' }], {
      role: 'MEMBER',
    }),
  ).rejects.toMatchObject({ code: 'INSUFFICIENT_SCOPE' });
  for (const type of ['AssetWarranty', 'AssetTransfer'])
    await expect(create(type, [{ toUser: tenant.users[0]?.id }], { parentId: randomUUID() })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
});
