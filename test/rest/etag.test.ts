import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import type { GraphQLObjectType } from 'graphql';
import { contextOf } from '../../src/context.ts';
import { noMailer } from '../../src/mail/index.ts';
import type { Resource } from '../../src/resource/index.ts';
import { buildOperations, runOperation } from '../../src/rest/operations.ts';
import { api, schema } from '../../src/schema/index.ts';
import type { Client, Row } from '../support/client.ts';
import { type Collection, collections, collectionsWith, shownFields, typeOf } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let rows: Rows;
let client: Client;
beforeAll(async () => {
  service = await startService();
  rows = await Rows.of(service, await service.tenant());
  client = rows.client;
});
afterAll(() => service.close());

const vendors = collections.find(({ path }) => path === '/vendors') as Collection;
const form = /^"[\w-]{22}"$/;
const stale = '"AAAAAAAAAAAAAAAAAAAAAA"';
const etagOf = async (path: string) => (await client.get(path)).headers.get('etag') ?? '';
const failed = { status: 412, error: { code: 'PRECONDITION_FAILED', message: expect.any(String) } };
const send = (method: string, path: string, ifMatch: string, body?: unknown) =>
  client.request(method, path, { body, headers: { 'if-match': ifMatch } });

/** A row of a collection, and its path. */
async function make(collection: Collection): Promise<{ item: string; row: Row }> {
  const path = fill(collection.path, await rows.parents(collection.path));
  const row = await rows.make(collection);
  const alone = !collection.on.list;
  return { item: alone ? path : `${path}/${row['id']}`, row };
}

/** A body that changes an item. */
const change = async ({ on }: Collection, item: string) =>
  rows.change(on.update?.operation.field ?? '', 'rest', (await client.get(item)).row);

/** The definition of a type's rows. */
function resourceOf(rows: string): Resource {
  const found = api.resources.find(({ type }) => type === rows);
  if (!found) throw new Error(`no resource has rows of ${rows}`);
  return found;
}

/** The fields of a resource that REST's bodies contain besides columns and nested items. */
const virtualFields = ({ type, columns, nestedItems }: Resource) =>
  shownFields(type).filter(({ name }) => !columns.includes(name) && !(name in nestedItems));

test.each(collectionsWith('read'))(
  'GET %s/:id has an ETag, and returns 304 to a client that has it',
  async (_path, collection) => {
    const { item } = await make(collection);
    const etag = await etagOf(item);
    expect(etag).toMatch(form);
    const reply = await client.get(item, {}, { 'if-none-match': `${stale}, W/${etag}` });
    expect(reply).toMatchObject({ status: 304, text: '' });
    expect(reply.headers.get('etag')).toBe(etag);
    expect(reply.headers.get('x-request-id')).toBeTruthy();
  },
);

test('GET of one row returns what graphql-js executes', async () => {
  const { company, users } = rows.tenant;
  const user = users[0] ?? { id: '' };
  const caller = { kind: 'token', id: '', companyId: company.id, userId: user.id, scopes: ['*'], role: 'ADMIN' };
  // The part of a request that the context is made of.
  const { storage } = api;
  const request = { caller, server: { mailer: noMailer, storage } } as unknown as FastifyRequest;
  const context = contextOf(request, service.database);
  const reads = (await buildOperations(api)).filter(({ route }) => route.operation.action === 'read');
  const executed: string[] = [];
  const expected: string[] = [];
  for (const [path, collection] of collectionsWith('read')) {
    const read = reads.find(({ route }) => route.path === collection.on.read?.path);
    if (!read) throw new Error(`${path} has no operation.`);
    if (!read.plan) executed.push(path);
    const resource = resourceOf(typeOf(collection));
    if (virtualFields(resource).length > 0) expected.push(path);
    for (const full of [true, false]) {
      const parents = await rows.parents(collection.path);
      const { id } = await rows.make(collection, { full });
      const reply = await client.get(fill(read.route.path, { ...parents, id: String(id) }));
      const { data, etag } = await runOperation({ ...read, plan: undefined }, { ...parents, id }, context);
      expect([path, JSON.stringify(reply.row), reply.headers.get('etag')]).toEqual([
        path,
        JSON.stringify(data),
        `"${etag}"`,
      ]);
    }
  }
  // Only virtual fields are more than columns and items.
  expect(executed).toEqual(expected);
  expect(executed.length).toBeGreaterThan(0);
});

