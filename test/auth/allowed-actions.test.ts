// What policies answer for buttons is what both APIs answer: for each resource, action, role and owner of a row.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ownerContext } from '../../src/background/owner.ts';
import type { Context } from '../../src/context.ts';
import { wholeCompany } from '../../src/database/index.ts';
import { allowedActions, decide, modelFacts, type Resource } from '../../src/resource/index.ts';
import { api } from '../../src/schema/index.ts';
import { memberClient } from '../resources/members.ts';
import { signInAll } from '../support/browser.ts';
import type { Client, Row } from '../support/client.ts';
import {
  type Collection,
  collections,
  lowerFirst,
  operationOf,
  rootField,
  rootFields,
  typeOf,
} from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { callersOf, type RoleCallers, type RoleIds } from './roles.ts';

let service: Service;
let tenant: Tenant;
let rows: Rows;
let callers: RoleCallers;
let userIds: RoleIds;
let deactivatedId: string;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  rows = await Rows.of(service, tenant);
  ({ callers, userIds } = await callersOf(service, tenant));
  const users = collections.find(({ path }) => path === '/users') as Collection;
  deactivatedId = String((await rows.insert(users, { values: { deactivatedAt: new Date(), role: 'MEMBER' } }))['id']);
});
afterAll(() => service.close());

const roles = ['admin', 'executive', 'member'] as const;
type Role = (typeof roles)[number];
const allRoles = { admin: 'ADMIN', executive: 'EXECUTIVE', member: 'MEMBER' } as const;

const contextOf = (role: Role, scopes: readonly string[] = ['*']): Context => {
  const owner = { companyId: tenant.company.id, timeZone: 'UTC', userId: userIds[role], role: allRoles[role] };
  const context = ownerContext(service.database, api, owner, randomUUID());
  return { ...context, caller: { ...context.caller, scopes } };
};

/** The resources, each with the collection of its rows. */
const resources = api.resources.flatMap((resource) => {
  const collection = collections.find((each) => typeOf(each) === resource.type);
  return collection ? [[resource.type, resource, collection] as const] : [];
});

/** The columns by which policies know whose a row is. */
const ownerColumns = ({ model, policies }: Resource): string[] =>
  Object.values(policies.of)
    .flatMap((each) => each.flatMap(({ columns }) => columns))
    .filter((column) => modelFacts(model).stored[column]?.references === 'User');

const isLimited = ({ policies }: Resource) => Object.values(policies.of).some((each) => each.length > 0);

/** Whose rows there are. */
const owners = ['their own', "another's", 'of a deactivated user', 'shared'] as const;

/** Sets columns of a row where no client may, and returns the row as it is stored. */
async function store({ model }: Resource, { id }: Row, data: Row): Promise<Row> {
  const { stored: columns } = modelFacts(model);
  const known = Object.fromEntries(Object.entries(data).filter(([column]) => column in columns));
  // Prisma's methods, of a model known only by name.
  const table = (service.database.prisma as unknown as Record<string, { updateMany(args: object): Promise<unknown> }>)[
    lowerFirst(model)
  ];
  const where = { id, ...(columns['companyId'] && { companyId: tenant.company.id }) };
  if (Object.keys(known).length > 0) await table?.updateMany({ where, data: known });
  const reader = service.database.readerOf(wholeCompany(tenant.company.id));
  const [row] = await reader.findMany(model, { where });
  if (!row) throw new Error(`${model} has no row ${String(id)}`);
  return row;
}

/** A new row of somebody. */
async function make(resource: Resource, collection: Collection, role: Role, owner: (typeof owners)[number]) {
  const somebody = role === 'admin' ? userIds.executive : userIds.admin;
  const ids = { 'their own': userIds[role], 'of a deactivated user': deactivatedId };
  const id = ids[owner as keyof typeof ids] ?? somebody;
  const owned = Object.fromEntries(ownerColumns(resource).map((column) => [column, id]));
  return store(resource, await rows.make(collection), { ...owned, isShared: owner !== "another's" });
}

