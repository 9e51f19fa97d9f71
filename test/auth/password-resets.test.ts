import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Browser, givePassword, openSession, password, proveEmail, signInAll } from '../support/browser.ts';
import { errorCodes } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { type MailServer, startMailServer } from '../support/smtp.ts';
import { previousTotp, totp } from '../support/totp.ts';
import { tokenOf } from './intruder.ts';

let mails: MailServer;
/** Sends email. */
let service: Service;
/** Sends none. */
let silent: Service;
beforeAll(async () => {
  mails = await startMailServer();
  const env = { TRUST_PROXY: 'true' };
  [service, silent] = await Promise.all([startService({ ...env, SMTP_URL: mails.url }), startService(env)]);
});
afterAll(async () => {
  await service.close();
  await silent.close();
  await mails.close();
});

const next = 'another long passphrase';
let addresses = 0;
const request = (email: string, address = `203.0.113.${++addresses}`) =>
  new Browser(service.origin).post('/auth/password-reset', { email }, { 'x-forwarded-for': address });
const confirm = ({ origin }: Service, token: string, secret = next) =>
  new Browser(origin).post('/auth/password-reset/confirm', { token, password: secret });
const lookUp = async ({ origin }: Service, token: string) =>
  (await new Browser(origin).post('/auth/password-reset/link', { token })).status;

/** Requests a link. @returns its token, from the email */
async function tokenFor(email: string): Promise<string> {
  const before = mails.messages.length;
  expect((await request(email)).status).toBe(204);
  await mails.received(before + 1);
  return /\/reset-password#([\w-]{32})/.exec(mails.messages.at(-1)?.text ?? '')?.[1] ?? '';
}

