import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createUser } from '../../src/auth/accounts.ts';
import { commandLine } from '../../src/auth/security-log.ts';
import { storePasswordHash } from '../../src/auth/sessions/passwords.ts';
import { Browser, givePassword, openSession, password, proveEmail, signInAll } from '../support/browser.ts';
import { errorCodes, type Row } from '../support/client.ts';
import { hashOf } from '../support/hash-of.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { type MailServer, startMailServer } from '../support/smtp.ts';
import { expectShutOut, expectUnchanged, intrude, intruderPassword, tokenOf } from './intruder.ts';
import { invite } from './invite.ts';

let mails: MailServer;
/** Sends email. */
let service: Service;
/** Sends none. */
let silent: Service;
beforeAll(async () => {
  mails = await startMailServer();
  [service, silent] = await Promise.all([startService({ SMTP_URL: mails.url }), startService()]);
});
afterAll(async () => {
  await service.close();
  await silent.close();
  await mails.close();
});

let companies = 0;
/** Two companies of one service, the first of which wants to employ somebody. */
async function pair(on: Service) {
  const n = ++companies;
  const [alpha, beta] = [await on.tenant(`alpha${n}`), await on.tenant(`beta${n}`)];
  return { alpha, beta, email: `newboss@alpha${n}.test`, boss: (await signInAll(on, alpha)).admin };
}

/** Invites somebody. @returns the tokens of the admin's link, and of that in the email to the address */
async function inviteByEmail(admin: Browser, email: string) {
  const before = mails.messages.length;
  const reply = await invite(admin, { email, fullName: 'New Boss', role: 'ADMIN' });
  await mails.received(before + 1);
  const mail = mails.messages.find(({ recipients }, n) => n >= before && recipients.includes(email));
  return { shown: tokenOf(reply.data.inviteUser?.path), mailed: /#([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '' };
}

const accept = (browser: Browser, token: string, secret?: string) =>
  browser.at('').post('/auth/invitation/accept', { token, ...(secret !== undefined && { password: secret }) });
const stepOf = async (browser: Browser, token: string) =>
  (await browser.at('').post('/auth/invitation', { token })).json['data'] as Row;
const employs = async ({ database: { prisma } }: Service, { company }: Tenant, email: string) =>
  (await prisma.user.count({ where: { companyId: company.id, email } })) > 0;
const provedAt = async ({ database: { prisma } }: Service, email: string) =>
  (await prisma.person.findUniqueOrThrow({ where: { email } })).emailVerifiedAt;
const actionsOf = async ({ database: { prisma } }: Service, personId: string) =>
  (await prisma.securityEvent.findMany({ where: { personId }, orderBy: { id: 'asc' } })).map(({ action }) => action);

describe('an account that somebody else created for an address', () => {
  test('joins another company by the emailed link alone, which ends what signed in before', async () => {
    const { alpha, beta, email, boss } = await pair(service);
    const intruder = await intrude(service, beta, email);
    const { shown, mailed } = await inviteByEmail(boss, email);
    expect(mailed).toMatch(/^[\w-]{32}$/);
    expect(mailed).not.toBe(shown);
    expect(await stepOf(intruder.session, shown)).toMatchObject({ step: 'prove_email', ends_access: false });
    for (const browser of [intruder.session, new Browser(service.origin)])
      for (const secret of [undefined, intruderPassword]) {
        const refused = await accept(browser, shown, secret);
        expect(refused).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
        expect(refused.error?.message).toContain(`open the link that was emailed to ${email}`);
      }
    await expectUnchanged(service, intruder);

    const owner = new Browser(service.origin);
    expect(await stepOf(owner, mailed)).toMatchObject({ step: 'choose_password', ends_access: true });
    expect((await accept(owner, mailed, 'short')).status).toBe(422);
    expect((await accept(owner, mailed)).status).toBe(422);
    expect((await accept(owner, mailed, password)).status).toBe(204);
    await expectShutOut(service, intruder);
    expect((await owner.graphql('{ me { companies { slug role } } }')).data['me']).toEqual({
      companies: [beta, alpha]
        .flatMap(({ company: { slug } }) => [slug, `${slug}-sandbox`])
        .sort()
        .map((slug) => ({
          slug,
          role: slug.startsWith('alpha') ? 'ADMIN' : 'MEMBER',
        })),
    });
    expect(await provedAt(service, email)).toBeInstanceOf(Date);
    expect(await actionsOf(service, intruder.personId)).toEqual(
      expect.arrayContaining(['access_ended', 'email_verified', 'invitation_accepted']),
    );
    expect((await new Browser(service.origin).signIn(email, password)).status).toBe(200);
  });

  test('does not join another company by a link that an admin hands over', async () => {
    const { alpha, beta, email, boss } = await pair(silent);
    const intruder = await intrude(silent, beta, email);
    const token = tokenOf((await invite(boss, { email, fullName: 'New Boss' })).data.inviteUser?.path);
    for (const browser of [intruder.session, new Browser(silent.origin)])
      for (const secret of [undefined, intruderPassword, password]) {
        const refused = await accept(browser, token, secret);
        expect(refused).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
        expect(refused.error?.message).toContain('ask the operator of the service');
      }
    await expectUnchanged(silent, intruder);
    expect(await employs(silent, alpha, email)).toBe(false);
    // Nor is it once it is deactivated there.
    await silent.database.prisma.user.updateMany({ where: { email }, data: { deactivatedAt: new Date() } });
    expect((await accept(new Browser(silent.origin), token, password)).status).toBe(409);
    expect(await employs(silent, alpha, email)).toBe(false);
  });

  test('is refused by the operator too, or loses what signed in before', async () => {
    const { alpha, beta, email } = await pair(silent);
    const intruder = await intrude(silent, beta, email);
    const { prisma } = silent.database;
    const user = { companyId: alpha.company.id, email, fullName: 'New Boss', role: 'ADMIN' } as const;
    await expect(createUser(prisma, user)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('nobody has proved that the address is theirs'),
    });
    await expectUnchanged(silent, intruder);
    await createUser(prisma, user, commandLine);
    await expectShutOut(silent, intruder);
    expect(await provedAt(silent, email)).toBeNull();
    // The sandbox belongs to the company.
    expect(await prisma.user.count({ where: { email } })).toBe(4);
  });

  test('keeps no password that is being changed meanwhile', async () => {
    const { beta, email } = await pair(silent);
    const { personId } = await intrude(silent, beta, email);
    const { prisma, transaction } = silent.database;
    const { id } = await prisma.session.findFirstOrThrow({ where: { personId } });
    await transaction(async () => storePasswordHash(prisma, personId, await hashOf('the password of the owner')));
    const late = transaction(async () => storePasswordHash(prisma, personId, await hashOf(intruderPassword), id));
    await expect(late).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  });
});

