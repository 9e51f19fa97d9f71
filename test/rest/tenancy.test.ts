import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { Route } from '../../src/rest/routes.ts';
import { routes } from '../support/api.ts';
import type { Client, Reply, Row } from '../support/client.ts';
import {
  collections,
  collectionsWith,
  inputFields,
  ofMany,
  operationOf,
  rootField,
  rootFields,
  typeOf,
} from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { takesScope } from '../support/scopes.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

let mine: Rows;
/** Rows that the caller cannot access: those of another company, and of the sandbox. */
let otherCompanies: readonly Rows[];
let before: Record<string, Row[]>[];

const itemsAt = (path: string) => collections.find((collection) => `${collection.path}/:id` === path);

/** The ids in a route's path, of shared rows: those of its parents and, for an item, its own. */
async function idsOf(rows: Rows, { path }: Route): Promise<Row> {
  const item = itemsAt(path);
  return { ...(await rows.parents(path)), ...(item && { id: await rows.reference(typeOf(item)) }) };
}

/** Every list of a company. */
async function everything(rows: Rows): Promise<Record<string, Row[]>> {
  const lists: Record<string, Row[]> = {};
  for (const [path] of collectionsWith('list')) {
    lists[path] = (await rows.client.get(fill(path, await rows.parents(path)), { limit: 100, sort: 'id' })).rows;
  }
  return lists;
}

const isOfMany = ({ action }: { readonly action: string }) => ofMany.includes(action);

const many = rootFields('Mutation')
  .filter(({ extensions }) => ofMany.includes(extensions.action ?? '') && takesScope(extensions.access))
  .map((field) => [field.name, field] as const);

/** The arguments of operations on many rows about rows of each other company, by the operation. */
const theirs = new Map<string, Row[]>();

const withIds = routes()
  .filter(({ path, operation }) => path.includes(':') && takesScope(operation.access) && !isOfMany(operation))
  .map((route) => [String(route.method), route.path, route] as const);
const referring = routes().flatMap((route) =>
  (['POST', 'PUT', 'PATCH'].includes(String(route.method)) && !isOfMany(route.operation)
    ? inputFields(rootField(route.operation.field))
    : []
  )
    .filter(({ target }) => target)
    .map((field) => [String(route.method), route.path, field.rest, route, field] as const),
);

beforeAll(async () => {
  const tenant = await service.tenant();
  mine = await Rows.of(service, tenant);
  otherCompanies = [await Rows.of(service, await service.tenant()), await Rows.of(service, tenant, false)];
  for (const rows of otherCompanies) {
    for (const collection of collections) await rows.make(collection, { full: true });
    for (const [, , route] of withIds) await idsOf(rows, route);
    for (const [, , , , { target }] of referring) await rows.reference(target ?? '');
  }
  for (const [name, field] of many) {
    const given: Row[] = [];
    // The parent of a new row, or the row itself, is theirs.
    for (const rows of otherCompanies) given.push(await rows.variables(field, { fresh: false }));
    theirs.set(name, given);
  }
  before = await Promise.all(otherCompanies.map(everything));
});

/** Expects the same error for every id: those of other companies' rows, and one that was never issued. */
function expectSame([never, ...others]: readonly Reply[]) {
  expect(others.map(({ error }) => error)).toEqual(otherCompanies.map(() => never?.error));
}

test.each(withIds)('rows of other companies are not found: %s %s', async (method, path, route) => {
  const own = await idsOf(mine, route);
  const foreign = await Promise.all(otherCompanies.map((rows) => idsOf(rows, route)));
  const takesBody = method !== 'GET' && inputFields(rootField(route.operation.field)).length > 0;
  const sent = takesBody ? { body: await mine.body(route.operation.field) } : {};
  expect(Object.keys(own)).not.toEqual([]);
  for (const name of Object.keys(own)) {
    const replies = await Promise.all(
      [randomUUID(), ...foreign.map((ids) => ids[name])].map((id) =>
        mine.client.request(method, fill(path, { ...own, [name]: id }), sent),
      ),
    );
    expect(replies[0]).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
    expectSame(replies);
  }
});

test.each(referring)(
  'rows of other companies cannot be referenced: %s %s, %s',
  async (method, path, name, route, field) => {
    const address = fill(path, await idsOf(mine, route));
    const body = await mine.body(route.operation.field);
    const foreign = await Promise.all(otherCompanies.map((rows) => rows.reference(field.target ?? '')));
    const replies = await Promise.all(
      [randomUUID(), ...foreign].map((id) => mine.client.request(method, address, { body: { ...body, [name]: id } })),
    );
    expect(replies[0]).toMatchObject({ status: 422, error: { code: 'VALIDATION_ERROR' } });
    expect(Object.keys(replies[0]?.details ?? {})).toEqual([name]);
    expectSame(replies);
  },
);

test.each(many)('rows of other companies are not written with many: %s', async (name, field) => {
  expect(theirs.get(name)).toHaveLength(otherCompanies.length);
  for (const variables of theirs.get(name) ?? []) {
    const { data, errors } = await mine.client.graphql(
      operationOf(field, 'Mutation', Object.keys(variables), '{ __typename }'),
      variables,
    );
    const [error] = errors;
    // A new row that refers to nothing is the caller's own.
    if (!error) expect(Object.keys(variables)).toEqual(['input']);
    else {
      expect(data).toEqual({ [name]: null });
      expect(['NOT_FOUND', 'CONFLICT', 'VALIDATION_ERROR']).toContain(error.extensions.code);
    }
  }
});

