import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { OpenapiDocument } from '../../src/rest/openapi/types.ts';
import type { Route } from '../../src/rest/routes.ts';
import type { Client, Row } from '../support/client.ts';
import { collectionsWith, inputFields, rootField } from '../support/resources.ts';
import { fill, Rows } from '../support/rows.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { countStatuses } from './days.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
let ada: string;
let ben: string;
beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
  [ada = '', ben = ''] = tenant.users.map(({ id }) => id);
});
afterAll(() => service.close());

/** Whether a route takes the address of a file. */
const takesFile = (route?: Route) =>
  inputFields(rootField(route?.operation.field ?? '')).some(({ name }) => name === 'fileUrl');

const titles = async (path: string, query: Record<string, unknown>) =>
  (await client.get(path, { sort: 'title', order: 'asc', ...query })).rows.map(({ title }) => title);

test.each(collectionsWith('create', 'update').filter(([, { on }]) => takesFile(on.create)))(
  '%s takes addresses of files of up to 2,000 characters',
  async (_, collection) => {
    const rows = await Rows.of(service, tenant);
    const address = (length: number) => `https://files.example.com/${'x'.repeat(length - 26)}`;
    const body = await rows.body(collection.on.create?.operation.field ?? '', { values: { fileUrl: address(2000) } });
    const path = fill(collection.path, await rows.parents(collection.path));
    const made = await client.post(path, body);
    expect(made).toMatchObject({ status: 201, row: { file_url: address(2000) } });
    const { id } = made.row;
    expect((await client.get(`${path}/${String(id)}`)).row['file_url']).toHaveLength(2000);
    const message = 'must be at most 2000 characters';
    for (const refused of [
      await client.post(path, { ...body, file_url: address(2001) }),
      await client.patch(`${path}/${String(id)}`, { file_url: address(2001) }),
    ])
      expect(refused).toMatchObject({ status: 422, details: { file_url: message } });
  },
);

test('all addresses of files have the same length in the OpenAPI document', async () => {
  const { components } = (await client.get('/openapi.json')).json as unknown as OpenapiDocument;
  const lengths = Object.values(components.schemas).flatMap(
    ({ properties = {} }) => (properties as Record<string, { maxLength?: number }>)['file_url']?.maxLength ?? [],
  );
  expect(lengths.length).toBeGreaterThan(8);
  expect(new Set(lengths)).toEqual(new Set([2000]));
});

describe('/documents', () => {
  test('a new one is pending', async () => {
    expect(await client.post('/documents', { title: 'Plan' })).toMatchObject({
      status: 201,
      row: { title: 'Plan', processing_status: 'pending', file_url: null },
    });
  });

  test('status is an alias of processing_status', async () => {
    for (const [title, processing_status] of [
      ['A', 'pending'],
      ['B', 'processing'],
      ['C', 'processed'],
      ['D', 'failed'],
    ]) {
      await client.post('/documents', { title, processing_status });
    }
    expect(await titles('/documents', { status: 'processed' })).toEqual(['C']);
    expect(await titles('/documents', { status: 'pending,failed' })).toEqual(['A', 'D']);
    expect(await titles('/documents', { processing_status: 'processing' })).toEqual(['B']);
    expect(await titles('/documents', { status: 'failed', processing_status: 'pending,failed' })).toEqual(['D']);
    expect(await titles('/documents', { status: 'failed', processing_status: 'pending' })).toEqual([]);
    expect(await client.get('/documents', { status: 'done' })).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('status') },
    });
    const { data } = await client.graphql(
      '{ documents(filter: { processingStatus: { in: [FAILED, PROCESSED] } }) { totalCount } }',
    );
    expect(data).toEqual({ documents: { totalCount: 2 } });
  });

  test('can be filtered by status, but has no such field', async () => {
    expect((await client.post('/documents', { title: 'Plan', status: 'pending' })).details).toEqual({
      status: expect.any(String),
    });
  });

  test.each([
    ['https://example.com/a.pdf', 201],
    ['http://localhost:8080/x', 201],
    ['ftp://example.com/a', 422],
    ['a.pdf', 422],
    ['', 201],
  ])('file_url %j: %d', async (file_url, status) => {
    const reply = await client.post('/documents', { title: 'Plan', file_url });
    expect(reply.status).toBe(status);
    if (status === 422) expect(Object.keys(reply.details)).toEqual(['file_url']);
  });
});

