// The subscription that names which resources have changed.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { memberClient } from '../resources/members.ts';
import { signInAll } from '../support/browser.ts';
import type { Client } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { type Listening, listeners } from '../support/subscription.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const { listen, closeAll } = listeners(() => service);
afterEach(closeAll);

let tenant: Tenant;
let client: Client;
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
});

const query = 'subscription ($after: String) { changes(after: $after) { position resource type } }';
const typesIn = ({ payloads }: Listening) =>
  payloads.map(({ data }) => data?.['changes']).map((each) => Object(each).type);

test('each resource that changes is named, once for many rows', async () => {
  const listening = await listen(client, query);
  await client.post('/paints', { name: 'Sage' });
  await listening.received(1);
  const [first] = listening.payloads;
  expect(first?.data).toEqual({
    changes: { position: listening.ids[0], resource: 'PAINTS', type: 'Paint' },
  });
  const { prisma } = service.database;
  const companyId = tenant.company.id;
  // In one transaction, which is read at once.
  await prisma.$transaction([
    prisma.vendor.createMany({ data: [1, 2, 3].map((n) => ({ companyId, companyName: `Vendor ${n}` })) }),
    prisma.paint.createMany({ data: [1, 2, 3].map((n) => ({ companyId, name: `Paint ${n}` })) }),
  ]);
  await listening.received(3);
  await client.post('/notes', { title: 'Plan' });
  await listening.received(4);
  expect(typesIn(listening)).toEqual(['Paint', 'Vendor', 'Paint', 'Note']);
  // From the position after the first.
  const again = await listen(client, query, { after: listening.ids[0] });
  expect(typesIn(await again.received(3))).toEqual(['Vendor', 'Paint', 'Note']);
});

test('what the caller may not read is not named: other companies, scopes and rows', async () => {
  const other = await (await service.tenant()).client();
  const reader = await listen(await tenant.client(['paint:read']), query);
  const cleo = await listen(await memberClient(service, tenant, 2), query);
  await other.post('/paints', { name: 'Of others' });
  await client.post('/vendors', { company_name: 'Acme' });
  // A private note.
  await client.post('/notes', { title: 'Plan' });
  await client.post('/paints', { name: 'Sage' });
  expect(typesIn(await reader.received(1))).toEqual(['Paint']);
  await cleo.received(2);
  await client.post('/notes', { title: 'News', is_shared: true });
  expect(typesIn(await cleo.received(3))).toEqual(['Vendor', 'Paint', 'Note']);
  expect(reader.payloads).toHaveLength(1);
});

test('a session listens until it ends', async () => {
  const { member } = await signInAll(service, tenant);
  const listening = await listen(member, query);
  await client.post('/paints', { name: 'Sage' });
  expect(typesIn(await listening.received(1))).toEqual(['Paint']);
  await member.at('').post('/auth/sign-out', {});
  await listening.ended();
  expect(listening.payloads.at(-1)).toMatchObject({ errors: [{ extensions: { code: 'INVALID_TOKEN' } }] });
});