/** Whether an API refused a request because of who sent it, rather than for what it says. */
const isRefusal = (code: string | undefined) => code === 'INSUFFICIENT_SCOPE' || code === 'NOT_FOUND';

async function isAllowedInRest(client: Client, method: string, path: string, body?: Row): Promise<boolean> {
  const reply = await client.request(method, path, body ? { body } : {});
  return reply.status < 300 || !isRefusal(reply.error.code);
}

async function isAllowedInGraphql(client: Client, name: string, variables: Row): Promise<boolean> {
  const kind = rootFields('Query').some((field) => field.name === name) ? 'Query' : 'Mutation';
  const field = rootField(name);
  const given = Object.keys(variables).filter((argument) => field.args.some((each) => each.name === argument));
  const { errors } = await client.graphql(
    operationOf(field, kind, given),
    Object.fromEntries(given.map((argument) => [argument, variables[argument]])),
  );
  return !errors.some(({ extensions: { code } }) => isRefusal(code));
}

const methods = {
  list: 'GET',
  read: 'GET',
  create: 'POST',
  update: 'PATCH',
  replace: 'PUT',
  delete: 'DELETE',
} as const;
const ofRows = ['read', 'update', 'replace', 'delete'] as const;

/** The mutations of one row that a resource has. */
const namesOf = ({ type }: Resource, actions: readonly string[]) =>
  actions.flatMap((action) => (action === 'read' ? [] : [action + type]));

/** What GraphQL says of a row, as somebody reads it. */
async function ask(client: Client, { type, fields, roles: { status } }: Resource, row: Row) {
  const { args } = rootField(lowerFirst(type));
  const at = args.length > 0 ? `(id: "${String(row['id'])}")` : '';
  const hasStatuses = status && fields[status.name]?.transitions;
  const selected = `allowedActions ${hasStatuses ? 'allowedStatuses' : ''}`;
  const { data, errors } = await client.graphql(`{ row: ${lowerFirst(type)}${at} { ${selected} } }`);
  if (errors.length > 0) return undefined;
  return data['row'] as { readonly allowedActions: string[]; readonly allowedStatuses?: string[] };
}

/** What both APIs allow of a row: the actions, each once for each API that has it. */
async function tryActions(resource: Resource, collection: Collection, client: Client, made: readonly Row[]) {
  const { type, isSingleton } = resource;
  const path = fill(collection.path, await rows.parents(collection.path));
  const tried: (readonly [action: string, allowed: boolean])[] = [];
  for (const action of ofRows.filter((each) => resource.actions.includes(each))) {
    const name = action === 'read' ? lowerFirst(type) : action + type;
    const bodyOf = async (idiom: 'rest' | 'graphql') =>
      action === 'update' ? {} : action === 'replace' ? rows.body(name, {}, idiom) : undefined;
    if (collection.on[action]) {
      const item = isSingleton ? path : `${path}/${String(made[0]?.['id'])}`;
      tried.push([action, await isAllowedInRest(client, methods[action], item, await bodyOf('rest'))]);
    }
    const variables = { id: made[1]?.['id'], input: await bodyOf('graphql') };
    tried.push([action, await isAllowedInGraphql(client, name, variables)]);
  }
  return tried;
}

