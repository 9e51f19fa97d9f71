import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createUser } from '../../src/auth/accounts.ts';
import { commandLine } from '../../src/auth/security-log.ts';
import { Browser, openSession, password, publicOrigin, signInAll } from '../support/browser.ts';
import { errorCodes, type Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { expectShutOut, expectUnchanged, intrude, intruderPassword, tokenOf } from './intruder.ts';
import { invite } from './invite.ts';
import { type Claims, providerSettings, TestProvider } from './oidc-provider.ts';

let provider: TestProvider;
let service: Service;
beforeAll(async () => {
  provider = await TestProvider.start();
  service = await startService(providerSettings(provider.issuer));
});
afterAll(async () => {
  await service.close();
  await provider.stop();
  jest.restoreAllMocks();
});

let companies = 0;
/** Two companies, the first of which wants to employ somebody. */
async function pair() {
  const n = ++companies;
  const [alpha, beta] = [await service.tenant(`alpha${n}`), await service.tenant(`beta${n}`)];
  return { alpha, beta, email: `newboss@alpha${n}.test`, boss: (await signInAll(service, alpha)).admin };
}

/** Signs in at the provider. @returns the browser, and the address that it was redirected to */
async function signIn(subject: string, claims: Claims): Promise<{ browser: Browser; to: string | null }> {
  provider.people.set(subject, claims);
  const browser = new Browser(service.origin);
  const start = (await browser.open('/auth/oidc')).headers.get('location') ?? '';
  const back = await provider.visit(start, subject);
  const to = (await browser.open(back, { 'sec-fetch-site': 'cross-site' })).headers.get('location');
  return { browser, to };
}

/** Signs in at the provider with a verified address, which must succeed. */
async function signInVerified(subject: string, email: string): Promise<Browser> {
  const { browser, to } = await signIn(subject, { email, email_verified: true });
  expect(to).toBe(`${publicOrigin}/`);
  return browser;
}

const accept = (browser: Browser, token: string, secret?: string) =>
  browser.at('').post('/auth/invitation/accept', { token, ...(secret !== undefined && { password: secret }) });
const stepOf = async (browser: Browser, token: string) =>
  (await browser.at('').post('/auth/invitation', { token })).json['data'] as Row;
const sessionOf = async (browser: Browser) => (await browser.at('').get('/auth/session')).json['data'];
const companiesOf = async (browser: Browser) =>
  (await browser.graphql<{ me: { companies: Row[] } }>('{ me { companies { slug role } } }')).data.me?.companies;
const inviteTo = async (boss: Browser, email: string, role = 'ADMIN') =>
  tokenOf((await invite(boss, { email, fullName: 'New Boss', role })).data.inviteUser?.path);
const provedAt = async (email: string) =>
  (await service.database.prisma.person.findUniqueOrThrow({ where: { email } })).emailVerifiedAt;
const linksOf = async (personId: string) =>
  (await service.database.prisma.account.findMany({ where: { personId, providerId: 'oidc' } })).map(
    ({ accountId }) => accountId,
  );

describe('an account that somebody else created for an address', () => {
  test("joins another company by its owner's OpenID sign-in, which ends what signed in before", async () => {
    const { alpha, beta, email, boss } = await pair();
    const intruder = await intrude(service, beta, email);
    const token = await inviteTo(boss, email);
    for (const browser of [intruder.session, new Browser(service.origin)])
      for (const secret of [undefined, intruderPassword, password]) {
        const refused = await accept(browser, token, secret);
        expect(refused).toMatchObject({ status: 409, error: { code: 'CONFLICT' } });
        expect(refused.error?.message).toContain('sign in with Example ID');
      }

    const owner = await signInVerified(email, email);
    // The sign-in alone leaves what the intruder has, and therefore proves nothing of the account.
    await expectUnchanged(service, intruder);
    expect(await provedAt(email)).toBeNull();
    expect((await accept(intruder.session, token)).status).toBe(409);
    expect(await stepOf(owner, token)).toMatchObject({ step: 'accept', ends_access: true });
    expect((await accept(owner, token)).status).toBe(204);

    await expectShutOut(service, intruder);
    expect(await provedAt(email)).toBeInstanceOf(Date);
    const expected = [alpha, beta].flatMap(({ company: { slug } }) => [slug, `${slug}-sandbox`]);
    for (const browser of [owner, await signInVerified(email, email)])
      expect((await companiesOf(browser))?.map(({ slug }) => slug)).toEqual(expected);
  });

  test('is not proved by an OpenID session whose address is another or is not verified', async () => {
    const { beta, email, boss } = await pair();
    const intruder = await intrude(service, beta, email);
    await signInVerified(email, email);
    const token = await inviteTo(boss, email);
    for (const claims of [
      { email: `other-${email}`, email_verified: true },
      { email, email_verified: false },
      { email, email_verified: 'false' },
      { email },
      {},
    ]) {
      const { browser } = await signIn(email, claims);
      expect((await stepOf(browser, token))['step']).toBe('prove_email');
      expect((await accept(browser, token)).status).toBe(409);
    }
    await expectUnchanged(service, intruder);
  });

  test('keeps no OpenID link when the operator adds it, and its owner signs in', async () => {
    const { alpha, beta, email } = await pair();
    const intruder = await intrude(service, beta, email);
    const earlier = await signInVerified('of-the-intruder', email);
    const user = { companyId: alpha.company.id, email, fullName: 'New Boss', role: 'ADMIN' } as const;
    await createUser(service.database.prisma, user, commandLine);
    await expectShutOut(service, intruder);
    expect(await sessionOf(earlier)).toBeNull();
    expect(await linksOf(intruder.personId)).toEqual([]);
    expect(await provedAt(email)).toBeNull();
    expect((await companiesOf(await signInVerified('of-the-owner', email)))?.length).toBe(4);
    expect(await linksOf(intruder.personId)).toEqual([`${provider.issuer} of-the-owner`]);
  });
});

describe('an account that OpenID alone signs in to', () => {
  test('is created without a password, proved by the sign-in, and joins another company as it is', async () => {
    const { alpha, beta, email, boss } = await pair();
    const first = await inviteTo((await signInAll(service, beta)).admin, email, 'MEMBER');
    expect((await accept(new Browser(service.origin), first)).status).toBe(204);
    expect(await provedAt(email)).toBeNull();
    const owner = await signInVerified(email, email);
    expect(await provedAt(email)).toBeInstanceOf(Date);

    const token = await inviteTo(boss, email);
    const stranger = new Browser(service.origin);
    expect(await stepOf(stranger, token)).toMatchObject({ step: 'sign_in', ends_access: false });
    expect((await accept(stranger, token, intruderPassword)).status).toBe(409);
    expect(await stepOf(owner, token)).toMatchObject({ step: 'accept', ends_access: false });
    const other = await signInVerified(email, email);
    expect((await accept(owner, token)).status).toBe(204);
    for (const browser of [owner, other])
      expect((await companiesOf(browser))?.map(({ slug, role }) => `${String(slug)} ${String(role)}`)).toEqual(
        [`${alpha.company.slug} ADMIN`, `${beta.company.slug} MEMBER`].flatMap((text) => [
          text,
          text.replace(' ', '-sandbox '),
        ]),
      );
  });

  test('signs in to accept an invitation, when it was deactivated in its only company', async () => {
    const { alpha, beta, boss } = await pair();
    const { id, email } = memberOf(beta);
    await signInVerified(email, email);
    await service.database.prisma.user.updateMany({ where: { id }, data: { deactivatedAt: new Date() } });
    expect((await signIn(email, { email, email_verified: true })).to).toBe(
      `${publicOrigin}/sign-in?error=not_a_member`,
    );
    const token = await inviteTo(boss, email);
    const owner = await signInVerified(email, email);
    expect(await sessionOf(owner)).toMatchObject({ company: null, companies: [] });
    expect((await accept(owner, token)).status).toBe(204);
    expect((await companiesOf(owner))?.map(({ slug }) => slug)).toEqual([
      alpha.company.slug,
      `${alpha.company.slug}-sandbox`,
    ]);
  });
});

describe('a second identity of the provider', () => {
  test('with the same verified address is not linked, until an admin unlinks the first', async () => {
    const { beta, boss } = await pair();
    const { id, email } = memberOf(beta);
    const first = await signInVerified(`first ${email}`, email);
    const refused = await signIn(`second ${email}`, { email, email_verified: true });
    expect(refused.to).toBe(`${publicOrigin}/sign-in?error=another_identity`);
    expect(await sessionOf(refused.browser)).toBeNull();
    expect(await linksOf(id)).toEqual([`${provider.issuer} first ${email}`]);

    const unlink = `mutation { unlinkOpenId(id: "${id}") { id } }`;
    const { admin, executive, member } = await signInAll(service, beta);
    for (const browser of [executive, member])
      expect(errorCodes(await browser.graphql(unlink))).toMatchObject([
        { code: expect.stringMatching(/^(FORBIDDEN|INSUFFICIENT_SCOPE)$/) },
      ]);
    expect(errorCodes(await boss.graphql(unlink))).toMatchObject([{ code: 'NOT_FOUND' }]);
    const listed = await admin.graphql(`{ usersWithOpenId(ids: ["${id}"]) { id } }`);
    expect(listed.data['usersWithOpenId']).toEqual([{ id }]);
    expect((await admin.graphql(unlink)).data['unlinkOpenId']).toEqual({ id });
    expect(await sessionOf(first)).toBeNull();
    expect(errorCodes(await admin.graphql(unlink))).toMatchObject([{ code: 'CONFLICT' }]);
    await signInVerified(`second ${email}`, email);
    expect(await linksOf(id)).toEqual([`${provider.issuer} second ${email}`]);
    expect((await signIn(`first ${email}`, { email, email_verified: true })).to).toBe(
      `${publicOrigin}/sign-in?error=another_identity`,
    );
  });

  test('of somebody who belongs to other companies too needs the operator', async () => {
    const { alpha, beta } = await pair();
    const { id, email, fullName } = memberOf(beta);
    await signInVerified(`first ${email}`, email);
    const { prisma } = service.database;
    await createUser(prisma, { companyId: alpha.company.id, email, fullName, role: 'MEMBER' });
    // Also of somebody who is deactivated there: whoever reactivates them would let the new identity in.
    for (const deactivatedAt of [null, new Date()]) {
      await prisma.user.updateMany({ where: { id, companyId: alpha.company.id }, data: { deactivatedAt } });
      for (const { users } of [alpha, beta]) {
        const admin = await openSession(service, users[0]?.id ?? '');
        const reply = await admin.graphql(`mutation { unlinkOpenId(id: "${id}") { id } }`);
        expect(errorCodes(reply)).toMatchObject([{ code: 'CONFLICT' }]);
      }
    }
    expect(await linksOf(id)).toEqual([`${provider.issuer} first ${email}`]);
  });

  test('is linked once, when both sign in at the same time', async () => {
    const { beta } = await pair();
    const { id, email } = memberOf(beta);
    const results = await Promise.all(
      ['first', 'second'].map((name) => signIn(`${name} ${email}`, { email, email_verified: true })),
    );
    expect(results.map(({ to }) => to).sort()).toEqual([
      `${publicOrigin}/`,
      `${publicOrigin}/sign-in?error=another_identity`,
    ]);
    expect(await linksOf(id)).toHaveLength(1);
  });
});

/** The member of a company. */
function memberOf({ users }: Tenant) {
  const [, , member] = users;
  if (!member) throw new Error('The company has no member.');
  return member;
}