test('rows of other companies are in no list, and unchanged', async () => {
  for (const collection of collections) await mine.make(collection);
  const own = await everything(mine);
  expect(Object.keys(own).length).toBeGreaterThan(40);
  // A person has one id in every company they belong to.
  const shared: unknown[] = mine.tenant.users.map(({ id }) => id);
  for (const [path, rows] of Object.entries(own)) {
    expect([path, rows]).not.toEqual([path, []]);
    for (const theirs of before) {
      const ids = theirs[path]?.map(({ id }) => id) ?? [];
      expect([path, ids]).not.toEqual([path, []]);
      expect(rows.map(({ id }) => id).filter((id) => ids.includes(id) && !shared.includes(id))).toEqual([]);
    }
  }
  expect(await Promise.all(otherCompanies.map(everything))).toEqual(before);
});

test("a sandbox has its own guests, who never reach the company's data", async () => {
  const tenant = await service.tenant('harbour');
  const live = await tenant.client();
  const sandbox = await tenant.client(['*'], { live: false });
  const guest = service.anonymous;
  const path = '/public/expected-packages';
  const parcel = { guest_email: 'mira@halden.test', tracking_number: 'SB 1-000' };
  const announce = (company_slug: string) => guest.post(path, { company_slug, guest_name: 'Mira', ...parcel });
  const ofGuest = (company_slug: string) => guest.get(`${path}/status`, { company_slug, email: parcel.guest_email });
  const scan = (client: Client) => client.post('/mailroom/scan-events', { tracking_number: 'sb1000' });
  const packagesOf = (client: Client) => client.get('/mailroom/expected-packages');

  const made = await announce('harbour-sandbox');
  expect(made).toMatchObject({ status: 201, row: { company_slug: 'harbour-sandbox', status: 'expected' } });
  const { id, tracking_token } = made.row;
  const follow = async () => (await guest.get(`${path}/${String(tracking_token)}`)).row;
  expect((await ofGuest('harbour-sandbox')).rows).toMatchObject([{ id, status: 'expected' }]);
  expect((await packagesOf(sandbox)).rows).toMatchObject([{ id, ...parcel }]);
  expect((await ofGuest('harbour')).rows).toEqual([]);
  expect((await packagesOf(live)).rows).toEqual([]);
  const address = `/mailroom/expected-packages/${String(id)}`;
  expect((await live.patch(address, { status: 'received' })).status).toBe(404);

  await scan(live);
  expect(await follow()).toMatchObject({ status: 'expected', received_at: null });
  const other = (await announce('harbour')).row;
  await scan(sandbox);
  expect(await follow()).toMatchObject({ status: 'received' });
  expect((await packagesOf(live)).rows).toMatchObject([{ id: other['id'], status: 'expected' }]);
  expect((await sandbox.patch(address, { status: 'collected' })).row).toMatchObject({ status: 'collected' });
  expect(await follow()).toMatchObject({ company_slug: 'harbour-sandbox', status: 'collected' });
  expect((await ofGuest('harbour-sandbox')).rows).toMatchObject([{ id, status: 'collected' }]);
});

test('a row of one parent is not found below another', async () => {
  const below = collectionsWith('read').filter(([path]) => path.includes('/:'));
  expect(below.length).toBeGreaterThan(0);
  const rows = mine;
  for (const [path, collection] of below) {
    const { id } = await rows.make(collection);
    const parent = collections.find((candidate) => path.startsWith(`${candidate.path}/:`));
    const other = parent && (await rows.make(parent))['id'];
    const address = `${path.replace(/:\w+/, String(other))}/${id}`;
    for (const method of [
      'GET',
      ...(collection.on.update ? ['PATCH'] : []),
      ...(collection.on.delete ? ['DELETE'] : []),
    ]) {
      const reply = await rows.client.request(method, address, method === 'PATCH' ? { body: {} } : {});
      expect([method, path, reply.status]).toEqual([method, path, 404]);
    }
    expect((await rows.client.get(`${fill(path, await rows.parents(path))}/${id}`)).status).toBe(200);
  }
});

test('errors of the path come before errors of references', async () => {
  const [theirs] = otherCompanies;
  if (!theirs) throw new Error('there is another company');
  const replies: unknown[] = [];
  // Imports and their mappings, which nobody makes beforehand, have tests of their own.
  for (const { method, path, operation } of routes().filter(
    ({ path, operation }) =>
      path.includes(':') &&
      !['Import', 'ImportMapping'].includes(operation.type) &&
      !isOfMany(operation) &&
      inputFields(rootField(operation.field)).length > 0,
  )) {
    const item = collections.find((collection) => `${collection.path}/:id` === path);
    const ids = { ...(await theirs.parents(path)), ...(item && { id: await theirs.reference(typeOf(item)) }) };
    const body = await theirs.body(operation.field, { full: true });
    replies.push([method, path, (await mine.client.request(String(method), fill(path, ids), { body })).status]);
  }
  expect(replies.length).toBeGreaterThan(40);
  expect(replies.filter((reply) => !String(reply).endsWith('404'))).toEqual([]);
});
