// Imports by both APIs: a file is sent, checked, written by a job, and taken back.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { deleteOldRows } from '../../src/background/cleanup.ts';
import { Jobs } from '../../src/background/jobs.ts';
import { importFile } from '../../src/import/index.ts';
import { noMailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { unzip } from '../support/unzip.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
let jobs: Jobs;
const logged: unknown[] = [];
beforeAll(async () => {
  service = await startService({ MAX_IMPORT_BYTES: '300000' });
  const log = { warn: (facts: unknown) => void logged.push(facts) };
  jobs = new Jobs({ database: service.database, api, mailer: noMailer, log }, [importFile]);
});
beforeEach(async () => {
  logged.length = 0;
  tenant = await service.tenant();
  client = await tenant.client(['vendors:read', 'vendors:write', 'service_requests:read', 'service_requests:write']);
});
afterAll(async () => {
  await jobs.close();
  await service.close();
});

const send = (by: Client, id: unknown, content: string) =>
  by.request('PUT', `/imports/${String(id)}/file`, {
    query: { name: 'vendors.csv' },
    body: content,
    headers: { 'content-type': 'text/csv' },
  });

/** Makes an import, sends its file, and has it checked. */
async function checked(content: string, options: Row = {}, by = client): Promise<Row> {
  const { id } = (await by.post('/imports', { resource: 'vendors', ...options })).row;
  expect((await send(by, id, content)).status).toBe(204);
  await jobs.runAll();
  return (await by.get(`/imports/${String(id)}`)).row;
}

const change = async (row: Row, body: Row, by = client) => {
  const reply = await by.patch(`/imports/${String(row['id'])}`, body, { prefer: 'return=representation' });
  await jobs.runAll();
  return reply;
};
const reread = async (row: Row, by = client) => (await by.get(`/imports/${String(row['id'])}`)).row;
const names = async () =>
  (await client.get('/vendors', { sort: 'company_name', order: 'asc' })).rows.map((row) => row['company_name']);

test('a file is checked first, and its rows are written once that is asked for', async () => {
  const made = await client.post('/imports', { resource: 'vendors' });
  expect(made.status).toBe(201);
  expect(made.row).toMatchObject({
    status: 'waiting',
    resource: 'vendors',
    mode: 'insert',
    handling: 'strict',
    rows: null,
  });
  expect(made.row['file_path']).toBe(`/api/v1/imports/${String(made.row['id'])}/file`);
  const row = await checked('company_name;email\nAcme;a@acme.example\nBolt;\n');
  expect(row).toMatchObject({
    ...{ status: 'checked', format: 'csv', encoding: 'utf-8', separator: 'semicolon', rows: 2, done: 2 },
    ...{ created: 2, refused: 0, refusals: [], file_name: 'vendors.csv', file_bytes: 45 },
    columns: [
      { position: 1, header: 'company_name', field: 'companyName', by: null, examples: ['Acme', 'Bolt'] },
      { position: 2, header: 'email', field: 'email', by: null, examples: ['a@acme.example'] },
    ],
  });
  expect(await names()).toEqual([]);
  const begun = await change(row, { status: 'importing' });
  expect(begun.row).toMatchObject({ status: 'importing', done: 0, created: 0 });
  expect(await reread(row)).toMatchObject({ status: 'imported', done: 2, created: 2 });
  expect(await names()).toEqual(['Acme', 'Bolt']);
  expect(logged).toEqual([]);
});

test('GraphQL has the same', async () => {
  const fields = 'id status filePath handling mode';
  const { data } = await client.graphql(
    `mutation { createImport(input: { resource: VENDORS, autoStart: true, mapping: [{ column: "Firma", field: "companyName" }] }) { ${fields} } }`,
  );
  const id = data['createImport']?.['id'];
  expect(data['createImport']).toMatchObject({ status: 'WAITING', handling: 'STRICT', mode: 'INSERT' });
  await send(client, id, 'Firma\nAcme\n');
  await jobs.runAll();
  const { data: read } = await client.graphql(`{ imports { id status created columns { header field } } }`);
  expect(read['imports']).toEqual([
    { id, status: 'IMPORTED', created: 1, columns: [{ header: 'Firma', field: 'companyName' }] },
  ]);
  expect(await names()).toEqual(['Acme']);
});

test('rows with errors keep a strict import from beginning; a lenient one writes the others', async () => {
  const row = await checked('company_name,email\nAcme,nonsense\nBolt,b@bolt.example\n');
  expect(row).toMatchObject({ status: 'checked', created: 1, refused: 1 });
  expect(row['refusals']).toEqual([{ line: 2, errors: ['email: must be an email address'] }]);
  const refused = await change(row, { status: 'importing' });
  expect([refused.status, refused.error.message]).toEqual([
    409,
    '1 rows have errors. Correct the file and send it again, or set handling to lenient to write the others.',
  ]);
  const errors = await client.get(`/imports/${String(row['id'])}/errors`);
  expect(errors.text).toBe(
    '\uFEFFcompany_name,email,import_errors\r\nAcme,nonsense,line 2: email: must be an email address\r\n',
  );
  expect(await change(row, { handling: 'lenient' })).toMatchObject({ row: { status: 'checking' } });
  await change(row, { status: 'importing' });
  expect(await reread(row)).toMatchObject({ status: 'imported', created: 1, refused: 1 });
  expect(await names()).toEqual(['Bolt']);
});

test('what can be read in two ways waits for an answer', async () => {
  const row = await checked(
    'title,scheduled_date\nDesk,03/04/2026\n',
    { resource: 'move_requests' },
    await tenant.client(),
  );
  expect(row).toMatchObject({ status: 'failed', error: 'Validation failed.' });
  expect(Object.keys(row['error_details'] as Row)).toEqual(['date_order']);
  const all = await tenant.client();
  await change(row, { date_order: 'dmy' }, all);
  expect(await reread(row, all)).toMatchObject({ status: 'checked', date_order: 'dmy', created: 1 });
});

test('a file with columns that are no fields says what its columns are, so that they can be mapped', async () => {
  const row = await checked('Firma,email,Stadt\nAcme,a@acme.example,Bonn\n');
  expect(row).toMatchObject({ status: 'failed', rows: null, format: 'csv', separator: 'comma' });
  expect(row['columns']).toEqual([
    { position: 1, header: 'Firma', field: null, by: null, examples: ['Acme'] },
    { position: 2, header: 'email', field: 'email', by: null, examples: ['a@acme.example'] },
    { position: 3, header: 'Stadt', field: null, by: null, examples: ['Bonn'] },
  ]);
  expect(Object.keys(row['error_details'] as Row)).toEqual(['columns.1', 'columns.3']);
  const mapping = [{ column: '1', field: 'company_name' }, { column: '3' }];
  await change(row, { mapping });
  expect(await reread(row)).toMatchObject({ status: 'checked', rows: 1, created: 1, error: null });
});

describe('cancelling', () => {
  test('an import that has not begun deletes its file', async () => {
    const row = await checked('company_name\nAcme\n');
    expect((await change(row, { status: 'cancelled' })).row).toMatchObject({ status: 'cancelled' });
    expect(await service.database.prisma.importPart.count({ where: { importId: String(row['id']) } })).toBe(0);
    expect((await change(row, { status: 'importing' })).status).toBe(409);
  });

  test('one that has written takes back new and changed rows, and names those that others have changed', async () => {
    const kept = (await client.post('/vendors', { company_name: 'Kept', email: 'old@kept.example' })).row;
    const row = await checked(
      `id,company_name,email\n${String(kept['id'])},Kept,new@kept.example\n,Acme,\n,Bolt,\n,Coil,\n`,
      { mode: 'upsert', auto_start: true },
    );
    expect(row).toMatchObject({ status: 'imported', created: 3, updated: 1 });
    const [bolt] = (await client.get('/vendors', { search: 'Bolt' })).rows;
    await client.patch(`/vendors/${String(bolt?.['id'])}`, { email: 'b@bolt.example' });
    expect((await change(row, { status: 'cancelled' })).row).toMatchObject({ status: 'cancelling' });
    expect(await reread(row)).toMatchObject({
      ...{ status: 'cancelled', taken_back: 3, kept_count: 1 },
      kept: [{ resource: 'vendors', row_id: bolt?.['id'], reason: 'changed' }],
    });
    expect(await names()).toEqual(['Bolt', 'Kept']);
    expect((await client.get(`/vendors/${String(kept['id'])}`)).row['email']).toBe('old@kept.example');
    expect(logged).toEqual([]);
  });

  test('keeps rows that rows of others refer to', async () => {
    const row = await checked('title\nDoor\nLamp\n', { resource: 'service_requests', auto_start: true });
    const [door] = (await client.get('/service-requests', { search: 'Door' })).rows;
    await client.post(`/service-requests/${String(door?.['id'])}/comments`, { comment: 'Seen.' });
    await change(row, { status: 'cancelled' });
    expect(await reread(row)).toMatchObject({
      ...{ status: 'cancelled', kept_count: 1 },
      kept: [{ resource: 'service_requests', row_id: door?.['id'], reason: 'referred' }],
    });
    expect((await client.get('/service-requests')).rows.map(({ title }) => title)).toEqual(['Door']);
    expect((await client.get(`/service-requests/${String(door?.['id'])}/comments`)).rows).toHaveLength(1);
  });
});

describe('who may', () => {
  test('the write scope of the resource is needed to make, see and send', async () => {
    const reader = await tenant.client(['vendors:read', 'paint:write']);
    const refused = await reader.post('/imports', { resource: 'vendors' });
    expect([refused.status, refused.error.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
    const row = await checked('company_name\nAcme\n');
    expect((await reader.get(`/imports/${String(row['id'])}`)).status).toBe(404);
    expect((await reader.get('/imports')).rows).toEqual([]);
    expect((await send(reader, row['id'], 'company_name\nBolt\n')).status).toBe(404);
    expect((await reader.get(`/imports/${String(row['id'])}/errors`)).status).toBe(404);
    expect((await reader.patch(`/imports/${String(row['id'])}`, { status: 'importing' })).status).toBe(404);
    expect((await reader.get('/imports/template', { resource: 'vendors' })).status).toBe(403);
  });

  test('nobody in another company', async () => {
    const stranger = await (await service.tenant()).client();
    const row = await checked('company_name\nAcme\n');
    for (const reply of [
      await stranger.get(`/imports/${String(row['id'])}`),
      await send(stranger, row['id'], 'company_name\nBolt\n'),
      await stranger.get(`/imports/${String(row['id'])}/errors`),
      await stranger.patch(`/imports/${String(row['id'])}`, { status: 'cancelled' }),
    ])
      expect(reply.status).toBe(404);
    expect((await stranger.get('/imports')).rows).toEqual([]);
  });

  test('a token that has ended ends its import, which goes on with none of its rights', async () => {
    const row = await checked('company_name\nAcme\n');
    await client.patch(`/imports/${String(row['id'])}`, { status: 'importing' });
    await service.database.prisma.apiToken.updateMany({
      where: { companyId: tenant.company.id },
      data: { revokedAt: new Date() },
    });
    await jobs.runAll();
    const other = await tenant.client();
    expect(await reread(row, other)).toMatchObject({
      status: 'failed',
      error: 'The token that made the import has expired or was revoked.',
    });
    expect((await other.get('/vendors')).rows).toEqual([]);
  });

  test('the scopes that a token has now decide', async () => {
    const row = await checked('company_name\nAcme\n');
    await client.patch(`/imports/${String(row['id'])}`, { status: 'importing' });
    await service.database.prisma.apiToken.updateMany({
      where: { companyId: tenant.company.id },
      data: { scopes: ['vendors:read'] },
    });
    await jobs.runAll();
    expect(await reread(row, await tenant.client())).toMatchObject({ status: 'failed', created: 0 });
  });
});

describe('files', () => {
  test('too many bytes, none, and compressed ones are refused', async () => {
    const { id } = (await client.post('/imports', { resource: 'vendors' })).row;
    const large = await send(client, id, `company_name\n${'A'.repeat(300_000)}\n`);
    expect([large.status, large.error.message]).toEqual([413, 'The file must have at most 300000 bytes.']);
    const empty = await send(client, id, '');
    expect([empty.status, empty.error.details]).toEqual([422, { file: 'must not be empty' }]);
    const packed = await client.request('PUT', `/imports/${String(id)}/file`, {
      body: 'x',
      headers: { 'content-type': 'text/csv', 'content-encoding': 'gzip' },
    });
    expect(packed.status).toBe(415);
    expect(await reread({ id })).toMatchObject({ status: 'waiting', file_bytes: null });
    expect(await service.database.prisma.importPart.count({ where: { importId: String(id) } })).toBe(0);
  });

  test('a file of many parts is read as a whole', async () => {
    const lines = Array.from({ length: 2500 }, (_, n) => `Vendor ${n},${'note '.repeat(19)}${n}`);
    const row = await checked(`company_name,address\n${lines.join('\n')}\n`, { auto_start: true });
    expect(row).toMatchObject({ status: 'imported', rows: 2500, created: 2500 });
  });

  test('a template has the columns of a resource', async () => {
    const { text, headers } = await client.get('/imports/template', { resource: 'vendors' });
    expect(text.startsWith('\uFEFFid,company_name,')).toBe(true);
    expect(headers.get('content-disposition')).toBe('attachment; filename="vendors.csv"');
    const all = await tenant.client();
    const orders = await all.get('/imports/template', { resource: 'purchase_orders', mode: 'upsert' });
    expect(orders.text).toContain(
      'line_items.description,line_items.quantity,line_items.unit_price,line_items.item_id',
    );
    expect((await client.get('/imports/template', { resource: 'nothing' })).status).toBe(400);
    expect((await client.get('/imports/template')).status).toBe(400);
    expect((await client.get('/imports/template', { resource: 'vendors', mode: 'x' })).status).toBe(400);
  });

  test('a key may have several fields', async () => {
    const options = { mode: 'upsert', key: 'external_source,external_id', auto_start: true };
    const file = 'external_source,external_id,company_name\nSAP,1,Acme\nSAP,2,Bolt\n';
    expect(await checked(file, options)).toMatchObject({ status: 'imported', created: 2, key: options.key });
    expect(await checked(file, options)).toMatchObject({ status: 'imported', created: 0, unchanged: 2 });
  });

  test('a template is a spreadsheet, whose columns have the formats of their values', async () => {
    const accept = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    const all = await tenant.client();
    const authorization = `Bearer ${all.token ?? ''}`;
    const address = `${all.origin}/api/v1/imports/template?resource=move_requests`;
    const reply = await fetch(address, { headers: { authorization, accept } });
    const bytes = Buffer.from(await reply.arrayBuffer());
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, accept]);
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="move-requests.xlsx"');
    const { text } = await all.get('/imports/template', { resource: 'move_requests' });
    const names = text.slice(1).trim().split(',');
    const sheet = (await unzip(bytes))['xl/worksheets/sheet1.xml'] ?? '';
    const shown = [...sheet.matchAll(/<t [^>]*>([^<]*)</g)].map(([, name]) => name);
    expect(shown).toEqual(names);
    const styles = [...sheet.matchAll(/<col [^>]*style="(\d+)"/g)].map(([, style]) => Number(style));
    const styleOf = (name: string) => styles[names.indexOf(name)];
    expect([styleOf('title'), styleOf('scheduled_date')]).toEqual([5, 2]);
    expect(sheet).toMatch(/<dataValidation type="list"[^>]*><formula1>"[a-z_]+(,[a-z_]+)+"</);
    // Empty, it has no rows to import.
    const { id } = (await all.post('/imports', { resource: 'move_requests' })).row;
    const sent = { method: 'PUT', body: bytes, headers: { authorization, 'content-type': 'application/octet-stream' } };
    expect((await fetch(`${all.origin}/api/v1/imports/${String(id)}/file`, sent)).status).toBe(204);
    await jobs.runAll();
    expect((await all.get(`/imports/${String(id)}`)).row).toMatchObject({
      ...{ status: 'failed', error_details: { file: 'has no rows' } },
    });
  });

  test('unknown values are refused by name', async () => {
    const refused = await client.post('/imports', { resource: 'vendors', mode: 'insert', key: 'email' });
    expect(refused.error.details).toEqual({ key: 'is only for the modes update and upsert' });
    const line = await client.post('/imports', { resource: 'vendors', mode: 'x' });
    expect(line.error.details).toEqual({ mode: 'must be one of insert, update, upsert' });
    const row = await checked('company_name,colour\nAcme,red\n');
    expect(row).toMatchObject({ status: 'failed' });
  });

  test('a company has at most ten unfinished imports', async () => {
    for (let n = 0; n < 10; n++) await client.post('/imports', { resource: 'vendors' });
    const refused = await client.post('/imports', { resource: 'vendors' });
    expect([refused.status, refused.error.code]).toEqual([409, 'CONFLICT']);
  });

  test('are deleted with their import 30 days after it was made', async () => {
    const { prisma } = service.database;
    const [old, kept] = [await checked('company_name\nAcme\n'), await checked('company_name\nAcme\n')];
    const ids = [old, kept].map(({ id }) => String(id));
    const createdAt = new Date(Date.now() - 30 * 86_400_000 - 1000);
    await prisma.import.updateMany({ where: { id: ids[0] }, data: { createdAt } });
    await deleteOldRows(prisma, 'imports', 30, () => false);
    expect((await client.get('/imports')).rows.map(({ id }) => id)).toEqual([ids[1]]);
    const parts = await prisma.importPart.findMany({ where: { importId: { in: ids } }, select: { importId: true } });
    expect(new Set(parts.map(({ importId }) => importId))).toEqual(new Set([ids[1]]));
  });
});