describe.each(roles)('as %s', (role) => {
  test.each(resources)('%s: of all rows', async (_type, resource, collection) => {
    const said = await allowedActions(resource, null, contextOf(role));
    const path = fill(collection.path, await rows.parents(collection.path));
    for (const action of ['list', 'create'] as const) {
      const { operation } = collection.on[action] ?? {};
      if (operation?.type !== resource.type) continue;
      const allowed = [
        await isAllowedInRest(callers[role], methods[action], path, action === 'create' ? {} : undefined),
        ...(action === 'create' ? [await isAllowedInGraphql(callers[role], operation.field, { input: {} })] : []),
      ];
      expect({ action, allowed: [...new Set(allowed)] }).toEqual({ action, allowed: [said.includes(action)] });
    }
  });

  const cases = resources
    .filter(([, { actions }]) => ofRows.some((action) => actions.includes(action)))
    .flatMap(([type, resource, collection], n) => {
      // Without policies it matters neither whose a row is nor who asks: one role each, in turn.
      if (!isLimited(resource) && roles[n % roles.length] !== role) return [];
      const mayBeShared = 'isShared' in resource.stored;
      const kinds = isLimited(resource)
        ? owners.filter((owner) => owner !== 'shared' || mayBeShared)
        : owners.slice(0, 1);
      return kinds.map((owner) => [type, owner, resource, collection] as const);
    });
  test.each(cases)('%s: of a row %s', async (_type, owner, resource, collection) => {
    const made = [await make(resource, collection, role, owner), await make(resource, collection, role, owner)];
    const context = contextOf(role);
    const said = await Promise.all(made.map((row) => allowedActions(resource, row, context)));
    expect(said[1]).toEqual(said[0]);
    const [first = {}] = made;
    const shown = resource.actions.includes('read') ? await ask(callers[role], resource, first) : undefined;
    const tried = await tryActions(resource, collection, callers[role], made);
    expect(tried.length).toBeGreaterThan(0);
    expect(tried).toEqual(tried.map(([action]) => [action, said[0]?.some((each) => each === action)]));
    if (resource.actions.includes('read'))
      expect(shown?.allowedActions).toEqual(shown && namesOf(resource, said[0] ?? []));
  });
});

test('a caller who may only read is offered nothing else', async () => {
  const client = await memberClient(service, tenant, 0, ['*:read']);
  const context = contextOf('admin', ['*:read']);
  const [, vendor, collection] = resources.find(([type]) => type === 'Vendor') ?? [];
  if (!vendor || !collection) throw new Error('There are no vendors.');
  const row = await make(vendor, collection, 'admin', 'their own');
  expect(await allowedActions(vendor, row, context)).toEqual(['read']);
  expect(await allowedActions(vendor, null, context)).toEqual(['list']);
  expect((await client.patch(`/vendors/${String(row['id'])}`, {})).status).toBe(403);
  expect((await client.get(`/vendors/${String(row['id'])}`)).status).toBe(200);
});

/** The statuses that policies reserve, each with one that it follows, and rows of their types. */
const reserved = resources.flatMap(([type, resource, collection]) =>
  [...new Set(resource.policies.of.update.flatMap(({ statuses }) => statuses))].flatMap((to) => {
    const transitions = Object.entries(resource.fields['status']?.transitions ?? {});
    const from = transitions.find(([, next]) => next.includes(to))?.[0];
    return from === undefined ? [] : [[type, from, to, resource, collection] as const];
  }),
);

test('policies reserve statuses of three resources', () => {
  expect([...new Set(reserved.map(([type]) => type))].sort()).toEqual(['Invoice', 'PurchaseOrder', 'Requisition']);
});

describe.each([false, true])('where approval is separate: %s', (separateApproval) => {
  beforeAll(async () => {
    await service.database.prisma.company.update({ where: { id: tenant.company.id }, data: { separateApproval } });
  });

  test.each(reserved)('%s from %s to %s', async (type, from, to, resource, collection) => {
    const answers: boolean[] = [];
    for (const role of roles)
      for (const owner of owners.slice(0, 2)) {
        const { id } = await make(resource, collection, role, owner);
        const previous = await store(resource, { id }, { status: from });
        const data = { status: to };
        const asked = { ...resource, action: 'update' } as const;
        const { refusal } = await decide(contextOf(role), asked, { previous, data, changes: data });
        const shown = await ask(callers[role], resource, previous);
        const allowed = await isAllowedInGraphql(callers[role], `update${type}`, { id, input: data });
        expect({ role, owner, allowed }).toEqual({ role, owner, allowed: refusal === undefined });
        expect({ role, owner, shown: shown?.allowedStatuses?.includes(to) }).toEqual({ role, owner, shown: allowed });
        answers.push(allowed);
      }
    // Approvers may do what members may not, but for what they requested.
    expect(answers[1]).toBe(true);
  });

  test.each(reserved)('%s, which was %s and is %s, is deleted', async (_type, _from, to, resource, collection) => {
    for (const role of roles)
      for (const owner of owners.slice(0, 2)) {
        const { id } = await make(resource, collection, role, owner);
        const row = await store(resource, { id }, { status: to });
        const said = await allowedActions(resource, row, contextOf(role));
        const shown = await ask(callers[role], resource, row);
        const allowed = await isAllowedInRest(callers[role], 'DELETE', `${collection.path}/${String(id)}`);
        expect({ role, owner, allowed }).toEqual({ role, owner, allowed: said.includes('delete') });
        expect(shown?.allowedActions).toEqual(namesOf(resource, said));
      }
  });
});

