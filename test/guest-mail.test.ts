// Links that are emailed to guests, with a mail server on loopback.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import pino from 'pino';
import { createLimiter, type Limiter } from '../src/auth/limits.ts';
import { GuestMail } from '../src/background/guest-mail.ts';
import { readConfig } from '../src/config.ts';
import { createMailer, type Mailer } from '../src/mail/index.ts';
import { signInAll } from './support/browser.ts';
import type { Row } from './support/client.ts';
import { type Service, startService, type Tenant } from './support/service.ts';
import { type MailServer, startMailServer } from './support/smtp.ts';

const path = '/public/expected-packages';
const log = pino({ level: 'silent' });

/** What the mail server answers to the next messages, in place of accepting them. */
const refusals: Error[] = [];
let mails: MailServer;
let service: Service;
let tenant: Tenant;
let mailer: Mailer;
let limiter: Limiter;
let worker: GuestMail;
beforeAll(async () => {
  mails = await startMailServer({ onRcptTo: (_address, _session, done) => done(refusals.shift() ?? null) });
  const env = { SMTP_URL: mails.url, PUBLIC_URL: 'http://localhost:4000', SMTP_FROM: 'premises@acme.example' };
  service = await startService(env);
  tenant = await service.tenant('acme');
  mailer = await createMailer(readConfig(env), log);
  limiter = createLimiter(service.database);
  worker = createWorker();
});
afterEach(() => {
  mails.messages.length = 0;
});
afterAll(async () => {
  await worker.close();
  await mailer.close();
  await limiter.close();
  await service.close();
  await mails.close();
});

const createWorker = () => new GuestMail({ database: service.database, mailer, limiter, log });
const announce = (body: Row, headers: Record<string, string> = {}) =>
  service.anonymous.post(path, { company_slug: 'acme', guest_name: 'Mira', ...body }, headers);
/** Lets a minute or more pass for messages that wait to be sent again. */
const hurry = () => service.database.query({ text: `UPDATE guest_mails SET next_at = now() WHERE status = 'pending'` });
const linkIn = (text = '') => /http:\/\/localhost:4000\/packages\/([\w-]{22})$/m.exec(text)?.[1] ?? '';
const recipients = () => mails.messages.flatMap((each) => each.recipients).sort();
const statuses = async () =>
  (await service.database.prisma.guestMail.findMany({ select: { status: true } })).map(({ status }) => status);

test('a guest is emailed a link to the package, from the company', async () => {
  const { row } = await announce({ guest_email: 'mira@halden.test', description: 'Samples' });
  await worker.sendAll();
  const [mail, ...others] = mails.messages;
  expect(others).toEqual([]);
  expect(mail).toMatchObject({
    recipients: ['mira@halden.test'],
    subject: 'Delivery to Company acme',
    from: { value: [{ name: 'Company acme', address: 'premises@acme.example' }] },
  });
  const token = linkIn(mail?.text);
  const { tracking_token, ...shown } = row;
  expect(token).not.toBe(tracking_token);
  for (const each of [token, String(tracking_token)])
    expect(await service.anonymous.get(`${path}/${each}`)).toMatchObject({ status: 200, row: shown });
  // The database has no link, as it has no tracking token.
  const stored = JSON.stringify(await service.database.prisma.guestMail.findMany());
  expect(stored).not.toContain(token);
});

test('no text of a guest is in a message, and none adds a header or a recipient', async () => {
  const text = (name: string) => `Evil${name}\r\nBcc: victim@else.test\r\n\r\nhttps://evil.test/${name}`;
  const { status } = await announce({
    guest_email: 'nora@halden.test',
    guest_name: text('name'),
    description: text('description'),
    vendor_name: text('vendor'),
    tracking_number: text('number'),
    notes: text('notes'),
  });
  expect(status).toBe(201);
  await worker.sendAll();
  expect(recipients()).toEqual(['nora@halden.test']);
  expect(JSON.stringify(mails.messages)).not.toMatch(/evil|victim|bcc/i);
  for (const guest_email of [
    'nora@halden.test\r\nBcc: victim@else.test',
    'nora@halden.test, victim@else.test',
    'Nora <nora@halden.test>',
    '"nora\r\n"@halden.test',
    'nora@halden.test\0',
  ])
    expect(await announce({ guest_email })).toMatchObject({
      status: 422,
      details: { guest_email: expect.any(String) },
    });
  await worker.sendAll();
  expect(mails.messages).toHaveLength(1);
});