describe('a new account', () => {
  test('has a proved address with the emailed link, and not with that of the admin', async () => {
    const { alpha, beta, email, boss } = await pair(service);
    const { shown } = await inviteByEmail(boss, email);
    expect((await accept(new Browser(service.origin), shown, password)).status).toBe(204);
    expect(await provedAt(service, email)).toBeNull();
    const other = `mailed-${email}`;
    const { mailed } = await inviteByEmail(boss, other);
    expect(await stepOf(new Browser(service.origin), mailed)).toMatchObject({
      has_account: false,
      step: 'choose_password',
      ends_access: false,
    });
    expect((await accept(new Browser(service.origin), mailed, password)).status).toBe(204);
    expect(await provedAt(service, other)).toBeInstanceOf(Date);

    // Who has proved it joins the next company as they are, by either link.
    const { admin } = await signInAll(service, beta);
    const { shown: next } = await inviteByEmail(admin, other);
    expect((await accept(new Browser(service.origin), next, intruderPassword)).status).toBe(409);
    const owner = new Browser(service.origin);
    expect(await stepOf(owner, next)).toMatchObject({ step: 'sign_in', ends_access: false });
    await owner.signIn(other, password);
    expect(await stepOf(owner, next)).toMatchObject({ step: 'accept', ends_access: false });
    expect((await accept(owner, next)).status).toBe(204);
    expect((await new Browser(service.origin).signIn(other, password)).status).toBe(200);
    expect(await employs(service, beta, other)).toBe(true);
    expect(await employs(service, alpha, other)).toBe(true);
  });

  test.each(['shown', 'mailed'] as const)(
    'is not created with the %s link of a replaced, expired or used invitation',
    async (kind) => {
      const { email, boss } = await pair(service);
      const first = (await inviteByEmail(boss, email))[kind];
      const links = await inviteByEmail(boss, email);
      const stranger = () => new Browser(service.origin);
      expect((await accept(stranger(), first, password)).status).toBe(404);
      const { prisma } = service.database;
      const { expiresAt } = await prisma.invitation.findFirstOrThrow({ where: { email } });
      await prisma.invitation.updateMany({ where: { email }, data: { expiresAt: new Date(Date.now() - 1) } });
      expect((await accept(stranger(), links[kind], password)).status).toBe(404);
      await prisma.invitation.updateMany({ where: { email }, data: { expiresAt } });
      const statuses = await Promise.all(
        [links.mailed, links.shown, links.mailed].map(
          async (token) => (await accept(stranger(), token, password)).status,
        ),
      );
      expect(statuses.filter((status) => status === 204)).toHaveLength(1);
      expect(statuses.filter((status) => status !== 204 && status !== 404 && status !== 409)).toEqual([]);
      expect((await accept(stranger(), links[kind], password)).status).toBe(404);
      expect(await prisma.user.count({ where: { email } })).toBe(2);
    },
  );

  test('shows the emailed token to nobody but the recipient', async () => {
    const { email, boss, alpha } = await pair(service);
    const { shown, mailed } = await inviteByEmail(boss, email);
    const { prisma } = service.database;
    const seen = JSON.stringify(
      [
        await boss.graphql('{ invitations { id email fullName role expiresAt createdAt } }'),
        await boss.graphql('{ securityEvents { action details { name value } } }'),
        await prisma.securityEvent.findMany(),
        await prisma.change.findMany({ where: { companyId: alpha.company.id } }),
        await prisma.invitation.findMany({ select: { email: true } }),
      ],
      (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    );
    for (const token of [shown, mailed]) expect(seen).not.toContain(token);
    const stored = await prisma.invitation.findFirstOrThrow({ where: { email } });
    expect(Buffer.from(stored.mailedTokenHash ?? []).toString()).not.toContain(mailed);
  });
});

describe('somebody who was deactivated in their only company', () => {
  test('signs in to accept the invitation of another one', async () => {
    const { alpha, beta, boss } = await pair(silent);
    const [, { id, email } = { id: '', email: '' }] = beta.users;
    await givePassword(silent, id);
    await proveEmail(silent, id);
    await silent.database.prisma.user.updateMany({ where: { id }, data: { deactivatedAt: new Date() } });
    const person = new Browser(silent.origin);
    expect((await person.signIn(email, password)).status).toBe(401);
    const token = tokenOf((await invite(boss, { email, fullName: 'Ben' })).data.inviteUser?.path);
    expect((await person.signIn(email, 'not the password')).status).toBe(401);
    expect((await person.signIn(email, password)).status).toBe(200);
    // There is nothing to see until then.
    expect((await person.graphql('{ me { id } }')).status).toBe(401);
    expect((await person.get('/auth/session')).json['data']).toMatchObject({ company: null, companies: [] });
    expect((await accept(person, token)).status).toBe(204);
    expect((await person.graphql('{ me { company { slug } companies { slug } } }')).data['me']).toEqual({
      company: { slug: alpha.company.slug },
      companies: [{ slug: alpha.company.slug }, { slug: `${alpha.company.slug}-sandbox` }],
    });
    expect(await silent.database.prisma.user.count({ where: { id, deactivatedAt: { not: null } } })).toBe(2);
  });

  test('is reactivated, not invited, in the same company', async () => {
    const { beta } = await pair(silent);
    const [, { id, email } = { id: '', email: '' }] = beta.users;
    const { admin } = await signInAll(silent, beta);
    await silent.database.prisma.user.updateMany({ where: { id }, data: { deactivatedAt: new Date() } });
    expect(errorCodes(await invite(admin, { email, fullName: 'Ben' }))).toEqual([
      { code: 'VALIDATION_ERROR', details: { email: expect.stringContaining('already a member') } },
    ]);
    const reply = await admin.graphql(`mutation { reactivateUser(id: "${id}") { deactivatedAt } }`);
    expect(reply.data['reactivateUser']).toEqual({ deactivatedAt: null });
    expect((await (await openSession(silent, id)).graphql('{ me { id } }')).status).toBe(200);
  });
});

test('erasing somebody ends the proof of their address', async () => {
  const { beta } = await pair(silent);
  const [, { id, email } = { id: '', email: '' }] = beta.users;
  await proveEmail(silent, id);
  const { admin } = await signInAll(silent, beta);
  await admin.graphql(`mutation { deactivateUser(id: "${id}") { id } }`);
  expect((await admin.graphql(`mutation { eraseUser(id: "${id}", email: "${email}") { id } }`)).errors).toEqual([]);
  const person = await silent.database.prisma.person.findUniqueOrThrow({ where: { id } });
  expect(person).toMatchObject({ email: `${id}@erased.invalid`, emailVerifiedAt: null });
});