describe('in lists', () => {
  test('what may be done with the rows of a page takes one statement, and one for a rule of the company', async () => {
    const [, invoice, collection] = resources.find(([type]) => type === 'Invoice') ?? [];
    const [, note, notes] = resources.find(([type]) => type === 'Note') ?? [];
    if (!invoice || !collection || !note || !notes) throw new Error('There are no invoices or notes.');
    for (const owner of owners.slice(0, 2)) {
      await make(invoice, collection, 'admin', owner);
      await store(invoice, await make(invoice, collection, 'admin', owner), { status: 'PAID' });
      await make(note, notes, 'admin', 'of a deactivated user');
      await make(note, notes, 'admin', 'shared');
    }
    await service.database.prisma.company.update({
      where: { id: tenant.company.id },
      data: { separateApproval: true },
    });
    const read = async (query: string) => {
      await callers.admin.graphql('{ me { id } }');
      service.statements.length = 0;
      const { errors } = await callers.admin.graphql(query);
      expect(errors).toEqual([]);
      return service.statements.filter((text) => /"?(invoices|notes|companies|users|purchase_orders)"?/.test(text))
        .length;
    };
    expect(await read('{ invoices { nodes { allowedActions allowedStatuses } } }')).toBe(2);
    expect(await read('{ notes { nodes { allowedActions } } }')).toBe(1);
  });

  test('who requested what a row came from may not approve it', async () => {
    const { prisma } = service.database;
    const companyId = tenant.company.id;
    const [createdBy, requestedBy] = [userIds.admin, userIds.executive];
    const requisition = await prisma.requisition.create({
      data: { companyId, title: 'Chairs', requestedBy, createdBy },
    });
    const order = await prisma.purchaseOrder.create({
      data: { companyId, number: 'PO-T1', requisitionId: requisition.id, createdBy },
    });
    const invoice = await prisma.invoice.create({
      data: { companyId, invoiceNumber: 'T1', purchaseOrderId: order.id, createdBy: userIds.member },
    });
    const query = `{ purchaseOrder(id: "${order.id}") { allowedStatuses } invoice(id: "${invoice.id}") { allowedStatuses } }`;
    expect((await callers.executive.graphql(query)).data).toEqual({
      purchaseOrder: { allowedStatuses: ['CANCELLED'] },
      invoice: { allowedStatuses: ['VOID'] },
    });
    for (const [name, id, status] of [
      ['updatePurchaseOrder', order.id, 'SENT'],
      ['updateInvoice', invoice.id, 'APPROVED'],
    ] as const)
      expect(await isAllowedInGraphql(callers.executive, name, { id, input: { status } })).toBe(false);
  });

  test('each answer counts as about four fields', async () => {
    const cost = async (fields: string) => {
      const reply = await callers.admin
        .at('')
        .post('/graphql', { query: `{ vendors(first: 10) { nodes { ${fields} } } }` });
      return (reply.json['extensions'] as { cost: { counted: number } }).cost.counted;
    };
    expect((await cost('id allowedActions')) - (await cost('id'))).toBe(40);
  });

  test('admins in a session are offered what is done to people', async () => {
    const { admin } = await signInAll(service, tenant);
    const { data } = await admin.graphql('{ users(first: 1) { nodes { allowedActions } } }');
    expect(data['users']).toMatchObject({
      nodes: [{ allowedActions: expect.arrayContaining(['setUserRole', 'eraseUser']) }],
    });
    const token = await callers.admin.graphql('{ users(first: 1) { nodes { allowedActions } } }');
    expect(token.data['users']).toEqual({ nodes: [{ allowedActions: [] }] });
  });
});
