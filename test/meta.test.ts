// What the API says about itself, in both APIs.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createToken } from '../src/auth/tokens.ts';
import { Client, type Row } from './support/client.ts';
import { type Service, startService } from './support/service.ts';
import type { Tenant } from './support/tenant.ts';

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly control: string;
  readonly is_list: boolean;
  readonly is_required: boolean;
  readonly max_length: number | null;
  readonly minimum: number | null;
  readonly default_value: string | null;
  readonly choices: readonly Choice[];
  readonly references: string | null;
  readonly fields: readonly Field[];
}

interface Action {
  readonly action: string;
  readonly field: string;
  readonly label: string;
  readonly path: string | null;
  readonly is_allowed: boolean;
  readonly input: readonly Field[];
}

interface Resource {
  readonly type: string;
  readonly path: string;
  readonly label: string;
  readonly plural: string;
  readonly group: string;
  readonly parent: string | null;
  readonly title_field: string | null;
  readonly list_fields: readonly string[];
  readonly fields: readonly Field[];
  readonly actions: readonly Action[];
}

let service: Service;
let tenant: Tenant;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
});
afterAll(() => service.close());

/** The resources that a client reads at /meta. */
async function resourcesOf(client: Client): Promise<Map<string, Resource>> {
  const { status, row } = await client.get('/meta');
  expect(status).toBe(200);
  return new Map((row['resources'] as Resource[]).map((resource) => [resource.type, resource]));
}

/** A client with a token of a member with a role, by their place among the users of a tenant. */
async function clientOf(place: 0 | 1 | 2): Promise<Client> {
  const owner = { companyId: tenant.company.id, userId: tenant.users[place]?.id ?? '', live: true };
  const { token } = await createToken(service.database.prisma, { ...owner, name: 'test', scopes: ['*'] });
  return new Client(service.origin, token);
}

const named = <Part extends { readonly name: string }>(parts: readonly Part[] = [], name: string): Part | undefined =>
  parts.find((part) => part.name === name);

describe('resources', () => {
  let resources: Map<string, Resource>;
  beforeAll(async () => {
    resources = await resourcesOf(await tenant.client());
  });

  test('have words for people', () => {
    const words = ({ label, plural, title_field }: Resource) => [label, plural, title_field];
    const of = (type: string) => words(resources.get(type) as Resource);
    expect(of('ServiceRequest')).toEqual(['Service request', 'Service requests', 'title']);
    expect(of('HrDocument')).toEqual(['HR document', 'HR documents', 'title']);
    expect(of('NoteCategory')).toEqual(['Note category', 'Note categories', 'name']);
    expect(of('AssetMaintenance')).toEqual(['Asset maintenance record', 'Asset maintenance records', null]);
    expect(of('User')).toEqual(['User', 'Users', 'full_name']);
    expect(resources.get('AssetMaintenance')).toMatchObject({ group: 'assets', parent: 'Asset' });
  });

  test('have fields with types, controls, limits, choices and references', () => {
    const { fields = [], list_fields } = resources.get('ServiceRequest') ?? {};
    expect(list_fields?.[0]).toBe('title');
    expect(list_fields).not.toContain('description');
    expect(named(fields, 'title')).toMatchObject({
      ...{ label: 'Title', type: 'String', control: 'text', is_required: true, max_length: 200 },
    });
    expect(named(fields, 'description')).toMatchObject({ control: 'long_text', is_required: false });
    expect(named(fields, 'priority')).toMatchObject({ control: 'choice', default_value: 'normal' });
    expect(named(fields, 'status')?.choices).toEqual([
      expect.objectContaining({ value: 'pending', label: 'Pending' }),
      expect.objectContaining({ value: 'in-progress', label: 'In progress' }),
      expect.objectContaining({ value: 'completed', label: 'Completed' }),
    ]);
    expect(named(fields, 'building_id')).toMatchObject({
      ...{ label: 'Building', control: 'reference', references: 'Building' },
    });
    expect(named(fields, 'completed_at')).toMatchObject({ control: 'date_time' });
    expect(named(resources.get('InventoryItem')?.fields, 'sku')?.label).toBe('SKU');
    expect(named(resources.get('Lease')?.fields, 'end_date')?.control).toBe('date');
    expect(named(resources.get('InventoryItem')?.fields, 'unit_cost')).toMatchObject({ control: 'number', minimum: 0 });
    expect(named(resources.get('Desk')?.fields, 'is_assigned')).toMatchObject({
      control: 'checkbox',
      label: 'Assigned',
    });
  });

  test('have actions with what they take, nested items included', () => {
    const { actions = [] } = resources.get('Requisition') ?? {};
    const create = actions.find(({ action }) => action === 'create');
    expect(create).toMatchObject({ label: 'Create', field: 'createRequisition', path: '/procurement/requisitions' });
    expect(named(create?.input, 'title')?.is_required).toBe(true);
    const items = named(create?.input, 'line_items');
    expect(items).toMatchObject({ control: 'items', is_list: true });
    expect(items?.fields.map(({ name }) => name)).toEqual(['description', 'quantity', 'unit_price', 'item_id']);
    expect(named(items?.fields, 'item_id')).toMatchObject({ control: 'reference', references: 'InventoryItem' });
    // What nobody sets is no input.
    expect(named(create?.input, 'created_by')).toBeUndefined();
  });
});

