import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

// Many rows in one request: the batch of every resource, and changes of all rows that match.
let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  client = await tenant.client();
});
afterAll(() => service.close());

interface Sent {
  readonly query?: Row;
  readonly headers?: Record<string, string>;
  readonly by?: Client;
}

const batch = (path: string, operations: readonly Row[], { by = client, ...sent }: Sent = {}) =>
  by.request('POST', `${path}/batch`, { body: { operations }, ...sent });
const lenient = { headers: { prefer: 'handling=lenient' } };
const totalOf = async (path: string) => (await client.get(path)).meta.total;
const createVendor = async (company_name: string) =>
  String((await client.post('/vendors', { company_name })).row['id']);
const nameOf = async (id: string) => (await client.get(`/vendors/${id}`)).row['company_name'];
const digits = (text: unknown) => Number(/\d+$/.exec(String(text))?.[0]);
const code = () => randomUUID().slice(0, 8);

test('one body creates, updates and deletes', async () => {
  const [first, second] = [await createVendor('First'), await createVendor('Second')];
  const reply = await batch('/vendors', [
    { create: { company_name: 'New' } },
    { update: { company_name: 'Changed' }, id: first },
    { update: { company_name: 'Changed' }, id: first },
    { delete: true, id: second },
  ]);
  expect(reply.status).toBe(200);
  expect(reply.rows.map(({ action }) => action)).toEqual(['created', 'updated', 'unchanged', 'deleted']);
  const [created, updated, , deleted] = reply.rows;
  const read = await client.get(`/vendors/${String(created?.['id'])}`);
  expect(created?.['row']).toEqual(read.row);
  expect(`"${String(created?.['etag'])}"`).toBe(read.headers.get('etag'));
  expect(updated).toMatchObject({ id: first, row: { company_name: 'Changed' }, error: null });
  expect(deleted).toMatchObject({ id: second, etag: null, row: { company_name: 'Second' } });
  expect((await client.get(`/vendors/${second}`)).status).toBe(404);
});

test('an upsert finds its row by a key', async () => {
  const known = code();
  const { row } = await client.post('/locations/buildings', { name: 'One', code: known });
  const reply = await batch('/locations/buildings', [
    { upsert: { name: 'Two', code: known }, by: 'code' },
    { upsert: { name: 'Three', code: code() }, by: 'code' },
    { upsert: { id: row['id'], name: 'Four' } },
  ]);
  expect(reply.rows.map(({ action }) => action)).toEqual(['updated', 'created', 'updated']);
  expect((await client.get(`/locations/buildings/${String(row['id'])}`)).row).toMatchObject({
    name: 'Four',
    code: known,
  });
  const wrong = await batch('/locations/buildings', [
    { upsert: { name: 'No code' }, by: 'code' },
    { upsert: { name: 'X' }, by: 'name' },
  ]);
  expect(wrong.status).toBe(422);
  expect(wrong.details).toMatchObject({ 'operations.0.upsert.code': 'is required' });
  expect(Object.keys(wrong.details)).toContain('operations.1.by');
});

test('a refused row takes back all, and all errors are named', async () => {
  const total = await totalOf('/vendors');
  const invalid = await batch('/vendors', [
    { create: { company_name: 'Kept?' } },
    { create: { email: 'none' } },
    { update: { company_name: null }, id: randomUUID() },
    {},
    { create: { company_name: 'Two' }, delete: true },
  ]);
  expect(invalid.status).toBe(422);
  expect(Object.keys(invalid.details).toSorted()).toEqual([
    'operations.1.create.company_name',
    'operations.1.create.email',
    'operations.2.update.company_name',
    'operations.3',
    'operations.4',
  ]);
  const missing = await batch('/vendors', [
    { create: { company_name: 'Kept?' } },
    { update: { company_name: 'X' }, id: randomUUID() },
  ]);
  expect(missing.status).toBe(404);
  expect(Object.keys(missing.details)).toEqual(['operations.1']);
  expect(await totalOf('/vendors')).toBe(total);
});

test('lenient handling writes the rows that are not refused', async () => {
  const known = await createVendor('Known');
  const taken = code();
  await client.post('/locations/buildings', { name: 'Has it', code: taken });
  const operations = [
    { create: { name: 'Good', code: code() } },
    { create: { name: 'Taken', code: taken } },
    { create: { code: code() } },
    { update: { name: 'X' }, id: known },
    { create: { name: 'Good too' } },
    { delete: true },
  ];
  // Not by the client, which sends nothing that the OpenAPI document refuses and expects success.
  const reply = await fetch(new URL('/api/v1/locations/buildings/batch', client.origin), {
    method: 'POST',
    headers: { ...lenient.headers, authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ operations }),
  });
  expect([reply.status, reply.headers.get('preference-applied')]).toEqual([200, 'handling=lenient']);
  const { data } = (await reply.json()) as { data: { action: string; id: string | null; error: Row | null }[] };
  const refused = (more: Row) => ({ action: 'refused', id: null, error: expect.objectContaining(more) as unknown });
  const written = { action: 'created', id: expect.any(String) as unknown, error: null };
  expect(data).toMatchObject([
    written,
    refused({ code: 'CONFLICT', details: { 'create.code': 'is taken' } }),
    refused({ code: 'VALIDATION_ERROR', details: { 'create.name': 'is required' } }),
    refused({ code: 'NOT_FOUND' }),
    written,
    refused({ code: 'VALIDATION_ERROR', details: { id: 'is required' } }),
  ]);
  expect((await client.get(`/locations/buildings/${String(data[4]?.id)}`)).row['name']).toBe('Good too');
});

