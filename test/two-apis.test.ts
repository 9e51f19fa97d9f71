// An API is a value: one process serves the product's beside one of other definitions.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { defineResource } from '../src/resource/index.ts';
import { changes } from '../src/schema/changes/changes.ts';
import type { Client, Row } from './support/client.ts';
import { serveBeside } from './support/other-api.ts';
import { type Service, startService } from './support/service.ts';

/** Paints with fewer fields, another name and another address. */
const Color = defineResource('Paint', {
  scope: 'paint',
  fields: { name: {}, brand: {} },
  graphql: { type: 'Color' },
  rest: { path: '/colors' },
});

let service: Service;
let client: Client;
let other: Awaited<ReturnType<typeof serveBeside>>;
beforeAll(async () => {
  service = await startService();
  client = await (await service.tenant()).client();
  other = await serveBeside(service, [Color, ...changes]);
});
afterAll(async () => {
  await other?.close();
  await service.close();
});

/** Asks the other service. */
async function ask(method: 'GET' | 'POST', url: string, payload?: object) {
  const headers = { authorization: `Bearer ${client.token}` };
  const { statusCode, body } = await other.inject({ method, url, headers, payload });
  return { status: statusCode, body: JSON.parse(body) as Row };
}

test('each serves its own REST routes, over the same rows', async () => {
  const created = await client.post('/paints', { name: 'Oak', brand: 'Acme', finish: 'matte' });
  expect(created.status).toBe(201);
  const { status, body } = await ask('GET', '/api/v1/colors?brand=Acme');
  expect(status).toBe(200);
  const [color] = (body as { data: Row[] }).data;
  expect(Object.keys(color ?? {})).toEqual([
    ...['id', 'name', 'brand', 'external_source', 'external_id'],
    ...['created_at', 'updated_at'],
  ]);
  expect(color).toMatchObject({ id: created.row['id'], name: 'Oak', brand: 'Acme' });
  expect((await ask('GET', '/api/v1/colors?finish=matte')).status).toBe(400);
  expect((await ask('POST', '/api/v1/colors', { name: 'Ash', finish: 'matte' })).body).toMatchObject({
    error: { code: 'VALIDATION_ERROR', details: { finish: expect.stringContaining('is not a field here') } },
  });
  expect((await ask('GET', '/api/v1/paints')).status).toBe(404);
  expect((await client.get('/colors')).status).toBe(404);
});

test('each serves its own GraphQL schema and OpenAPI document', async () => {
  const query = '{ colors(filter: { name: { eq: "Oak" } }) { totalCount nodes { brand } } }';
  expect((await ask('POST', '/graphql', { query })).body).toEqual({
    data: { colors: { totalCount: 1, nodes: [{ brand: 'Acme' }] } },
    extensions: expect.anything(),
  });
  expect((await ask('POST', '/graphql', { query: '{ paints { totalCount } }' })).body).toMatchObject({
    errors: [{ message: expect.stringContaining('Cannot query field "paints"') }],
  });
  expect((await client.graphql(query)).errors).toMatchObject([
    { message: expect.stringContaining('Cannot query field "colors"') },
  ]);
  const { body } = await ask('GET', '/api/v1/openapi.json');
  expect(Object.keys((body as { paths: object }).paths).sort()).toEqual([
    '/changes',
    '/colors',
    '/colors/aggregates',
    '/colors/batch',
    '/colors/{id}',
    '/colors/{id}/history',
    '/colors/{id}/restore',
    '/snapshot',
  ]);
});
