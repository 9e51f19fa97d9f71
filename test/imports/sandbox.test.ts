// Imports in a sandbox: its own rows, numbers, imports and notifications, and no email.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Jobs } from '../../src/background/jobs.ts';
import { importFile } from '../../src/import/index.ts';
import { noMailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';
import type { Client, Row } from '../support/client.ts';
import { NotificationSetup } from '../support/notifications.ts';

let setup: NotificationSetup;
let jobs: Jobs;
let live: Client;
let sandbox: Client;
beforeAll(async () => {
  setup = await NotificationSetup.start();
  jobs = new Jobs({ database: setup.service.database, api, mailer: noMailer, log: { warn: () => {} } }, [importFile]);
  [live, sandbox] = [setup.ada, await setup.tenant.client(['*'], { live: false })];
});
afterAll(async () => {
  await jobs.close();
  await setup.stop();
});

async function imported(by: Client, content: string, options: Row): Promise<Row> {
  const { id } = (await by.post('/imports', { resource: 'service_requests', auto_start: true, ...options })).row;
  await by.request('PUT', `/imports/${String(id)}/file`, { body: content, headers: { 'content-type': 'text/csv' } });
  await jobs.runAll();
  return (await by.get(`/imports/${String(id)}`)).row;
}
const titles = async (by: Client) => (await by.get('/service-requests')).rows.map(({ title }) => title);

test('rows are of the sandbox alone, and so is the import, by tokens and sessions', async () => {
  const row = await imported(sandbox, `title,assigned_to\nDoor,${setup.ids.cleo}\n`, {});
  expect(row).toMatchObject({ status: 'imported', created: 1 });
  expect([await titles(sandbox), await titles(live)]).toEqual([['Door'], []]);
  expect((await live.get(`/imports/${String(row['id'])}`)).status).toBe(404);
  expect((await live.patch(`/imports/${String(row['id'])}`, { status: 'cancelled' })).status).toBe(404);
  expect([(await sandbox.get('/imports')).rows.length, (await live.get('/imports')).rows.length]).toEqual([1, 0]);
  // The people of a company are those of its sandbox; its rows are not.
  const vendor = (await live.post('/vendors', { company_name: 'Acme' })).row;
  const invoice = `invoice_number,vendor_id\nR-1,${String(vendor['id'])}\n`;
  const refused = await imported(sandbox, invoice, { resource: 'invoices' });
  expect(refused).toMatchObject({ status: 'checked', created: 0, refused: 1 });
  await sandbox.patch(`/imports/${String(refused['id'])}`, { status: 'cancelled' });

  const admin = setup.people.admin;
  const { company } = setup.tenant;
  const activate = async (id: string) =>
    expect(await admin.at('').patch('/auth/session', { company_id: id })).toMatchObject({ status: 200 });
  const seen = async () => (await admin.graphql<{ imports: Row[] }>('{ imports { id } }')).data.imports;
  await activate(company.sandbox.id);
  expect(await seen()).toContainEqual({ id: row['id'] });
  await activate(company.id);
  expect(await seen()).toEqual([]);
});

test('people are notified there, and nobody gets email', async () => {
  await setup.reset();
  await imported(sandbox, `title,assigned_to\nLamp,${setup.ids.cleo}\nDesk,${setup.ids.cleo}\n`, {});
  expect(await setup.deliver()).toEqual({});
  const notifications = await setup.service.database.prisma.notification.findMany({
    where: { userId: setup.ids.cleo },
  });
  expect(notifications.map(({ companyId }) => companyId)).toEqual([setup.tenant.company.sandbox.id]);
  expect((await setup.list(setup.people.member)).notifications).toEqual([]);
});

test('taking it back leaves the company as it is, and each has its own unfinished imports', async () => {
  const [inLive, inSandbox] = [await imported(live, 'title\nGate\n', {}), await imported(sandbox, 'title\nGate\n', {})];
  await sandbox.patch(`/imports/${String(inSandbox['id'])}`, { status: 'cancelled' });
  await jobs.runAll();
  expect((await sandbox.get(`/imports/${String(inSandbox['id'])}`)).row).toMatchObject({ status: 'cancelled' });
  expect(await titles(sandbox)).not.toContain('Gate');
  expect(await titles(live)).toEqual(['Gate']);
  expect((await live.get(`/imports/${String(inLive['id'])}`)).row).toMatchObject({ status: 'imported', taken_back: 0 });
  for (let n = 0; n < 10; n++) await sandbox.post('/imports', { resource: 'vendors' });
  expect((await sandbox.post('/imports', { resource: 'vendors' })).status).toBe(409);
  expect((await live.post('/imports', { resource: 'vendors' })).status).toBe(201);
});
