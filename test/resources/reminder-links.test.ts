import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { memberClient } from './members.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

const remind = async (body: Row = {}) => (await client.post('/reminders', { title: 'Filter', ...body })).row;
const itemOf = ({ id }: Row) => `/reminders/${String(id)}`;
const idOf = async (path: string, body: Row) => String((await client.post(path, body)).row['id']);
/** All reminders of the company, in order of creation. */
const all = async () => (await client.get('/reminders', { sort: 'id', order: 'asc', limit: 100 })).rows;

/** Creates a row of every resource that a reminder can link to. @returns its id, by GraphQL type */
async function everything(): Promise<Record<string, string>> {
  const vendor = await idOf('/vendors', { company_name: 'Acme' });
  return {
    ServiceRequest: await idOf('/service-requests', { title: 'Lamp' }),
    MoveRequest: await idOf('/move-requests', { title: 'Desk' }),
    InventoryItem: await idOf('/inventory', { name: 'Bulb' }),
    Requisition: await idOf('/procurement/requisitions', { title: 'Bulbs' }),
    PurchaseOrder: await idOf('/procurement/orders', { vendor_id: vendor }),
    Invoice: await idOf(`/vendors/${vendor}/invoices`, { invoice_number: '1' }),
    Lease: await idOf('/leases', { name: 'Hall' }),
    Asset: await idOf('/assets', { asset_name: 'Lift' }),
    Vendor: vendor,
    Checklist: await idOf('/checklists', { name: 'Doors' }),
    Shipment: await idOf('/shipping', { description: 'Box' }),
    Building: await idOf('/locations/buildings', { name: 'Tower' }),
    Paint: await idOf('/paints', { name: 'White' }),
    Desk: await idOf('/butts-in-seats/desks', { floor: '1' }),
    Document: await idOf('/documents', { title: 'Plan' }),
    HrDocument: await idOf('/hr/documents', { title: 'Rules' }),
    TrainingProgram: await idOf('/training', { title: 'Ladders' }),
    Note: await idOf('/notes', { title: 'Keys' }),
    User: tenant.users[1]?.id ?? '',
  };
}

/** The types that a reminder can link to, with their names, singular and plural. */
const restValuesOf: Record<string, string[]> = {
  ServiceRequest: ['service_request', 'service_requests'],
  MoveRequest: ['move_request', 'move_requests'],
  InventoryItem: ['inventory', 'inventories', 'inventory_item', 'inventory_items'],
  Requisition: ['requisition', 'requisitions'],
  PurchaseOrder: ['purchase_order', 'purchase_orders', 'order', 'orders'],
  Invoice: ['invoice', 'invoices'],
  Lease: ['lease', 'leases'],
  Asset: ['asset', 'assets'],
  Vendor: ['vendor', 'vendors'],
  Checklist: ['checklist', 'checklists'],
  Shipment: ['shipment', 'shipments'],
  Building: ['building', 'buildings'],
  Paint: ['paint', 'paints'],
  Desk: ['desk', 'desks'],
  Document: ['document', 'documents'],
  HrDocument: ['hr_document', 'hr_documents'],
  TrainingProgram: ['training', 'trainings', 'training_program', 'training_programs'],
  Note: ['note', 'notes'],
  User: ['user', 'users'],
};

type Linked = { linkedEntity: Row | null };

