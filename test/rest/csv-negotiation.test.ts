// When a list is sent as CSV, and with which headers.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService } from '../support/service.ts';

let service: Service;
let client: Client;
beforeAll(async () => {
  service = await startService();
  client = await (await service.tenant()).client();
  await client.post('/paints', { name: 'Blue' });
});
afterAll(() => service.close());

const accept = 'text/csv';
const csv = (client: Client, path: string, query: Row = {}) => client.get(path, query, { accept });

test.each([
  ['text/csv', true],
  ['text/csv; charset=UTF-8', true],
  ['text/csv;header=present', true],
  ['TEXT/CSV', true],
  ['text/*', true],
  ['text/csv, application/json;q=0.9', true],
  ['application/json;q=0.5, text/csv;q=0.8', true],
  ['text/csv, */*;q=0.1', true],
  [undefined, false],
  ['*/*', false],
  ['', false],
  ['application/json', false],
  ['application/json, text/csv', false],
  ['text/csv;q=0.5, application/json', false],
  ['text/csv;q=0', false],
  ['text/csv;q=0, */*', false],
  ['text/csv;header=absent', false],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
  ['image/png', false],
])('Accept: %s', async (given, isCsv) => {
  const reply = await client.get('/paints', {}, given === undefined ? {} : { accept: given });
  expect({ status: reply.status, type: reply.headers.get('content-type'), vary: reply.headers.get('vary') }).toEqual({
    status: 200,
    type: isCsv ? 'text/csv; charset=utf-8; header=present' : 'application/json; charset=utf-8',
    vary: 'Accept',
  });
});

test('CSV has a file name, and the common headers', async () => {
  const { headers } = await csv(client, '/paints');
  expect(headers.get('content-disposition')).toBe('attachment; filename="paints.csv"');
  expect(headers.get('x-request-id')).toMatch(/\S/);
  expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
  expect(headers.get('access-control-expose-headers')).toContain('Content-Disposition');
  const { id } = (await client.post('/service-requests', { title: 'Lamp' })).row;
  expect((await csv(client, `/service-requests/${String(id)}/time-logs`)).headers.get('content-disposition')).toBe(
    'attachment; filename="service-requests-time-logs.csv"',
  );
});

test('HEAD reads no rows', async () => {
  const reply = await client.request('HEAD', '/paints', { headers: { accept } });
  expect({ status: reply.status, type: reply.headers.get('content-type'), text: reply.text }).toEqual({
    status: 200,
    type: 'text/csv; charset=utf-8; header=present',
    text: '',
  });
  expect(reply.headers.get('content-disposition')).toBe('attachment; filename="paints.csv"');
});

test('errors are in JSON', async () => {
  for (const [path, query, status] of [
    ['/paints', { limit: 0 }, 400],
    ['/paints', { nope: 1 }, 400],
    ['/paints', { cursor: 'x' }, 400],
    ['/paints', { sort: 'nope' }, 400],
    ['/paints/01890000-0000-7000-8000-000000000000/locations', {}, 404],
  ] as const) {
    const reply = await csv(client, path, query);
    expect({ path, query, status: reply.status, type: reply.headers.get('content-type') }).toEqual({
      path,
      query,
      status,
      type: 'application/json; charset=utf-8',
    });
    expect(reply.error.status).toBe(status);
  }
  const other = await (await service.tenant()).client(['vendors:read']);
  expect((await csv(other, '/paints')).error.code).toBe('INSUFFICIENT_SCOPE');
  expect((await csv(service.anonymous, '/paints')).error.code).toBe('INVALID_TOKEN');
});

test('single resources are always JSON', async () => {
  const { id } = (await client.get('/paints')).rows[0] ?? {};
  const reply = await csv(client, `/paints/${String(id)}`);
  expect(reply.row).toMatchObject({ id, name: 'Blue' });
});
