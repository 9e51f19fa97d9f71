// Imports whose job is given up: they end as failed, and say how to go on.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Jobs } from '../../src/background/jobs.ts';
import { importFile } from '../../src/import/index.ts';
import { addJob } from '../../src/jobs/index.ts';
import { noMailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';
import type { Client, Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
let jobs: Jobs;
beforeAll(async () => {
  service = await startService();
  jobs = new Jobs({ database: service.database, api, mailer: noMailer, log: { warn: () => {} } }, [importFile]);
});
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client(['vendors:read', 'vendors:write']);
});
afterEach(() => service.database.prisma.job.deleteMany());
afterAll(async () => {
  await jobs.close();
  await service.close();
});

const sql = (text: string, ...values: unknown[]) => service.database.query({ text, values });

/** What is left when a process has died in the last attempt, and its lease has ended. */
const die = () => sql(`UPDATE jobs SET attempts = 6, lease_id = gen_random_uuid() WHERE state = 'pending'`);

async function send(content: string, options: Row = {}): Promise<string> {
  const id = String((await client.post('/imports', { resource: 'vendors', ...options })).row['id']);
  await put(id, content);
  return id;
}

const put = async (id: string, content: string) => {
  const { status } = await client.request('PUT', `/imports/${id}/file`, {
    body: content,
    headers: { 'content-type': 'text/csv' },
  });
  expect(status).toBe(204);
};
const read = async (id: string) => (await client.get(`/imports/${id}`)).row;
const names = async () => (await client.get('/vendors')).rows.map((row) => String(row['company_name'])).toSorted();

/** A file of three pages. */
const vendors = Array.from({ length: 1200 }, (_, n) => `Vendor ${n}`);
const threePages = `company_name\n${vendors.join('\n')}\n`;

/** Writes the first page of an import, and fails in all attempts to write the second. */
async function writeFirstPage(): Promise<string> {
  const id = await send(threePages);
  await jobs.runAll();
  await client.patch(`/imports/${id}`, { status: 'importing' });
  await sql(`UPDATE jobs SET attempts = 5 WHERE state = 'pending'`);
  await sql(`
    CREATE FUNCTION refuse_second() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF NEW.company_name = 'Vendor 700' THEN RAISE EXCEPTION 'The disk is full.'; END IF; RETURN NEW; END $$`);
  await sql('CREATE TRIGGER refuse_second BEFORE INSERT ON vendors FOR EACH ROW EXECUTE FUNCTION refuse_second()');
  await jobs.runAll();
  await sql('DROP FUNCTION refuse_second CASCADE');
  return id;
}

test('while it was checked: the file is sent again', async () => {
  const id = await send('company_name\nAcme\n');
  await die();
  await jobs.runAll();
  expect(await read(id)).toMatchObject({
    status: 'failed',
    error:
      'The service failed in all attempts; its log may say why. Nothing is written: send the file again, or change ' +
      'how it is read, to have it checked again.',
    finished_at: expect.any(String),
  });
  await put(id, 'company_name\nAcme\n');
  await jobs.runAll();
  expect(await read(id)).toMatchObject({ status: 'checked', error: null, created: 1 });
});

test('while it was written: it goes on where it was', async () => {
  const id = await writeFirstPage();
  expect(await read(id)).toMatchObject({
    status: 'failed',
    done: 500,
    error:
      'The service failed in all attempts; its log may say why. Set the status to importing to go on where it was.',
  });
  expect((await client.patch(`/imports/${id}`, { status: 'importing' })).status).toBe(200);
  await die();
  await jobs.runAll();
  expect(await read(id)).toMatchObject({ status: 'failed', done: 500 });
  await client.patch(`/imports/${id}`, { status: 'importing' });
  await jobs.runAll();
  expect(await read(id)).toMatchObject({ status: 'imported', created: 1200, error: null });
  const written = await service.database.prisma.vendor.findMany({ where: { companyId: tenant.company.id } });
  expect(written.map(({ companyName }) => companyName).toSorted()).toEqual(vendors.toSorted());
});

test('while it was taken back: it is cancelled again', async () => {
  const id = await writeFirstPage();
  await client.patch(`/imports/${id}`, { status: 'cancelled' });
  await die();
  await jobs.runAll();
  expect(await read(id)).toMatchObject({
    status: 'failed',
    error:
      'The service failed in all attempts; its log may say why. Set the status to cancelled to go on with taking back ' +
      'what it has written.',
  });
  // As after a first part that was taken back.
  await sql('UPDATE imports SET taken_back = 1 WHERE id = $1', id);
  const refused = await client.patch(`/imports/${id}`, { status: 'importing' });
  expect([refused.status, refused.error.message]).toEqual([
    409,
    'Rows of this import were taken back: it can only be cancelled.',
  ]);
  await client.patch(`/imports/${id}`, { status: 'cancelled' });
  await jobs.runAll();
  expect(await read(id)).toMatchObject({ status: 'cancelled', error: null });
  expect(await names()).toEqual([]);
});

test('while another job goes on with it: that one decides', async () => {
  const id = await send('company_name\nAcme\n', { auto_start: true });
  await die();
  const payload = { importId: id };
  const owner = { companyId: tenant.company.id, createdBy: String(tenant.users[0]?.id) };
  await addJob(service.database.prisma, importFile, { ...owner, payload });
  await jobs.runAll();
  expect(await read(id)).toMatchObject({ status: 'imported', created: 1, error: null });
  // Two that are given up at once do not leave it to each other.
  const both = await send('company_name\nBolt\n');
  await addJob(service.database.prisma, importFile, { ...owner, payload: { importId: both } });
  await die();
  await jobs.runAll();
  expect(await read(both)).toMatchObject({ status: 'failed' });
});