describe('/hr/documents', () => {
  test('a new one is active and requires no acknowledgment', async () => {
    expect((await client.post('/hr/documents', { title: 'Rules' })).row).toMatchObject({
      status: 'active',
      category: null,
      requires_acknowledgment: false,
    });
    expect((await client.post('/hr/documents', { title: 'Rules', category: 'memo', file_url: 'x' })).details).toEqual({
      category: expect.stringContaining('handbook'),
      file_url: expect.any(String),
    });
  });
});

describe('/hr/acknowledgments', () => {
  const makeDocument = async () => (await client.post('/hr/documents', { title: 'Rules' })).row['id'];
  const acknowledge = (body: object) => client.post('/hr/acknowledgments', body);

  test('defaults to the caller, the time and the IP address', async () => {
    const document_id = await makeDocument();
    const before = Date.now();
    const { status, row } = await acknowledge({ document_id });
    expect(status).toBe(201);
    expect(row).toMatchObject({ document_id, user_id: ada, ip_address: '127.0.0.1' });
    expect(Math.abs(Date.parse(String(row['acknowledged_at'])) - before)).toBeLessThan(5000);
    const other = { document_id, user_id: ben, acknowledged_at: '2026-01-31T09:30:00.000Z', ip_address: '2001:db8::7' };
    expect((await acknowledge(other)).row).toMatchObject(other);
  });

  test.each(['203.0.113.7', '::1', '2001:DB8::1'])('accepts the address %s', async (ip_address) => {
    expect(await acknowledge({ document_id: await makeDocument(), ip_address })).toMatchObject({
      status: 201,
      row: { ip_address },
    });
  });

  test.each(['203.0.113', '203.0.113.256', 'localhost', '2001:db8::1/64', '1'])(
    'rejects the address %s',
    async (ip_address) => {
      expect((await acknowledge({ document_id: await makeDocument(), ip_address })).details).toEqual({
        ip_address: expect.any(String),
      });
    },
  );

  test('rejects an unknown document or user', async () => {
    for (const body of [{}, { document_id: null }])
      expect(await acknowledge(body)).toMatchObject({ status: 422, details: { document_id: 'is required' } });
    expect((await acknowledge({ document_id: randomUUID() })).details).toEqual({ document_id: expect.any(String) });
    expect((await acknowledge({ document_id: await makeDocument(), user_id: randomUUID() })).details).toEqual({
      user_id: expect.any(String),
    });
  });

  test('is unique per document and user', async () => {
    const document_id = await makeDocument();
    expect((await acknowledge({ document_id })).status).toBe(201);
    expect(await acknowledge({ document_id, user_id: ada })).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT', details: { user_id: 'has acknowledged this document' } },
    });
    expect((await acknowledge({ document_id, user_id: ben })).status).toBe(201);
    expect((await acknowledge({ document_id: await makeDocument() })).status).toBe(201);
    expect((await client.get('/hr/acknowledgments', { document_id })).meta.total).toBe(2);
  });

  test('is created once of several concurrent ones', async () => {
    const document_id = await makeDocument();
    expect(await countStatuses(30, () => acknowledge({ document_id }))).toEqual({ 201: 1, 409: 29 });
    expect((await client.get('/hr/acknowledgments', { document_id, user_id: ada })).meta.total).toBe(1);
  });

  test('is deleted with its document', async () => {
    const document_id = await makeDocument();
    await acknowledge({ document_id });
    expect((await client.delete(`/hr/documents/${String(document_id)}`)).status).toBe(204);
    expect((await client.get('/hr/acknowledgments')).meta.total).toBe(0);
  });

  test('can be corrected in REST, and is listed by document and user in GraphQL', async () => {
    const document_id = await makeDocument();
    const { id } = (await acknowledge({ document_id })).row;
    const correct = (body: Row) => client.patch(`/hr/acknowledgments/${String(id)}`, body);
    expect(await correct({ ip_address: '192.0.2.7' })).toMatchObject({ status: 200, row: { ip_address: '192.0.2.7' } });
    expect(await correct({ document_id: null })).toMatchObject({
      status: 422,
      details: { document_id: 'is required' },
    });
    const { data, errors } = await client.graphql(
      '{ hrDocuments { nodes { acknowledgments { totalCount nodes { user { id } } } } } users(search: "ada") { nodes { hrAcknowledgments { nodes { document { title } } } } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      hrDocuments: { nodes: [{ acknowledgments: { totalCount: 1, nodes: [{ user: { id: ada } }] } }] },
      users: { nodes: [{ hrAcknowledgments: { nodes: [{ document: { title: 'Rules' } }] } }] },
    });
  });
});