test.each(collectionsWith('update', 'read'))(
  'PATCH %s/:id with If-Match succeeds once per ETag',
  async (_path, collection) => {
    const { item } = await make(collection);
    const before = await etagOf(item);
    expect(await send('PATCH', item, `${stale}, W/${before}`, await change(collection, item))).toMatchObject(failed);
    const bodies = [await change(collection, item), await change(collection, item)];
    const replies = await Promise.all(bodies.map((body) => send('PATCH', item, before, body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412]);
    const after = await etagOf(item);
    expect(after).not.toBe(before);
    expect(replies.find(({ status }) => status === 200)?.headers.get('etag')).toBe(after);
    // Without If-Match, or with *, updates succeed as usual.
    expect((await send('PATCH', item, '*', await change(collection, item))).status).toBe(200);
  },
);

test('If-None-Match accepts several ETags, or *', async () => {
  const { item } = await make(vendors);
  const etag = await etagOf(item);
  expect(await etagOf(item)).toBe(etag);
  for (const [known, status] of [
    [etag, 304],
    [`${stale},${etag}`, 304],
    ['*', 304],
    [stale, 200],
  ] as const) {
    expect((await client.get(item, {}, { 'if-none-match': known })).status).toBe(status);
  }
  const head = await client.request('HEAD', item);
  expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
});

test('one of twenty concurrent changes succeeds, and all that change nothing', async () => {
  const { item, row } = await make(vendors);
  const etag = await etagOf(item);
  const change = async (body: Row) => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => send('PATCH', item, etag, body)));
    return replies.map(({ status }) => status).sort();
  };
  expect(await change({ company_name: row['company_name'] })).toEqual(Array(20).fill(200));
  expect(await change({ address: 'Elsewhere' })).toEqual([200, ...Array(19).fill(412)]);
});

test.each(collectionsWith('create', 'replace'))(
  'PUT %s/:id requires a matching ETag in If-Match',
  async (_path, collection) => {
    const { item } = await make(collection);
    const body = await rows.body(collection.on.replace?.operation.field ?? '');
    expect(await send('PUT', item, stale, body)).toMatchObject(failed);
    const replaced = await send('PUT', item, await etagOf(item), body);
    expect([replaced.status, replaced.headers.get('etag')]).toEqual([200, await etagOf(item)]);
  },
);

test.each(collectionsWith('create', 'delete', 'read'))(
  'POST %s returns the ETag, and DELETE requires a match in If-Match',
  async (_path, collection) => {
    const path = fill(collection.path, await rows.parents(collection.path));
    const made = await client.post(path, await rows.body(collection.on.create?.operation.field ?? '', { full: true }));
    const item = `${path}/${made.row['id']}`;
    const etag = made.headers.get('etag') ?? '';
    expect(etag).toBe(await etagOf(item));
    expect(await send('DELETE', item, stale)).toMatchObject(failed);
    const replies = await Promise.all([etag, etag].map((tag) => send('DELETE', item, tag)));
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 404]);
  },
);

test('the ETag depends exactly on the body, with line items and content of other rows', async () => {
  const vendor = (await client.post('/vendors', { company_name: 'Old name' })).row;
  const lines = [{ description: 'Bolts', quantity: 2 }];
  const { row } = await client.post('/procurement/requisitions', {
    title: 'Bolts',
    vendor_id: vendor['id'],
    line_items: lines,
  });
  const item = `/procurement/requisitions/${row['id']}`;
  const seen = [await etagOf(item)];
  await client.patch(item, { line_items: [{ ...lines[0], quantity: 3 }] });
  seen.push(await etagOf(item));
  await client.patch(`/vendors/${vendor['id']}`, { company_name: 'New name' });
  seen.push(await etagOf(item));
  expect(new Set(seen).size).toBe(3);
  expect(await send('PATCH', item, seen[1] ?? '', {})).toMatchObject(failed);
  await client.patch(`/vendors/${vendor['id']}`, { address: 'Elsewhere' });
  expect(await etagOf(item)).toBe(seen[2]);
});

/** The paths of what a selection of Prisma loads: `vendor.companyName`. Without `select` it is the whole relation. */
const pathsOf = (selection: object): string[] =>
  Object.entries(selection).flatMap(([name, { select }]: [string, { select?: object }]) =>
    select ? pathsOf(select).map((path) => `${name}.${path}`) : [name],
  );