test('an emailed link sets a password once, within an hour, and ends sessions', async () => {
  const { users } = await service.tenant('once');
  const [, { id, email } = { id: '', email: '' }] = users;
  await givePassword(service, id);
  const session = await openSession(service, id);
  const [first, second, third] = [await tokenFor(email), await tokenFor(email), await tokenFor(email)];
  const { prisma } = service.database;
  expect(JSON.stringify(await prisma.securityEvent.findMany({ where: { personId: id } }))).not.toContain(first);
  const expired = await prisma.passwordReset.findFirstOrThrow({ where: { personId: id }, orderBy: { id: 'asc' } });
  expect(expired.expiresAt.getTime() - Date.now()).toBeGreaterThan(3_500_000);
  expect(expired.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(3_600_000);
  await prisma.passwordReset.update({ where: { id: expired.id }, data: { expiresAt: new Date(Date.now() - 1) } });
  expect((await confirm(service, first)).status).toBe(404);
  expect((await confirm(service, second, 'short')).status).toBe(422);
  expect(await lookUp(service, second)).toBe(200);
  const statuses = await Promise.all([second, second].map(async (token) => (await confirm(service, token)).status));
  expect(statuses.sort()).toEqual([204, 404]);
  for (const token of [second, third]) expect((await confirm(service, token)).status).toBe(404);
  expect((await session.graphql('{ me { id } }')).status).toBe(401);
  expect((await new Browser(service.origin).signIn(email, password)).status).toBe(401);
  expect((await new Browser(service.origin).signIn(email, next)).status).toBe(200);
  // Nothing is left that somebody else could have set up.
  expect((await prisma.person.findUniqueOrThrow({ where: { id } })).emailVerifiedAt).toBeInstanceOf(Date);
});

test('an emailed link keeps the authenticator app', async () => {
  const { users } = await service.tenant('factors');
  const [, { id, email } = { id: '', email: '' }] = users;
  await givePassword(service, id);
  const session = await openSession(service, id);
  const { json } = await session.post('/auth/two-factor', { password });
  const { key } = json['data'] as { key: string };
  expect((await session.post('/auth/two-factor/confirm', { code: await previousTotp(key) })).status).toBe(204);
  const waiting = new Browser(service.origin);
  expect((await waiting.signIn(email, password)).status).toBe(401);
  expect((await confirm(service, await tokenFor(email))).status).toBe(204);
  // The password that this one entered is no longer right.
  expect((await waiting.post('/auth/sign-in/code', { code: totp(key) })).status).toBe(403);
  const again = new Browser(service.origin);
  expect(await again.signIn(email, next)).toMatchObject({ status: 401, error: { code: 'TWO_FACTOR_REQUIRED' } });
  expect((await again.post('/auth/sign-in/code', { code: totp(key) })).status).toBe(200);
  // Somebody else may have set it up.
  const { prisma } = service.database;
  expect((await prisma.person.findUniqueOrThrow({ where: { id } })).emailVerifiedAt).toBeNull();
});

test('an unknown address gets the same answer, and the same limits', async () => {
  const { users } = await service.tenant('same');
  const before = mails.messages.length;
  const answersFor = async (email: string) => {
    const replies = [];
    for (let n = 0; n < 6; n++) replies.push(await request(email));
    return replies.map(({ status, text }) => [status, text.replace(/"request_id":"[^"]*"/, '')]);
  };
  const known = await answersFor(users[1]?.email ?? '');
  expect(known.map(([status]) => status)).toEqual([204, 204, 204, 204, 204, 429]);
  expect(await answersFor('nobody@same.example')).toEqual(known);
  await mails.received(before + 5);
  expect(mails.messages).toHaveLength(before + 5);
  const byAddress = [];
  for (let n = 0; n < 31; n++) byAddress.push((await request(`nobody${n}@same.example`, '198.51.100.1')).status);
  expect(byAddress).toEqual([...Array.from({ length: 30 }, () => 204), 429]);
});

// The embedded database would wait in the process of the tests.
const onServer = process.env.TEST_DATABASE_URL ? test : test.skip;

onServer('the answer does not wait for what only a known address needs', async () => {
  const { users } = await service.tenant('slow');
  const { prisma } = service.database;
  const waitMs = 3000;
  await prisma.$executeRawUnsafe(`
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_sleep(${waitMs / 1000}); RETURN NEW; END $$`);
  await prisma.$executeRaw`CREATE TRIGGER wait BEFORE INSERT ON password_resets FOR EACH ROW EXECUTE FUNCTION wait()`;
  const before = mails.messages.length;
  const start = performance.now();
  expect((await request(users[1]?.email ?? '')).status).toBe(204);
  expect(performance.now() - start).toBeLessThan(waitMs);
  expect(mails.messages).toHaveLength(before);
  await mails.received(before + 1);
  expect(performance.now() - start).toBeGreaterThan(waitMs);
  await prisma.$executeRaw`DROP TRIGGER wait ON password_resets`;
});

test('somebody without a company gets no link', async () => {
  const { users } = await service.tenant('gone');
  const [, one, two] = users;
  await service.database.prisma.user.updateMany({ where: { id: one?.id }, data: { deactivatedAt: new Date() } });
  const before = mails.messages.length;
  await request(one?.email ?? '');
  await tokenFor(two?.email ?? '');
  expect(mails.messages.slice(before).flatMap(({ recipients }) => recipients)).toEqual([two?.email]);
});

const handOver = (admin: Browser, id = '') =>
  admin.graphql<{ createPasswordResetLink: { path: string } | null }>(
    'mutation ($id: ID!) { createPasswordResetLink(id: $id) { path expiresAt } }',
    { id },
  );

test('an admin hands a link over to people of their company alone, where none is emailed', async () => {
  const [tenant, other] = [await silent.tenant('handing'), await silent.tenant('joined')] as [Tenant, Tenant];
  const { admin, executive } = await signInAll(silent, tenant);
  const [self, member, second] = tenant.users;
  const { prisma } = silent.database;
  expect((await new Browser(silent.origin).post('/auth/password-reset', { email: member?.email })).status).toBe(409);
  expect(errorCodes(await handOver(executive, member?.id))).toMatchObject([{ code: 'INSUFFICIENT_SCOPE' }]);
  expect(errorCodes(await handOver(admin, self?.id))).toEqual([{ code: 'CONFLICT' }]);
  expect(errorCodes(await handOver(admin, other.users[1]?.id))).toEqual([{ code: 'NOT_FOUND' }]);

  const signedIn = (msAgo: number) =>
    prisma.session.updateMany({
      where: { personId: self?.id ?? '' },
      data: { createdAt: new Date(Date.now() - msAgo) },
    });
  await signedIn(3_601_000);
  expect(errorCodes(await handOver(admin, member?.id))).toEqual([{ code: 'REAUTHENTICATION_REQUIRED' }]);
  await signedIn(3_500_000);
  const { id: deactivated } = second ?? { id: '' };
  await prisma.user.updateMany({ where: { id: deactivated }, data: { deactivatedAt: new Date() } });
  expect(errorCodes(await handOver(admin, deactivated))).toEqual([{ code: 'CONFLICT' }]);
  await prisma.user.updateMany({ where: { id: deactivated }, data: { deactivatedAt: null } });

  await proveEmail(silent, member?.id ?? '');
  const handedOver = await openSession(silent, member?.id ?? '');
  const token = tokenOf((await handOver(admin, member?.id)).data.createPasswordResetLink?.path);
  expect((await confirm(silent, token)).status).toBe(204);
  expect((await confirm(silent, token)).status).toBe(404);
  expect((await handedOver.graphql('{ me { id } }')).status).toBe(401);
  expect((await new Browser(silent.origin).signIn(member?.email ?? '', next)).status).toBe(200);
  // The admin may know the password now.
  expect((await prisma.person.findUniqueOrThrow({ where: { id: member?.id } })).emailVerifiedAt).toBeNull();

  const late = tokenOf((await handOver(admin, second?.id)).data.createPasswordResetLink?.path);
  const { id = '', email = '', fullName = '' } = second ?? {};
  await prisma.user.create({ data: { id, email, fullName, companyId: other.company.id } });
  expect((await confirm(silent, late)).status).toBe(404);
  expect(errorCodes(await handOver(admin, id))).toEqual([{ code: 'CONFLICT' }]);
  await proveEmail(silent, id);
  expect(errorCodes(await handOver(admin, id))).toEqual([{ code: 'CONFLICT' }]);
  const actions = await prisma.securityEvent.findMany({ where: { companyId: tenant.company.id } });
  expect(actions.map(({ action }) => action)).toContain('password_reset_link_created');

  const { admin: mailing } = await signInAll(service, await service.tenant('mailing'));
  const people = await mailing.graphql<{ users: { nodes: { id: string }[] } }>('{ users { nodes { id } } }');
  expect(errorCodes(await handOver(mailing, people.data.users.nodes[1]?.id))).toEqual([{ code: 'CONFLICT' }]);
});