test('describe the same bodies as the OpenAPI document', async () => {
  const resources = await resourcesOf(await tenant.client());
  const document = (await (await fetch(`${service.origin}/api/v1/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: Body }>>>>;
    readonly components: { readonly schemas: Readonly<Record<string, BodySchema>> };
  };
  interface Body {
    readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
  }
  interface BodySchema {
    readonly required?: readonly string[];
    readonly properties: Readonly<Record<string, { readonly maxLength?: number; readonly format?: string }>>;
  }
  const creates = [...resources.values()].flatMap(({ actions }) => actions.filter(({ action }) => action === 'create'));
  const inRest = creates.filter(({ path }) => path !== null);
  expect(inRest.length).toBeGreaterThan(40);
  for (const { path, field, input } of inRest) {
    const { requestBody } = document.paths[path ?? '']?.['post'] ?? {};
    const ref = requestBody?.content['application/json']?.schema.$ref.split('/').pop() ?? '';
    const body = document.components.schemas[ref];
    expect([field, input.map(({ name }) => name)]).toEqual([field, Object.keys(body?.properties ?? {})]);
    expect([field, input.filter((each) => each.is_required).map(({ name }) => name)]).toEqual([
      field,
      body?.required ?? [],
    ]);
    for (const { name, max_length } of input) {
      const { maxLength, format } = body?.properties[name] ?? {};
      if (format === undefined && maxLength !== undefined)
        expect([field, name, max_length]).toEqual([field, name, maxLength]);
    }
  }
});

test('a token reads the resources of its scopes, and whether it may write them', async () => {
  const reader = await resourcesOf(await tenant.client(['paint:read']));
  expect([...reader.keys()]).toEqual(['Paint', 'PaintLocation']);
  const allowed = (resources: Map<string, Resource>) =>
    resources.get('Paint')?.actions.map(({ action, is_allowed }) => [action, is_allowed]);
  expect(allowed(reader)).toEqual([
    ['create', false],
    ['update', false],
    ['delete', false],
    ['write', false],
    ['updateMany', false],
    ['deleteMany', false],
    ['restore', false],
  ]);
  const writer = await resourcesOf(await tenant.client(['paint:read', 'paint:write']));
  expect(allowed(writer)?.every(([, isAllowed]) => isAllowed)).toBe(true);
  const sandbox = await resourcesOf(await tenant.client(['paint:read'], { live: false }));
  expect([...sandbox.keys()]).toEqual(['Paint', 'PaintLocation']);
});

test('a role decides on actions and fields', async () => {
  const [admin, member] = [await resourcesOf(await clientOf(0)), await resourcesOf(await clientOf(2))];
  const mayCreate = (resources: Map<string, Resource>, type: string) =>
    resources.get(type)?.actions.find(({ action }) => action === 'create')?.is_allowed;
  expect([mayCreate(admin, 'HrDocument'), mayCreate(member, 'HrDocument')]).toEqual([true, false]);
  expect([mayCreate(admin, 'ServiceRequest'), mayCreate(member, 'ServiceRequest')]).toEqual([true, true]);
  const answer = (resources: Map<string, Resource>) =>
    named(resources.get('TrainingQuestion')?.fields, 'correct_answer')?.label;
  expect([answer(admin), answer(member)]).toEqual(['Correct answer', undefined]);
  // What a role may not set is none of its input: members acknowledge documents in their own name, at that time.
  const inputOf = (resources: Map<string, Resource>, of: string) =>
    resources
      .get('HrAcknowledgment')
      ?.actions.find(({ action }) => action === of)
      ?.input.map(({ name }) => name);
  const all = ['document_id', 'user_id', 'acknowledged_at', 'ip_address', 'external_source', 'external_id'];
  expect([inputOf(admin, 'create'), inputOf(member, 'create')]).toEqual([
    [...all, 'id'],
    ['document_id', 'id'],
  ]);
  expect([inputOf(admin, 'update'), inputOf(member, 'update')]).toEqual([all, []]);
});

test('guests and wrong tokens are refused', async () => {
  expect((await new Client(service.origin, '').get('/meta')).status).toBe(401);
  expect((await new Client(service.origin, 'svc_live_wrong').get('/meta')).error.code).toBe('INVALID_TOKEN');
});

test('gives the words of scope groups and enums', async () => {
  const { row } = await (await tenant.client(['paint:read'])).get('/meta');
  const groups = row['scope_groups'] as { name: string; label: string; scopes: string[]; path: string }[];
  expect(groups.find(({ name }) => name === 'butts_in_seats')).toMatchObject({
    ...{ label: 'Desks and workspaces', path: '/butts-in-seats/desks' },
    scopes: ['butts_in_seats:read', 'butts_in_seats:write'],
  });
  const enums = row['enums'] as { name: string; choices: Choice[] }[];
  expect(
    enums
      .find(({ name }) => name === 'UserRole')
      ?.choices.map(({ label }) => label)
      .sort(),
  ).toEqual([...['Admin', 'Executive', 'Member']]);
  // The fields of a sort are no values of rows.
  expect(enums.filter(({ name }) => name.endsWith('Sort'))).toEqual([]);
});

test('GraphQL has the same with its own names, and a whole query of it is affordable', async () => {
  const client = await tenant.client();
  const parts =
    'name label type control isList isRequired defaultValue maxLength minimum maximum choices { value label }';
  const { data, errors } = await client.graphql<{ resources: { type: string; fields: { name: string }[] }[] }>(
    `{ resources {
      type label plural group parent titleField listFields
      fields { ${parts} references }
      actions { action field label path isAllowed input { ${parts} references fields { ${parts} } } }
    } }`,
  );
  expect(errors ?? []).toEqual([]);
  const inRest = await resourcesOf(client);
  expect(data.resources.map(({ type }) => type)).toEqual([...inRest.keys()]);
  const request = data.resources.find(({ type }) => type === 'ServiceRequest');
  expect(request?.fields.map(({ name }) => name)).toContain('assignedTo');
  const one = await client.graphql<{ resources: Row[] }>('{ resources(types: ["Note"]) { type titleField } }');
  expect(one.data.resources).toEqual([{ type: 'Note', titleField: 'title' }]);
});

test('resources name the queries that read them, and what lists filter and sort by', async () => {
  const client = await tenant.client();
  interface Queries {
    readonly type: string;
    readonly parentField: string | null;
    readonly listField: string | null;
    readonly rowField: string | null;
    readonly page: string | null;
    readonly lists: readonly Row[];
    readonly fields: readonly { name: string; relation: string | null; isFilter: boolean; isSort: boolean }[];
  }
  const { data } = await client.graphql<{ resources: readonly Queries[] }>(
    '{ resources { type parentField listField rowField page lists { field type label } fields { name relation isFilter isSort } } }',
  );
  const find = (type: string) => data.resources.find((resource) => resource.type === type);
  expect(find('ServiceRequest')).toMatchObject({
    ...{ parentField: null, listField: 'serviceRequests', rowField: 'serviceRequest', page: 'service-requests' },
    lists: expect.arrayContaining([{ field: 'comments', type: 'ServiceRequestComment', label: 'Comments' }]),
    fields: expect.arrayContaining([{ name: 'assignedTo', relation: 'assignee', isFilter: true, isSort: true }]),
  });
  expect(find('AssetMaintenance')).toMatchObject({ parentField: 'assetId', page: 'asset-maintenance-records' });
  const given = '{ actions(fields: ["updatePaintLocation"]) { arguments { name type } } }';
  expect((await client.graphql<{ actions: Row[] }>(given)).data.actions[0]?.['arguments']).toEqual([
    { name: 'paintId', type: 'ID' },
    { name: 'id', type: 'ID!' },
    { name: 'input', type: 'UpdatePaintLocationInput!' },
    { name: 'ifMatch', type: 'String' },
  ]);
  // No two have the same pages, and each query, filter and key is one.
  const pages = data.resources.flatMap(({ page }) => page ?? []);
  expect(new Set(pages).size).toBe(pages.length);
  for (const { listField, fields } of data.resources) {
    if (listField === null) continue;
    const filter = fields.flatMap(({ name, isFilter }) => (isFilter ? [`${name}: { isNull: false }`] : []));
    const keys = fields.flatMap(({ name, isSort }) =>
      isSort ? [`{ field: ${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()} }`] : [],
    );
    const given = [`filter: { ${filter.join(', ')} }`, ...keys.map((key) => `orderBy: [${key}]`)];
    const queries = given.map((args, n) => `q${n}: ${listField}(first: 1, ${args}) { nodes { id } }`);
    expect([listField, (await client.graphql(`{ ${queries.join(' ')} }`)).errors ?? []]).toEqual([listField, []]);
  }
});

test('GraphQL has the operations that belong to no resource', async () => {
  const { data } = await (await tenant.client()).graphql<{ actions: Row[] }>(
    '{ actions(fields: ["createApiToken", "nothing"]) { field label isAllowed input { name maxLength isRequired } } }',
  );
  // Tokens are made by people who signed in.
  expect(data.actions).toMatchObject([{ field: 'createApiToken', label: 'Create token', isAllowed: false }]);
  expect((data.actions[0] as { input: Row[] }).input[0]).toEqual({ name: 'name', maxLength: 200, isRequired: true });
});

test('operations on accounts are called what their buttons say', async () => {
  const labels = {
    createApiToken: 'Create token',
    revokeApiToken: 'Revoke token',
    setApiTokenRateLimit: 'Set the rate limit',
    inviteUser: 'Invite user',
    revokeInvitation: 'Revoke invitation',
    setUserRole: 'Change role',
    deactivateUser: 'Deactivate',
    reactivateUser: 'Reactivate',
    eraseUser: 'Erase',
    resetTwoFactor: 'Reset two-factor sign-in',
    unlinkOpenId: 'Unlink OpenID identity',
    createPasswordResetLink: 'Create password reset link',
    endSession: 'Sign out',
    endOtherSessions: 'Sign out everywhere else',
    saveQuery: 'Save query',
    deleteSavedQuery: 'Delete query',
    createCalendarFeed: 'Create calendar address',
    deleteCalendarFeed: 'Delete calendar address',
    saveView: 'Save view',
    deleteSavedView: 'Delete view',
    saveDashboard: 'Save dashboard',
    deleteDashboard: 'Delete dashboard',
    updateCompanySettings: 'Save company settings',
  };
  const { data } = await (await tenant.client()).graphql<{ actions: { field: string; label: string }[] }>(
    'query ($fields: [String!]!) { actions(fields: $fields) { field label } }',
    { fields: Object.keys(labels) },
  );
  expect(Object.fromEntries(data.actions.map(({ field, label }) => [field, label]))).toEqual(labels);
});