test('the ETag depends on all that virtual fields show', () => {
  const selected = new Map<string, boolean>();
  for (const type of new Set(collectionsWith('read').map(([, collection]) => typeOf(collection)))) {
    const resource = resourceOf(type);
    const { etag } = resource;
    const hashed = [...etag.columns, ...pathsOf(etag.relations)];
    const fields = (schema.getType(type) as GraphQLObjectType).getFields();
    for (const { name } of virtualFields(resource)) {
      const select = fields[name]?.extensions.selects ?? {};
      for (const path of pathsOf(select))
        selected.set(
          `${type}.${name} shows ${path}`,
          hashed.some((each) => `${path}.`.startsWith(`${each}.`)),
        );
    }
  }
  // Columns belong into the `fields` of their resource, and relations with what they show into its `etagSelect`.
  expect([...selected].filter(([, isHashed]) => !isHashed).map(([path]) => path)).toEqual([]);
  expect([...selected.keys()]).toContain('Requisition.vendorSummary shows vendor.companyName');
});

test('a body that is not a row has an ETag of its content', async () => {
  const { row } = await client.post('/leases', { name: 'Hall' });
  const path = `/leases/${row['id']}/accounting`;
  const etag = await etagOf(path);
  expect(etag).toMatch(form);
  expect((await client.get(path, {}, { 'if-none-match': etag })).status).toBe(304);
  await client.post(`/leases/${row['id']}/payments`, { due_date: '2099-01-01', amount: 5 });
  expect((await client.get(path, {}, { 'if-none-match': etag })).status).toBe(200);
});

test('lists have no ETag, and other errors come before conditions', async () => {
  const { item } = await make(vendors);
  expect((await client.get('/vendors')).headers.get('etag')).toBeNull();
  expect((await send('PATCH', item, stale, { company_name: 1 })).status).toBe(422);
  expect((await send('PATCH', '/vendors/01890000-0000-7000-8000-000000000000', stale, {})).status).toBe(404);
  for (const wrong of ['abc', '"abc', '"a" "b"', '', '*, "a"']) {
    expect(await send('PATCH', item, wrong, {})).toMatchObject({
      status: 400,
      error: { code: 'BAD_REQUEST', message: expect.stringContaining('If-Match') },
    });
  }
});

test('an ETag that a proxy changed is told so', async () => {
  const { item, row } = await make(vendors);
  const etag = (await etagOf(item)).slice(1, -1);
  const changed = [`W/"${etag}"`, `"${etag}-gzip"`, `"${etag}--gzip"`, `"${etag};gzip"`, `"${etag}-br"`, '"1"'];
  const message = expect.stringContaining('A proxy that compresses responses may have changed it');
  for (const each of [...changed, `${stale}, W/"${etag}"`])
    for (const method of ['PATCH', 'DELETE'])
      expect(
        await send(method, item, each, method === 'DELETE' ? undefined : { company_name: 'Changed' }),
      ).toMatchObject({
        status: 412,
        error: { code: 'PRECONDITION_FAILED', message },
      });
  const id = String(row['id']);
  const { errors } = await client.graphql(`mutation { deleteVendor(id: "${id}", ifMatch: "${etag}-gzip") { id } }`);
  expect(errors).toMatchObject([{ message, extensions: { code: 'PRECONDITION_FAILED' } }]);
  // One that was sent is only out of date.
  expect((await send('DELETE', item, stale)).error.message).toBe(
    'This vendor changed since you last fetched it. Fetch it and retry.',
  );
  expect(await send('DELETE', item, `W/"${etag}", "${etag}"`)).toMatchObject({ status: 204 });
});

test('without an ETag only If-Match: * succeeds', async () => {
  const { row } = await client.post('/service-requests', { title: 'Lamp' });
  const path = `/service-requests/${row['id']}/watchers`;
  const body = { user_id: rows.tenant.users[1]?.id };
  await client.post(path, body);
  expect(await send('DELETE', path, stale, body)).toMatchObject(failed);
  expect((await send('DELETE', path, '*', body)).status).toBe(204);
});

test('pages of other origins may send conditions and read the ETag', async () => {
  const { headers } = await client.get('/vendors');
  expect(headers.get('access-control-expose-headers')).toMatch(/\bETag\b.*\bIdempotent-Replayed\b/);
  const asked = await client.request('OPTIONS', '/vendors', {
    headers: {
      origin: 'https://example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'idempotency-key,if-match,if-none-match',
    },
  });
  expect(asked.headers.get('access-control-allow-headers')).toBe('idempotency-key,if-match,if-none-match');
});
