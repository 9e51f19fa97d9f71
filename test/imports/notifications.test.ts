// Who is notified of imported rows: each person once, however many rows are for them.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Jobs } from '../../src/background/jobs.ts';
import { importFile } from '../../src/import/index.ts';
import { noMailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';
import { NotificationSetup } from '../support/notifications.ts';

let setup: NotificationSetup;
let jobs: Jobs;
beforeAll(async () => {
  setup = await NotificationSetup.start();
  jobs = new Jobs({ database: setup.service.database, api, mailer: noMailer, log: { warn: () => {} } }, [importFile]);
});
afterAll(async () => {
  await jobs.close();
  await setup.stop();
});

test('each person whom imported rows concern is notified once, and nobody when they are taken back', async () => {
  const { ada, ids } = setup;
  const rows = Array.from({ length: 40 }, (_, n) => `Door ${n},${n % 2 ? ids.cleo : ids.ben}`);
  const { id } = (await ada.post('/imports', { resource: 'service_requests', auto_start: true })).row;
  await ada.request('PUT', `/imports/${String(id)}/file`, {
    body: `title,assigned_to\n${rows.join('\n')}\n`,
    headers: { 'content-type': 'text/csv' },
  });
  await jobs.runAll();
  expect((await ada.get(`/imports/${String(id)}`)).row).toMatchObject({ status: 'imported', created: 40 });
  const texts = await setup.deliver();
  expect(Object.keys(texts).sort()).toEqual(['ben', 'cleo']);
  expect(texts['cleo']).toContain('Ada acme imported a file with rows for you. This is the first of them.');
  expect((await setup.list(setup.people.member)).notifications).toMatchObject([{ kind: 'ASSIGNED', title: 'Door 1' }]);

  setup.mails.messages.length = 0;
  await ada.patch(`/imports/${String(id)}`, { status: 'cancelled' });
  await jobs.runAll();
  expect((await ada.get(`/imports/${String(id)}`)).row).toMatchObject({ status: 'cancelled', kept_count: 0 });
  expect(await setup.deliver()).toEqual({});
});
