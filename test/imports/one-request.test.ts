// Imports that are made and sent in one request.
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Jobs } from '../../src/background/jobs.ts';
import { importFile } from '../../src/import/index.ts';
import { noMailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
let jobs: Jobs;
beforeAll(async () => {
  service = await startService({ MAX_IMPORT_BYTES: '300000' });
  jobs = new Jobs({ database: service.database, api, mailer: noMailer, log: { warn: () => {} } }, [importFile]);
});
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client(['vendors:read', 'vendors:write']);
});
afterAll(async () => {
  await jobs.close();
  await service.close();
});

const reread = async (row: Row) => (await client.get(`/imports/${String(row['id'])}`)).row;
const lines = (count: number) => Array.from({ length: count }, (_, n) => `{"company_name":"Vendor ${n}"}`).join('\n');
const ndjson = { 'content-type': 'application/x-ndjson' };

test('the batch of a collection takes NDJSON, whose rows a job writes', async () => {
  const sent = await client.request('POST', '/vendors/batch', { body: lines(1200), headers: ndjson });
  expect(sent).toMatchObject({ status: 202, row: { resource: 'vendors', status: 'checking', mode: 'insert' } });
  expect(sent.headers.get('location')).toBe(`/api/v1/imports/${String(sent.row['id'])}`);
  await jobs.runAll();
  expect(await reread(sent.row)).toMatchObject({ status: 'imported', created: 1200, refused: 0 });
  const upserted = await client.request('POST', '/vendors/batch', {
    query: { mode: 'upsert', key: 'external_source,external_id' },
    body: '{"company_name":"A","external_source":"erp","external_id":"1"}',
    headers: ndjson,
  });
  await jobs.runAll();
  expect(await reread(upserted.row)).toMatchObject({ status: 'imported', created: 1 });
});

test('a trial writes nothing, and refused rows keep the others out unless the client says otherwise', async () => {
  const post = (query: Row, headers: Record<string, string> = {}) =>
    client.request('POST', '/vendors/batch', {
      query,
      body: '{"company_name":"A"}\n{"company_name":""}',
      headers: { ...ndjson, ...headers },
    });
  const [trial, strict, lenient] = [
    await post({ dry_run: true }),
    await post({}),
    await post({}, { prefer: 'handling=lenient' }),
  ];
  await jobs.runAll();
  expect(await reread(trial.row)).toMatchObject({ status: 'checked', refused: 1 });
  expect(await reread(strict.row)).toMatchObject({ status: 'checked', refused: 1 });
  expect(await reread(lenient.row)).toMatchObject({ status: 'imported', created: 1, refused: 1 });
});

test('what cannot be taken is refused, and leaves no import', async () => {
  const reader = await tenant.client(['vendors:read']);
  const post = (by: Client, path: string, body: string, query = {}) =>
    by.request('POST', path, { query, body, headers: ndjson });
  expect(await post(reader, '/vendors/batch', lines(1))).toMatchObject({ status: 403 });
  expect(await post(client, '/vendors/batch', lines(1), { colour: 'red' })).toMatchObject({ status: 400 });
  expect(await post(client, '/vendors/batch', lines(20_000))).toMatchObject({ status: 413 });
  expect(await post(client, '/vendors', lines(1))).toMatchObject({ status: 415 });
  const open = (await client.get('/imports')).rows.filter((row) => row['status'] !== 'cancelled');
  expect(open).toEqual([]);
});

test('a file is sent with what is said of it', async () => {
  const sent = await client.request('POST', '/imports/rows', {
    query: { resource: 'vendors', name: 'vendors.csv' },
    body: 'company_name\nAcme\n',
    headers: { 'content-type': 'text/csv' },
  });
  expect(sent).toMatchObject({ status: 201, row: { file_name: 'vendors.csv', status: 'checking' } });
  await jobs.runAll();
  expect(await reread(sent.row)).toMatchObject({ status: 'imported', created: 1 });
});
