// Whatever one company does, the messages, notifications and email of another one leave within 3 s.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { LogTurns } from '../../src/background/log-turns.ts';
import { Notifications } from '../../src/background/notifications/notifications.ts';
import { Webhooks } from '../../src/background/webhooks/webhooks.ts';
import { readConfig } from '../../src/config.ts';
import { createMailer, type Mailer } from '../../src/mail/index.ts';
import { api } from '../../src/schema/index.ts';
import { slowdown } from '../support/slowdown.ts';
import { type MailServer, startMailServer } from '../support/smtp.ts';
import { dataOf, WebhookService } from '../support/webhooks.ts';

/** How long (ms) a message may take from when its change can be read. */
const limitMs = 3000;

/** How long (ms) the mail server takes to accept a message. */
const acceptMs = 100;

// The embedded database has one connection, which the one company's statements use too.
const onPostgresql = process.env.TEST_DATABASE_URL ? test : test.skip;

let hooks: WebhookService;
let mails: MailServer;
let mailer: Mailer;
let working: readonly { start(): void; close(): Promise<void> }[];
/** When each row's message arrived, by the row's id. */
const arrivals = new Map<unknown, number>();
beforeAll(async () => {
  [hooks, mails] = await Promise.all([
    WebhookService.start(),
    startMailServer({ onRcptTo: (_address, _session, done) => setTimeout(done, acceptMs) }),
  ]);
  mailer = await createMailer(readConfig({ SMTP_URL: mails.url }), { warn: () => {} });
  hooks.receiver.answer = (response) => {
    arrivals.set(dataOf(hooks.receiver.received.at(-1)?.message)['row_id'], performance.now());
    response.writeHead(200).end();
  };
  const dependencies = { database: hooks.service.database, api, mailer, log: { warn: () => {} } };
  const webhooks = new Webhooks({
    ...dependencies,
    publicUrl: 'https://premises.example',
    allowedHosts: ['127.0.0.1'],
  });
  const notifications = new Notifications(dependencies);
  working = [new LogTurns(dependencies, [webhooks.reader, notifications.reader]), webhooks, notifications];
  for (const each of working) each.start();
  await hooks.create(hooks.people.otherAdmin, { name: 'Quick' });
});
afterAll(async () => {
  await Promise.all(working.map((each) => each.close()));
  await mailer.close();
  await mails.close();
  await hooks.close();
});

/** The longest times (ms) that messages and notifications of the other company took. */
let longest: { message: number; notification: number };
let stopped: boolean;
let watching: Promise<void>;
beforeEach(() => {
  longest = { message: 0, notification: 0 };
  stopped = false;
  watching = watch();
});
afterEach(async () => {
  stopped = true;
  await watching.catch(() => {});
});

/** Writes for the other company again and again, and measures when what it causes leaves. */
async function watch(): Promise<void> {
  while (!stopped) {
    const { otherAdmin } = hooks.people;
    const { data } = await otherAdmin.graphql<{ createPaint: { id: string }; createServiceRequest: { id: string } }>(
      `mutation ($to: ID!) {
        createServiceRequest(input: { title: "Lamp", assignedTo: $to }) { id }
        createPaint(input: { name: "Sage" }) { id }
      }`,
      { to: await colleague() },
    );
    const { createPaint: paint, createServiceRequest: request } = data;
    await until(() => isReadable(paint.id));
    const since = performance.now();
    const notified = async () => (await count('notifications WHERE row_id = $1', request.id)) > 0;
    await Promise.all([
      until(() => arrivals.has(paint.id)).then(() => {
        longest.message = Math.max(longest.message, (arrivals.get(paint.id) ?? 0) - since);
      }),
      until(notified).then(() => {
        longest.notification = Math.max(longest.notification, performance.now() - since);
      }),
    ]);
    await sleep(300);
  }
}

async function expectInTime(): Promise<void> {
  stopped = true;
  await watching;
  const limit = limitMs * slowdown();
  expect(longest.message).toBeGreaterThan(0);
  expect({ ...longest, isInTime: Math.max(...Object.values(longest)) < limit }).toMatchObject({ isInTime: true });
}

const count = async (rest: string, ...values: unknown[]) =>
  Number((await hooks.sql(`SELECT count(*) AS count FROM ${rest}`, ...values)).rows[0]?.['count']);

/** Whether the changes of a row can be read: older transactions of the whole server have ended. */
const isReadable = async (id: string) =>
  (await count('changes WHERE row_id = $1 AND xid < change_number(pg_snapshot_xmin(pg_current_snapshot()))', id)) > 0;