describe("a reminder's link", () => {
  test('is resolved for every type that names a resource', async () => {
    const ids = await everything();
    for (const [type, words] of Object.entries(restValuesOf)) {
      const spellings = [...words, words.at(-1)?.replaceAll('_', '-'), words[0]?.toUpperCase()];
      for (const linked_entity_type of new Set(spellings)) {
        const link = { linked_entity_type, linked_entity_id: ids[type] };
        expect([type, await client.post('/reminders', { title: type, ...link })]).toMatchObject([
          type,
          { status: 201, row: link },
        ]);
      }
      const gone = { title: 'x', linked_entity_type: words[0], linked_entity_id: randomUUID() };
      expect((await client.post('/reminders', gone)).details).toEqual({ linked_entity_id: expect.any(String) });
    }
    const { data, errors } = await client.graphql<{ reminders: { nodes: (Linked & Row)[] } }>(
      '{ reminders(first: 100) { nodes { title linkedEntity { __typename } } } }',
    );
    expect(errors).toEqual([]);
    for (const { title, linkedEntity } of data.reminders.nodes) expect(linkedEntity).toEqual({ __typename: title });
  });

  test('aggregates the lists of each type', async () => {
    const request = await idOf('/service-requests', { title: 'Lamp', description: 'Flickers' });
    const move = await idOf('/move-requests', { title: 'Desk' });
    for (const path of [`/service-requests/${request}`, `/move-requests/${move}`, `/move-requests/${move}`])
      await client.post(`${path}/comments`, { comment: 'Noted' });
    await remind({ title: 'Lamp', linked_entity_type: 'service_request', linked_entity_id: request });
    await remind({ title: 'Desk', linked_entity_type: 'move_request', linked_entity_id: move });
    const comments = 'comments { totalCount aggregates { count } nodes { comment } }';
    const { data, errors } = await client.graphql<{ reminders: { nodes: Row[] } }>(
      `{ reminders(filter: { title: { in: ["Lamp", "Desk"] } }, orderBy: [{ field: TITLE, direction: ASC }]) {
        nodes { linkedEntity { ... on ServiceRequest { ${comments} } ... on MoveRequest { ${comments} } } } } }`,
    );
    const list = (n: number) => ({
      totalCount: n,
      aggregates: [{ count: n }],
      nodes: Array(n).fill({ comment: 'Noted' }),
    });
    expect([errors, data.reminders.nodes]).toEqual([[], [2, 1].map((n) => ({ linkedEntity: { comments: list(n) } }))]);
  });

  test('is null for any other type', async () => {
    const lease = await idOf('/leases', { name: 'Hall' });
    for (const linked_entity_type of ['roof', 'leaseholder', 'inventory transfer', 'constructor', null]) {
      for (const linked_entity_id of [randomUUID(), lease, null]) {
        expect(await client.post('/reminders', { title: 'x', linked_entity_type, linked_entity_id })).toMatchObject({
          status: 201,
          row: { linked_entity_type, linked_entity_id },
        });
      }
    }
    await remind({ linked_entity_type: 'lease' });
    const { data } = await client.graphql<{ reminders: { nodes: Linked[] } }>(
      '{ reminders(first: 100) { nodes { linkedEntity { __typename } } } }',
    );
    expect(data.reminders.nodes).toEqual(Array(16).fill({ linkedEntity: null }));
  });

  test('is reported with other errors of a create', async () => {
    const reply = await client.post('/reminders', {
      title: '',
      linked_entity_type: 'leases',
      linked_entity_id: randomUUID(),
    });
    expect(Object.keys(reply.details).sort()).toEqual(['linked_entity_id', 'title']);
    expect(
      Object.keys(
        (await client.post('/reminders', { title: '', linked_entity_type: 'lease', linked_entity_id: 'x' })).details,
      ).sort(),
    ).toEqual(['linked_entity_id', 'title']);
  });

  test('is resolved when only half of it changes', async () => {
    const lease = await idOf('/leases', { name: 'Hall' });
    const asset = await idOf('/assets', { asset_name: 'Lift' });
    const reminder = await remind({ linked_entity_type: 'lease', linked_entity_id: lease });
    const refused = { status: 422, details: { linked_entity_id: expect.any(String) } };
    expect(await client.patch(itemOf(reminder), { linked_entity_id: asset })).toMatchObject(refused);
    expect(await client.patch(itemOf(reminder), { linked_entity_type: 'asset' })).toMatchObject(refused);
    expect((await client.patch(itemOf(reminder), { linked_entity_type: 'roof' })).status).toBe(200);
    expect((await client.patch(itemOf(reminder), { linked_entity_id: asset })).status).toBe(200);
    expect(await client.patch(itemOf(reminder), { linked_entity_type: 'leases' })).toMatchObject(refused);
    expect((await client.patch(itemOf(reminder), { linked_entity_type: 'assets' })).status).toBe(200);
    expect((await client.patch(itemOf(reminder), { linked_entity_type: null, linked_entity_id: null })).status).toBe(
      200,
    );
  });

  test("is limited to the caller's company", async () => {
    const elsewhere = await (await service.tenant()).client();
    const lease = (await elsewhere.post('/leases', { name: 'Hall' })).row['id'];
    const reply = await client.post('/reminders', { title: 'x', linked_entity_type: 'lease', linked_entity_id: lease });
    expect(reply.details).toEqual({ linked_entity_id: expect.any(String) });
  });

  test('may lose its target, which does not change the reminder', async () => {
    const lease = await idOf('/leases', { name: 'Hall' });
    const link = { linked_entity_type: 'lease', linked_entity_id: lease };
    const reminder = await remind({ ...link, recurrence: 'daily' });
    await client.delete(`/leases/${lease}`);
    expect((await client.get(itemOf(reminder))).row).toMatchObject(link);
    const { data, errors } = await client.graphql(
      `{ reminder(id: "${String(reminder['id'])}") { linkedEntity { __typename } } }`,
    );
    expect([data, errors]).toEqual([{ reminder: { linkedEntity: null } }, []]);
    expect((await client.patch(itemOf(reminder), { ...link, title: 'Still', status: 'completed' })).status).toBe(200);
    expect((await all()).map(({ linked_entity_id }) => linked_entity_id)).toEqual([lease, lease]);
  });

  test('may be a note that is not visible to others', async () => {
    const ben = await memberClient(service, tenant, 1);
    const note = String((await ben.post('/notes', { title: 'Secret' })).row['id']);
    const link = { linked_entity_type: 'note', linked_entity_id: note };
    expect((await client.post('/reminders', { title: 'x', ...link })).details).toEqual({
      linked_entity_id: expect.any(String),
    });
    const { id } = (await ben.post('/reminders', { title: "Ben's", ...link })).row;
    const query = `{ reminders { nodes { linkedEntity { __typename ... on Note { title } } } } reminder(id: "${String(id)}") { linkedEntity { __typename } } }`;
    const seen = { __typename: 'Note', title: 'Secret' };
    expect((await client.graphql(query)).data).toEqual({
      reminders: { nodes: [{ linkedEntity: null }] },
      reminder: { linkedEntity: null },
    });
    expect((await ben.graphql(query)).data).toEqual({
      reminders: { nodes: [{ linkedEntity: seen }] },
      reminder: { linkedEntity: { __typename: 'Note' } },
    });
    await ben.patch(`/notes/${note}`, { is_shared: true });
    expect((await client.graphql(query)).data['reminders']).toEqual({ nodes: [{ linkedEntity: seen }] });
  });
});