test('each of many refused rows has its answer, and the others are written once', async () => {
  const total = await totalOf('/vendors');
  const operations = Array.from({ length: 300 }, (_, n) =>
    n % 3 === 0 ? { delete: true, id: randomUUID() } : { create: { company_name: `Of many ${n}` } },
  );
  const { rows } = await batch('/vendors', operations, lenient);
  expect(rows.map(({ action }) => action)).toEqual(operations.map((_, n) => (n % 3 === 0 ? 'refused' : 'created')));
  expect(await totalOf('/vendors')).toBe(total + 200);
});

test('a refused row names the earlier row that has its value, wherever it was tried', async () => {
  const twice = code();
  const { rows } = await batch(
    '/locations/buildings',
    [
      { update: { name: 'X' }, id: randomUUID() },
      { create: { name: 'First', code: code() } },
      { create: { name: 'Second', code: twice } },
      { create: { name: 'Third', code: twice } },
    ],
    lenient,
  );
  expect(rows.map(({ action }) => action)).toEqual(['refused', 'created', 'created', 'refused']);
  expect(rows[3]?.['error']).toMatchObject({ details: { 'create.code': 'is the same as in operations.2' } });
});

test('a dry run uses up no number', async () => {
  const vendor_id = await createVendor('Numbers');
  const order = { vendor_id, line_items: [{ description: 'Paper', quantity: 1, unit_price: 2 }] };
  const number = async () => (await client.post('/procurement/orders', order)).row['number'];
  const before = await number();
  const dry = await batch('/procurement/orders', [{ create: order }, { create: order }], {
    query: { dry_run: 'true' },
  });
  const after = await number();
  const numbers = dry.rows.map(({ row }) => (row as Row)['number']);
  expect(numbers.map((each) => digits(each) - digits(before))).toEqual([1, 2]);
  expect(digits(after) - digits(before)).toBe(1);
});

test('a dry run answers the same, and nothing stays', async () => {
  const id = await createVendor('Before');
  const total = await totalOf('/vendors');
  const { next } = (await client.get('/changes', { limit: '1' })).row as { next: string };
  const query = { dry_run: 'true' };
  for (const headers of [{}, lenient.headers]) {
    const reply = await batch('/vendors', [{ create: { company_name: 'Dry' } }, { delete: true, id }], {
      query,
      headers,
    });
    expect(reply.rows.map(({ action }) => action)).toEqual(['created', 'deleted']);
  }
  const many = await client.request('DELETE', '/vendors', { query: { ...query, id, expected_count: 1 } });
  expect(many.row).toEqual({ count: 1, changed: 1, ids: [id] });
  expect(await nameOf(id)).toBe('Before');
  expect(await totalOf('/vendors')).toBe(total);
  const last = await client.get('/changes', { after: next, limit: '1000' });
  expect(JSON.stringify(last.row)).not.toContain('Dry');
});

test('an etag that differs, and an Idempotency-Key, hold', async () => {
  const id = await createVendor('Tagged');
  const old = (await client.get(`/vendors/${id}`)).headers.get('etag')?.replaceAll('"', '');
  await client.patch(`/vendors/${id}`, { company_name: 'Later' });
  const stale = await batch('/vendors', [{ update: { company_name: 'Stale' }, id, etag: old }]);
  expect(stale.status).toBe(412);
  expect(await nameOf(id)).toBe('Later');
  const headers = { 'idempotency-key': randomUUID() };
  const operations = [{ create: { company_name: 'Once' } }];
  const [one, other] = [
    await batch('/vendors', operations, { headers }),
    await batch('/vendors', operations, { headers }),
  ];
  expect(other.rows[0]?.['id']).toBe(one.rows[0]?.['id']);
  expect(await totalOf('/vendors?company_name=Once')).toBe(1);
});

test('up to 1,000 rows are written, and more are refused', async () => {
  const of = (length: number) => Array.from({ length }, (_, n) => ({ create: { company_name: `Row ${n}` } }));
  const total = await totalOf('/vendors');
  expect((await batch('/vendors', of(1000))).rows.length).toBe(1000);
  expect(await totalOf('/vendors')).toBe(total + 1000);
  const more = await batch('/vendors', of(1001));
  expect([more.status, Object.keys(more.details)]).toEqual([422, ['operations']]);
});