/** Another user of the other company. */
const colleague = async () =>
  (
    await hooks.sql(
      `SELECT id::text FROM users WHERE company_id = $1 AND role = 'member'`,
      hooks.otherTenant.company.id,
    )
  ).rows[0]?.['id'];

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 120_000;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error('It has not happened for two minutes.');
    await sleep(20);
  }
}

/** Adds users to the first company. @returns their ids */
async function addUsers(count: number): Promise<string[]> {
  const { rows } = await hooks.sql(
    `WITH added AS (
       INSERT INTO people (id, email, full_name)
       SELECT gen_random_uuid(), gen_random_uuid() || '@acme.example', 'Person ' || n FROM generate_series(1, $2) AS n
       RETURNING *
     )
     INSERT INTO users (company_id, id, email, full_name, role) SELECT $1, id, email, full_name, 'member' FROM added
     RETURNING id::text`,
    hooks.tenant.company.id,
    count,
  );
  return rows.map(({ id }) => String(id));
}

onPostgresql(
  'while 20 webhooks look for what never comes in 50 batches of 100 items',
  async () => {
    const { admin } = hooks.people;
    for (let n = 0; n < 20; n++)
      await hooks.create(admin, { resources: ['INVENTORY_ITEMS'], filter: `{ name: { eq: "Nothing ${n}" } }` });
    const items = Array.from({ length: 100 }, (_, n) => ({ name: `Item ${n}`, quantity: n }));
    for (let n = 0; n < 50; n++) await hooks.client.post('/inventory/batch', { items });
    const company =
      'webhooks WHERE company_id = $1 AND position <> (SELECT max(position) FROM webhooks WHERE company_id = $1)';
    await until(async () => (await count(company, hooks.tenant.company.id)) === 0);
    await expectInTime();
  },
  300_000,
);

onPostgresql(
  'while 300 assigned requests are emailed',
  async () => {
    stopped = true;
    await watching;
    const { company } = hooks.tenant;
    const isMailed = 'notifications WHERE company_id = $1 AND mail_status';
    await hooks.sql(`UPDATE notifications SET mail_status = 'none'`);
    const people = await addUsers(30);
    for (let n = 0; n < 300; n++)
      await hooks.client.post('/service-requests', { title: `Request ${n}`, assigned_to: people[n % 30] });
    await until(async () => (await count(`${isMailed} = 'pending'`, company.id)) >= 300);
    await hooks.people.otherAdmin.graphql(
      'mutation ($to: ID!) { createServiceRequest(input: { title: "Other", assignedTo: $to }) { id } }',
      { to: await colleague() },
    );
    await until(
      async () => (await count(`notifications WHERE mail_status = 'pending' AND company_id <> $1`, company.id)) > 0,
    );
    mails.messages.length = 0;
    await hooks.sql(
      `UPDATE notifications SET next_at = now() WHERE company_id = $1 AND mail_status = 'pending'`,
      company.id,
    );
    await until(() => mails.messages.length > 2);
    const since = performance.now();
    await hooks.sql(
      `UPDATE notifications SET next_at = now() WHERE company_id <> $1 AND mail_status = 'pending'`,
      company.id,
    );
    await until(() => mails.messages.some(({ subject }) => subject?.includes('Other')));
    expect(performance.now() - since).toBeLessThan(limitMs * slowdown());
    // The others were not sent before it.
    expect(mails.messages.length).toBeLessThan(300);
  },
  300_000,
);

/** How long (ms) the other company is watched while the changes of many rows are read. */
const watchMs = 20_000;

onPostgresql(
  'while 100,000 requests of one statement are read for a webhook and for whom they are assigned to',
  async () => {
    const { company, users } = hooks.tenant;
    await hooks.sql('DELETE FROM webhooks WHERE company_id = $1', company.id);
    await hooks.create(hooks.people.admin, { resources: ['SERVICE_REQUESTS'] });
    const people = await addUsers(30);
    const ids = `ARRAY['${people.join("', '")}']::uuid[]`;
    await hooks.service.database.inOneTransaction(({ execute }) =>
      execute(`
        INSERT INTO service_requests (company_id, id, title, created_by, assigned_to)
        SELECT '${company.id}', gen_random_uuid(), 'Request ' || n, '${users[0]?.id}', (${ids})[n % 30 + 1]
        FROM generate_series(1, 100000) AS n`),
    );
    await until(async () => (await count('webhook_deliveries WHERE company_id = $1', company.id)) > 0);
    await sleep(watchMs);
    await expectInTime();
    // It was watched while they were read.
    expect(await count('notifications WHERE company_id = $1', company.id)).toBeLessThan(100_000);
  },
  300_000,
);