describe('Reminder.linkedEntity', () => {
  /** Three reminders about each of ten rows of three resources. */
  async function fill(): Promise<void> {
    const building = await idOf('/locations/buildings', { name: 'Tower' });
    for (let n = 0; n < 10; n += 1) {
      const [path, type, body] = [
        ['/leases', 'lease', { name: `Hall ${n}` }],
        ['/assets', 'assets', { asset_name: `Lift ${n}`, building_id: building, assigned_to: tenant.users[1]?.id }],
        ['/notes', 'note', { title: `Keys ${n}` }],
      ][n % 3] as [string, string, Row];
      const linked_entity_id = await idOf(path, body);
      for (let m = 0; m < 3; m += 1) await remind({ title: `${n} ${m}`, linked_entity_type: type, linked_entity_id });
    }
  }
  /** Runs a query. @returns its response, and its statements besides the token's and the rate limit's */
  async function count<Data>(query: string, as = client) {
    service.statements.length = 0;
    const reply = await as.graphql<Data>(query);
    return { ...reply, statements: [...service.statements] };
  }
  test('loads a page in one statement per resource, with the selected fields', async () => {
    await fill();
    const { data, errors, statements } = await count<{ reminders: { nodes: (Linked & { title: string })[] } }>(`{
      reminders(first: 100, sort: ID, order: ASC) { nodes { title linkedEntity {
        __typename
        ... on Lease { name }
        ...OnAsset
        ... on Note { id subject: title author { fullName } }
      } } }
    }
    fragment OnAsset on Asset { assetName building { name } assignee { fullName assignedAssets(first: 2) { nodes { assetName } } } }`);
    expect(errors).toEqual([]);
    // The page, and its leases, assets and notes.
    expect(statements).toHaveLength(4);
    const { nodes } = data.reminders;
    expect(nodes).toHaveLength(30);
    expect(nodes[0]).toEqual({ title: '0 0', linkedEntity: { __typename: 'Lease', name: 'Hall 0' } });
    expect(nodes[4]).toEqual({
      title: '1 1',
      linkedEntity: {
        __typename: 'Asset',
        assetName: 'Lift 1',
        building: { name: 'Tower' },
        assignee: {
          fullName: tenant.users[1]?.fullName,
          assignedAssets: { nodes: [{ assetName: 'Lift 7' }, { assetName: 'Lift 4' }] },
        },
      },
    });
    expect(nodes[29]).toEqual({ title: '9 2', linkedEntity: { __typename: 'Lease', name: 'Hall 9' } });
    expect(nodes[8]).toEqual({
      title: '2 2',
      linkedEntity: {
        __typename: 'Note',
        id: expect.any(String),
        subject: 'Keys 2',
        author: { fullName: tenant.users[0]?.fullName },
      },
    });
  });

  test('loads the selected fields of each alias', async () => {
    await fill();
    const { data, errors, statements } = await count<{
      reminders: { nodes: Record<string, Row>[]; edges: { node: Linked }[] };
    }>(`{
      reminders(first: 3, sort: ID, order: ASC) {
        nodes { one: linkedEntity { ... on Lease { name } } other: linkedEntity { ... on Lease { status payments(first: 1) { totalCount nodes { id } } } } }
        edges { node { linkedEntity { ... on Lease { lessor } } } }
      }
    }`);
    expect(errors).toEqual([]);
    expect(statements).toHaveLength(4);
    expect(data.reminders.nodes[0]).toEqual({
      one: { name: 'Hall 0' },
      other: { status: 'ACTIVE', payments: { totalCount: 0, nodes: [] } },
    });
    expect(data.reminders.edges[0]).toEqual({ node: { linkedEntity: { lessor: null } } });
  });

  test('requires the read scope of its target', async () => {
    await fill();
    const some = await tenant.client(['reminders:read', 'notes:read']);
    const { data, errors, statements } = await count<{ reminders: { nodes: Linked[] } }>(
      '{ reminders(first: 100, sort: ID, order: ASC) { nodes { linkedEntity { __typename ... on Note { title author { fullName } } } } } }',
      some,
    );
    const scopeOf = (n: number) => ['leases:read', 'assets:read', 'notes:read'][Math.floor(n / 3) % 3];
    // The author of a note requires another scope: one error, that of the first note.
    expect(errors.filter(({ path }) => path?.at(-1) === 'author')).toHaveLength(1);
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(Array(errors.length).fill('INSUFFICIENT_SCOPE'));
    for (const { path, message } of errors) {
      const n = Number(path?.[2]);
      if (scopeOf(n) === 'notes:read')
        expect([path, message]).toEqual([
          ['reminders', 'nodes', n, 'linkedEntity', 'author'],
          expect.stringContaining('users:read'),
        ]);
      else
        expect([path, message]).toEqual([
          ['reminders', 'nodes', n, 'linkedEntity'],
          expect.stringContaining(scopeOf(n) ?? ''),
        ]);
    }
    expect(data.reminders.nodes[0]).toEqual({ linkedEntity: null });
    expect(data.reminders.nodes[6]).toEqual({ linkedEntity: { __typename: 'Note', title: 'Keys 2', author: null } });
    // Rows that cannot be read are not queried.
    expect(statements).toHaveLength(2);
    expect(statements.join()).not.toMatch(/"(assets|leases)"/);
  });

  test('is not readable with a write scope', async () => {
    const lease = await idOf('/leases', { name: 'Hall' });
    const writer = await tenant.client(['reminders:write', 'leases:write']);
    const { data, errors } = await writer.graphql(
      `mutation { createReminder(input: { title: "x", linkedEntityType: "lease", linkedEntityId: "${lease}" }) { title linkedEntity { __typename } } }`,
    );
    expect(data).toEqual({ createReminder: { title: 'x', linkedEntity: null } });
    expect(errors).toMatchObject([
      { path: ['createReminder', 'linkedEntity'], extensions: { code: 'INSUFFICIENT_SCOPE' } },
    ]);
  });

  test('is not in REST', async () => {
    const lease = await idOf('/leases', { name: 'Hall' });
    const reminder = await remind({ linked_entity_type: 'lease', linked_entity_id: lease });
    expect(Object.keys(reminder)).toEqual([
      'id',
      'title',
      'description',
      'due_date',
      'recurrence',
      'linked_entity_type',
      'linked_entity_id',
      'status',
      'external_source',
      'external_id',
      'created_at',
      'updated_at',
    ]);
  });
});