test('rows of a sub-resource are written below their parent', async () => {
  const asset = String((await client.post('/assets', { asset_name: 'Drill' })).row['id']);
  const other = String((await client.post('/assets', { asset_name: 'Saw' })).row['id']);
  const path = `/assets/${asset}/warranties`;
  const { rows } = await batch(path, [{ create: { provider: 'One' } }, { create: { provider: 'Two' } }]);
  expect(await totalOf(path)).toBe(2);
  const elsewhere = await batch(`/assets/${other}/warranties`, [{ delete: true, id: rows[0]?.['id'] }]);
  expect(elsewhere.status).toBe(404);
  expect(await totalOf(path)).toBe(2);
});

test('all rows that match are changed, if they are as many as expected', async () => {
  const name = `Match ${code()}`;
  for (let n = 0; n < 3; n++) await createVendor(name);
  const change = (expected_count: number, body: Row = { contact_name: 'Somebody' }) =>
    client.request('PATCH', '/vendors', { query: { company_name: name, expected_count }, body });
  const wrong = await change(2);
  expect([wrong.status, wrong.details]).toEqual([409, { expected_count: 'is 3' }]);
  expect(await totalOf(`/vendors?company_name=${name}&contact_name=Somebody`)).toBe(0);
  expect((await change(3)).row).toMatchObject({ count: 3, changed: 3 });
  expect((await change(3)).row).toMatchObject({ count: 3, changed: 0 });
  expect(await totalOf(`/vendors?company_name=${name}&contact_name=Somebody`)).toBe(3);
  expect((await change(3, { email: 'none' })).details).toEqual({ email: expect.any(String) });
  const removed = await client.request('DELETE', '/vendors', { query: { company_name: name, expected_count: 3 } });
  expect([removed.status, removed.row['changed']]).toEqual([200, 3]);
  expect(await totalOf(`/vendors?company_name=${name}`)).toBe(0);
});

test('a filter and a count are required', async () => {
  const send = (query: Row) => client.request('DELETE', '/vendors', { query });
  expect((await send({ expected_count: 0 })).error).toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringMatching(/^filter:/),
  });
  expect((await send({ company_name: 'X' })).error).toMatchObject({ message: 'expected_count: is required' });
  expect((await send({ filter: '{"and":[]}', expected_count: 0 })).status).toBe(400);
  expect((await send({ company_name: 'X', expected_count: 1001 })).error.message).toMatch(/^expected_count:/);
});

test('rows of other companies are not there', async () => {
  const id = await createVendor('Mine');
  const stranger = await (await service.tenant()).client();
  expect((await batch('/vendors', [{ update: { company_name: 'Theirs' }, id }], { by: stranger })).status).toBe(404);
  const none = await stranger.request('DELETE', '/vendors', { query: { id, expected_count: 1 } });
  expect([none.status, none.details]).toEqual([409, { expected_count: 'is 0' }]);
  expect(await nameOf(id)).toBe('Mine');
});

test('a token that may write and not read gets no rows, and no counts', async () => {
  const id = await createVendor('Hidden');
  const writer = await tenant.client(['vendors:write']);
  const reply = await batch('/vendors', [{ update: { company_name: 'Written' }, id }], { by: writer });
  expect(reply.rows).toEqual([{ action: 'updated', id, etag: null, row: null, error: null }]);
  const many = await writer.request('DELETE', '/vendors', { query: { id, expected_count: 1 } });
  expect([many.status, many.error.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
  const reader = await tenant.client(['vendors:read']);
  expect((await batch('/vendors', [{ create: { company_name: 'X' } }], { by: reader })).status).toBe(403);
});

test('GraphQL has the same', async () => {
  const written = await client.graphql<{
    writeVendors: { row: { companyName: string; etag: string }; etag: string }[];
  }>('mutation ($input: WriteVendorsInput!) { writeVendors(input: $input) { action etag row { companyName etag } } }', {
    input: { operations: [{ create: { companyName: 'By GraphQL' } }] },
  });
  expect(written.errors).toEqual([]);
  const [first] = written.data.writeVendors;
  expect(first?.row.companyName).toBe('By GraphQL');
  expect(first?.etag).toBe(first?.row.etag);
  const changed = await client.graphql(
    'mutation { updateManyVendors(filter: { companyName: { eq: "By GraphQL" } }, expectedCount: 1, input: { phone: "1" }) { count changed } deleteManyVendors(filter: { companyName: { eq: "By GraphQL" } }, expectedCount: 1) { ids } }',
  );
  expect(changed.errors).toEqual([]);
  expect(changed.data).toMatchObject({ updateManyVendors: { count: 1, changed: 1 } });
});
