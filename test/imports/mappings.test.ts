// How files of one kind are imported is saved under a name, for a person or for the company.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Jobs } from '../../src/background/jobs.ts';
import { importFile } from '../../src/import/index.ts';
import { noMailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';
import { signInAll } from '../support/browser.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let admin: Client;
let member: Client;
let jobs: Jobs;
beforeAll(async () => {
  service = await startService();
  jobs = new Jobs({ database: service.database, api, mailer: noMailer, log: { warn: () => {} } }, [importFile]);
});
beforeEach(async () => {
  tenant = await service.tenant();
  ({ admin, member } = await signInAll(service, tenant));
});
afterAll(async () => {
  await jobs.close();
  await service.close();
});

const ofErp = {
  ...{ name: 'Vendors of the ERP', resource: 'vendors', mode: 'upsert', key: 'external_source,external_id' },
  ...{ handling: 'lenient', separator: 'semicolon', encoding: 'windows-1252', decimal: 'comma', date_order: 'dmy' },
  mapping: [
    { column: 'Firma', field: 'company_name' },
    { column: 'Notiz', field: null },
    { column: 'Nummer', field: 'external_id' },
  ],
};
const path = ({ id }: Row) => `/import-mappings/${String(id)}`;
const names = async (by: Client) => (await by.get('/import-mappings')).rows.map(({ name }) => name);

/** Imports a file with some options, and returns the import. */
async function imported(by: Client, content: string, options: Row): Promise<Row> {
  const made = await by.post('/imports', { resource: 'vendors', auto_start: true, ...options });
  expect(made.status).toBe(201);
  const file = { body: content, headers: { 'content-type': 'text/csv' } };
  await by.request('PUT', `/imports/${String(made.row['id'])}/file`, file);
  await jobs.runAll();
  return (await by.get(`/imports/${String(made.row['id'])}`)).row;
}

test('a mapping is saved, changed, used by its name or id, and deleted', async () => {
  const made = await member.post('/import-mappings', ofErp);
  expect([made.status, made.row]).toEqual([
    201,
    expect.objectContaining({
      ...ofErp,
      is_shared: false,
      user_id: tenant.users.find(({ role }) => role === 'MEMBER')?.id,
    }),
  ]);
  expect((await member.get(path(made.row))).row).toEqual(made.row);
  expect(await names(member)).toEqual([ofErp.name]);
  const file = 'external_source;Nummer;Firma;Notiz\nSAP;1;M\u00fcller;x\nSAP;2;;y\n';
  expect(await imported(member, file, { saved_mapping: ofErp.name })).toMatchObject({
    ...{ status: 'imported', mode: 'upsert', key: ofErp.key, handling: 'lenient', encoding: 'windows-1252' },
    ...{ created: 1, refused: 1, separator: 'semicolon' },
  });
  const changed = await member.patch(path(made.row), { name: 'ERP', encoding: null, decimal: 'point' });
  expect(changed.status).toBe(200);
  expect((await member.get(path(made.row))).row).toMatchObject({ name: 'ERP', encoding: null, decimal: 'point' });
  // What is said besides comes first.
  const again = { saved_mapping: made.row['id'], handling: 'strict' };
  expect(await imported(member, file, again)).toMatchObject({ status: 'checked', handling: 'strict', refused: 1 });
  const deleted = await member.delete(path(made.row));
  expect([deleted.status, (await member.get(path(made.row))).status]).toEqual([204, 404]);
});

test('GraphQL has the same', async () => {
  const fields = 'id name resource isShared mode key handling mapping { column field }';
  const { data } = await admin.graphql(
    `mutation { createImportMapping(input: { name: "ERP", resource: VENDORS, isShared: true, mapping: [{ column: "Firma", field: "companyName" }] }) { ${fields} } }`,
  );
  const saved = data['createImportMapping'] as Row;
  expect(saved).toEqual({
    ...{ id: expect.any(String), name: 'ERP', resource: 'VENDORS', isShared: true, mode: 'INSERT', key: null },
    ...{ handling: 'STRICT', mapping: [{ column: 'Firma', field: 'companyName' }] },
  });
  const changed = await admin.graphql(
    `mutation ($id: ID!) { updateImportMapping(id: $id, input: { mode: UPSERT }) { mode mapping { column } } }`,
    { id: saved['id'] },
  );
  expect(changed.data['updateImportMapping']).toEqual({ mode: 'UPSERT', mapping: [{ column: 'Firma' }] });
  const read = await member.graphql(`query ($id: ID!) { importMappings { name } importMapping(id: $id) { name } }`, {
    id: saved['id'],
  });
  expect(read.data).toEqual({ importMappings: [{ name: 'ERP' }], importMapping: { name: 'ERP' } });
  const removed = await admin.graphql(`mutation ($id: ID!) { deleteImportMapping(id: $id) { name } }`, {
    id: saved['id'],
  });
  expect(removed.data).toEqual({ deleteImportMapping: { name: 'ERP' } });
});

describe('who may', () => {
  const shared = { name: 'ERP', resource: 'vendors', is_shared: true };

  test('admins save those of the company, which all may use and admins alone change', async () => {
    expect((await member.post('/import-mappings', shared)).status).toBe(403);
    const made = (await admin.post('/import-mappings', shared)).row;
    const own = (await member.post('/import-mappings', { ...shared, name: 'Own', is_shared: false })).row;
    expect(await names(member)).toEqual(['ERP', 'Own']);
    expect(await names(admin)).toEqual(['ERP']);
    expect((await admin.get(path(own))).status).toBe(404);
    for (const reply of [
      await member.patch(path(made), { name: 'Mine' }),
      await member.delete(path(made)),
      await member.patch(path(own), { is_shared: true }),
    ])
      expect(reply.status).toBe(403);
    expect(await imported(member, 'company_name\nAcme\n', { saved_mapping: 'ERP' })).toMatchObject({ created: 1 });
    expect((await admin.patch(path(made), { is_shared: false })).status).toBe(200);
    expect((await member.post('/imports', { resource: 'vendors', saved_mapping: 'ERP' })).error.details).toEqual({
      saved_mapping: 'there is no such saved mapping',
    });
  });

  test('whoever may write the resource: others see none of it', async () => {
    const made = (await admin.post('/import-mappings', shared)).row;
    const reader = await tenant.client(['vendors:read', 'paint:write']);
    expect(await names(reader)).toEqual([]);
    expect((await reader.get(path(made))).status).toBe(404);
    expect((await reader.post('/import-mappings', { ...shared, name: 'Own' })).status).toBe(403);
  });

  test('nobody in another company', async () => {
    const made = (await admin.post('/import-mappings', shared)).row;
    const stranger = await (await service.tenant()).client();
    expect(await names(stranger)).toEqual([]);
    for (const reply of [
      await stranger.get(path(made)),
      await stranger.patch(path(made), { name: 'Mine' }),
      await stranger.delete(path(made)),
    ])
      expect(reply.status).toBe(404);
    for (const saved_mapping of ['ERP', made['id']])
      expect((await stranger.post('/imports', { resource: 'vendors', saved_mapping })).status).toBe(422);
  });
});

test('names are those of a person once, and of the company once; the own one comes first', async () => {
  const saved = { name: 'ERP', resource: 'vendors' };
  await admin.post('/import-mappings', { ...saved, is_shared: true, mode: 'upsert' });
  const taken = await admin.post('/import-mappings', saved);
  expect([taken.status, taken.error.details]).toEqual([422, { name: 'is taken' }]);
  expect((await member.post('/import-mappings', { ...saved, mode: 'insert' })).status).toBe(201);
  const made = await member.post('/imports', { resource: 'vendors', saved_mapping: ' ERP ' });
  expect(made.row['mode']).toBe('insert');
  const paints = await member.post('/imports', { resource: 'paints', saved_mapping: 'ERP' });
  expect(paints.error.details).toEqual({ saved_mapping: 'is for rows of another type' });
});

test('what no import could have is refused', async () => {
  const refused = await member.post('/import-mappings', { name: ' ', resource: 'vendors' });
  expect([refused.status, Object.keys(refused.error.details as object)]).toEqual([422, ['name']]);
  const key = await member.post('/import-mappings', { name: 'A', resource: 'vendors', mode: 'upsert', key: 'phone' });
  expect(key.error.details).toEqual({ key: expect.stringContaining('must be one of id, ') });
  const mode = await member.post('/import-mappings', { name: 'A', resource: 'users' });
  expect(mode.error.details).toEqual({ mode: 'cannot be insert: users are not created so' });
});