test('an address gets three messages an hour, and the responses do not tell', async () => {
  await service.tenant('other');
  const replies = [];
  for (let n = 0; n < 5; n++) {
    const company_slug = n % 2 === 0 ? 'acme' : 'other';
    replies.push(await announce({ company_slug, guest_email: n === 3 ? 'OLE@halden.test' : 'ole@halden.test' }));
  }
  await worker.sendAll();
  // Those of one address are sent at the same time, so that any three of them can be within the limit.
  expect(recipients().map((address) => address.toLowerCase())).toEqual(Array(3).fill('ole@halden.test'));
  const shapes = replies.map(({ status, row }) => JSON.stringify([status, Object.keys(row)]));
  expect([...new Set(shapes)]).toEqual([expect.stringMatching(/^\[201,/)]);
  await announce({ guest_email: 'pia@halden.test' });
  await worker.sendAll();
  expect(recipients()).toContain('pia@halden.test');
});

test('a company sends 60 messages an hour', async () => {
  await service.tenant('busy');
  await service.tenant('quiet');
  for (let n = 0; n < 63; n++) await announce({ company_slug: 'busy', guest_email: `guest${n}@halden.test` });
  await announce({ company_slug: 'quiet', guest_email: 'quiet@halden.test' });
  await worker.sendAll();
  expect(recipients().filter((address) => address.startsWith('guest'))).toHaveLength(60);
  expect(recipients()).toContain('quiet@halden.test');
});

test('what waits survives a restart, is sent once by two instances, and again with the same link', async () => {
  await announce({ guest_email: 'rolf@halden.test' });
  const other = createWorker();
  refusals.push(Object.assign(new Error('try later'), { responseCode: 451 }));
  await Promise.all([worker.sendAll(), other.sendAll()]);
  expect(mails.messages).toEqual([]);
  const [waiting] = await service.database.prisma.guestMail.findMany({ where: { status: 'pending' } });
  expect(waiting?.attempts).toBe(1);
  expect(Math.round((Number(waiting?.nextAt) - Date.now()) / 60_000)).toBe(1);
  await worker.sendAll();
  expect(mails.messages).toEqual([]);
  await hurry();
  await Promise.all([createWorker().sendAll(), other.sendAll()]);
  expect(recipients()).toEqual(['rolf@halden.test']);
  const [first] = mails.messages;
  // As after an attempt whose end no instance learned.
  await service.database.query({
    text: `UPDATE guest_mails SET status = 'pending' WHERE id = $1`,
    values: [waiting?.id],
  });
  await hurry();
  await createWorker().sendAll();
  expect(mails.messages.map(({ messageId }) => messageId)).toEqual([first?.messageId, first?.messageId]);
  expect(linkIn(mails.messages[1]?.text)).toBe(linkIn(first?.text));
  await other.close();
});

test('an address that the server does not know is not tried again', async () => {
  await announce({ guest_email: 'sven@halden.test' });
  refusals.push(Object.assign(new Error('no such user'), { responseCode: 550 }));
  await worker.sendAll();
  await hurry();
  await worker.sendAll();
  expect([mails.messages, (await statuses()).includes('pending')]).toEqual([[], false]);
});

test('a repeated request is one message, and a refused one none', async () => {
  const headers = { 'Idempotency-Key': 'a-key-of-a-guest' };
  for (let n = 0; n < 2; n++) expect((await announce({ guest_email: 'tor@halden.test' }, headers)).status).toBe(201);
  expect((await announce({ guest_email: 'tor@halden.test', quantity: -1 })).status).toBe(422);
  await worker.sendAll();
  expect(recipients()).toEqual(['tor@halden.test']);
});

test('a sandbox sends nothing', async () => {
  expect((await announce({ company_slug: 'acme-sandbox', guest_email: 'una@halden.test' })).status).toBe(201);
  expect((await announce({ company_slug: ' ACME', guest_email: 'una@halden.test' })).status).toBe(201);
  await worker.sendAll();
  expect(recipients()).toEqual(['una@halden.test']);
  expect(await statuses()).not.toContain('pending');
});

test('nothing is sent to somebody who was erased meanwhile', async () => {
  const { admin } = await signInAll(service, tenant);
  const { id, email } = tenant.users[2] ?? {};
  await announce({ guest_email: email });
  expect(await statuses()).toContain('pending');
  await admin.graphql(`mutation { deactivateUser(id: "${id}") { id } }`);
  const { errors } = await admin.graphql(`mutation { eraseUser(id: "${id}", email: "${email}") { id } }`);
  expect(errors).toEqual([]);
  expect(await statuses()).not.toContain('pending');
  await worker.sendAll();
  expect(mails.messages).toEqual([]);
});

test('without SMTP_URL nothing waits', async () => {
  const silent = await startService();
  await silent.tenant('acme');
  const body = { company_slug: 'acme', guest_name: 'Vera', guest_email: 'vera@halden.test' };
  expect((await silent.anonymous.post(path, body)).status).toBe(201);
  expect(await silent.database.prisma.guestMail.count()).toBe(0);
  await silent.close();
});
