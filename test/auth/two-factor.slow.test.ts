import { Writable } from 'node:stream';
import { afterAll, describe, expect, test } from '@jest/globals';
import pino from 'pino';
import { Browser, password } from '../support/browser.ts';
import type { Row } from '../support/client.ts';
import { previousTotp, totp } from '../support/totp.ts';
import { readSession, startSignInService } from './sign-in-service.ts';

const { service, acme, other, ada, startInstance, newAddress, signIn, signedIn, addMember, close } =
  await startSignInService();
afterAll(close);

const { prisma } = service.database;

/** Sets up an authenticator app, and enters one code, which is that of half a minute ago. */
async function setUp(browser: Browser): Promise<{ key: string; uri: string; entered: string; backupCodes: string[] }> {
  const { status, json } = await browser.post('/auth/two-factor', { password });
  expect(status).toBe(200);
  const { key, uri, backup_codes } = json['data'] as { key: string; uri: string; backup_codes: string[] };
  const entered = await previousTotp(key);
  expect((await browser.post('/auth/two-factor/confirm', { code: entered })).status).toBe(204);
  return { key, uri, entered, backupCodes: backup_codes };
}

/** A new member who has set up an authenticator app. */
async function withApp(name: string, origin = service.origin) {
  const email = `${name}@acme.example`;
  const { id } = await addMember(acme, email);
  const browser = new Browser(origin);
  expect((await signIn(browser, email, password)).status).toBe(200);
  return { id, email, browser, ...(await setUp(browser)) };
}

/** A browser in which somebody has entered the right password. */
async function waiting(email: string, origin = service.origin): Promise<Browser> {
  const browser = new Browser(origin);
  expect(await signIn(browser, email, password)).toMatchObject({ status: 401, error: { code: 'TWO_FACTOR_REQUIRED' } });
  return browser;
}

const enter = (browser: Browser, code: string) => browser.post('/auth/sign-in/code', { code }, newAddress());

/** The security log of somebody: what they did, and how. */
const logOf = async (personId: string) =>
  (await prisma.securityEvent.findMany({ where: { personId }, orderBy: { id: 'asc' } })).map(({ action, details }) => [
    action,
    ...Object.values(details as Row),
  ]);

describe('an authenticator app', () => {
  test('is set up with the password, and required after a first correct code', async () => {
    const email = 'sets-up@acme.example';
    const { id } = await addMember(acme, email);
    const browser = await signedIn(email);
    expect(await browser.post('/auth/two-factor', { password: 'a wrong password' })).toMatchObject({
      status: 422,
      error: { details: { password: 'is incorrect' } },
    });
    const { json } = await browser.post('/auth/two-factor', { password });
    const { key, uri, backup_codes: codes } = json['data'] as { key: string; uri: string; backup_codes: string[] };
    expect(uri).toBe(
      `otpauth://totp/Premises:${encodeURIComponent(email)}?secret=${key}&issuer=Premises&digits=6&period=30`,
    );
    expect(key).toMatch(/^[A-Z2-7]{32,}$/);
    expect(new Set(codes).size).toBe(10);
    // Until a code has confirmed the app, the password is enough.
    expect((await signIn(new Browser(service.origin), email, password)).status).toBe(200);
    expect(await browser.post('/auth/two-factor/confirm', { code: '000000' })).toMatchObject({
      status: 422,
      error: { details: { code: 'is incorrect' } },
    });
    const sandbox = acme.company.sandbox.id;
    await browser.request('PATCH', '/auth/session', { body: { company_id: sandbox } });
    await prisma.person.update({ where: { id }, data: { lastCompanyId: null } });
    expect((await browser.post('/auth/two-factor/confirm', { code: totp(key) })).status).toBe(204);
    // It stays signed in, in the company it was in.
    expect(await readSession(browser)).toMatchObject({
      person: { two_factor_enabled: true },
      company: { id: sandbox },
    });
    expect((await browser.post('/auth/two-factor', { password })).status).toBe(409);
    expect((await browser.post('/auth/two-factor/confirm', { code: totp(key, 1) })).status).toBe(409);

    const next = await waiting(email);
    expect(await readSession(next)).toBeNull();
    expect(await next.graphql('{ me { id } }')).toMatchObject({ status: 401 });
    const { status, json: entered } = await enter(next, totp(key, 1));
    expect({ status, data: entered['data'] }).toMatchObject({ status: 200, data: { person: { email } } });
    expect(await readSession(next)).toMatchObject({ person: { email } });
    expect(await logOf(id)).toEqual([
      ['signed_in', 'password'],
      ['signed_in', 'password'],
      ['two_factor_enabled'],
      ['signed_in', 'password and code'],
    ]);
  });

  test('shows codes that work once', async () => {
    const { id, email, key, entered } = await withApp('once');
    // The code that set it up does not sign in.
    expect((await enter(await waiting(email), entered)).status).toBe(401);
    const code = totp(key);
    expect((await enter(await waiting(email), ` ${code.slice(0, 3)} ${code.slice(3)}`)).status).toBe(200);
    expect(await enter(await waiting(email), code)).toMatchObject({
      status: 401,
      error: { code: 'INVALID_CREDENTIALS' },
    });
    const failed = await prisma.securityEvent.findMany({ where: { personId: id, action: 'sign_in_failed' } });
    expect(failed).toMatchObject([
      { details: { method: 'code' }, actorId: null },
      { details: { method: 'code' }, actorId: null },
    ]);
  });

  test('can be replaced by a backup code, each of which works once', async () => {
    const { id, email, backupCodes } = await withApp('backup');
    const [code = ''] = backupCodes;
    expect((await enter(await waiting(email), code)).status).toBe(200);
    expect((await enter(await waiting(email), code)).status).toBe(401);
    expect((await logOf(id)).slice(-2)).toEqual([
      ['signed_in', 'password and backup code'],
      ['sign_in_failed', 'code'],
    ]);
    const used = new Browser(service.origin, (await waiting(email)).cookies);
    expect((await enter(used, backupCodes[1] ?? '')).status).toBe(200);
    expect((await used.post('/auth/two-factor/backup-codes', { password: 'a wrong password' })).status).toBe(422);
    const { json } = await used.post('/auth/two-factor/backup-codes', { password });
    const { backup_codes: fresh } = json['data'] as { backup_codes: string[] };
    expect((await enter(await waiting(email), backupCodes[2] ?? '')).status).toBe(401);
    expect((await enter(await waiting(email), fresh[0] ?? '')).status).toBe(200);
  });

  test('is stored encrypted, and neither logged nor shown', async () => {
    const lines: string[] = [];
    const stream = new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) });
    const origin = await startInstance({ TRUST_PROXY: 'true' }, pino({ level: 'trace' }, stream));
    const { id, email, key, backupCodes } = await withApp('hidden', origin);
    await enter(await waiting(email, origin), totp(key));
    const stored = await prisma.twoFactor.findUniqueOrThrow({ where: { personId: id } });
    const rows = [
      stored,
      await prisma.securityEvent.findMany({ where: { personId: id } }),
      await prisma.change.findMany({ where: { rowId: id } }),
      await prisma.verification.findMany(),
    ];
    const text = [
      ...lines,
      JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    ].join('\n');
    expect(lines.length).toBeGreaterThan(3);
    expect(text).not.toContain(key);
    for (const code of backupCodes) expect(text).not.toContain(code);
    // The key is the text of which the app has the base32.
    expect(text).not.toContain(decode(key));
  });

  test('is turned off with the password', async () => {
    const { id, email, browser } = await withApp('off');
    expect((await browser.post('/auth/two-factor/disable', { password: 'a wrong password' })).status).toBe(422);
    expect((await browser.post('/auth/two-factor/disable', { password })).status).toBe(204);
    expect(await readSession(browser)).toMatchObject({ person: { email, two_factor_enabled: false } });
    expect((await browser.post('/auth/two-factor/disable', { password })).status).toBe(409);
    expect((await browser.post('/auth/two-factor/backup-codes', { password })).status).toBe(409);
    await signedIn(email);
    expect(await prisma.twoFactor.count({ where: { personId: id } })).toBe(0);
    expect(await logOf(id)).toContainEqual(['two_factor_disabled']);
  });

  test('requires a session and the password, and a code only completes a pending sign-in', async () => {
    const nobody = new Browser(service.origin);
    for (const path of ['/two-factor', '/two-factor/disable', '/two-factor/backup-codes'])
      expect((await nobody.post(`/auth${path}`, { password })).status).toBe(401);
    expect((await nobody.post('/auth/two-factor/confirm', { code: '123456' })).status).toBe(401);
    const reauthenticate = { status: 403, error: { code: 'REAUTHENTICATION_REQUIRED' } };
    expect(await enter(nobody, '123456')).toMatchObject(reauthenticate);
    expect((await nobody.post('/auth/sign-in/code', {})).status).toBe(422);
    const { email, key } = await withApp('too-late');
    const late = await waiting(email);
    await prisma.verification.updateMany({ data: { expiresAt: new Date() } });
    expect(await enter(late, totp(key))).toMatchObject(reauthenticate);
    // Another person's session in the browser is ignored.
    const shared = await signedIn();
    const adas = shared.cookies.get('premises.session_token') ?? '';
    await signIn(shared, email, password);
    shared.cookies.set('premises.session_token', adas);
    expect((await enter(shared, totp(key))).status).toBe(200);
    expect(await readSession(shared)).toMatchObject({ person: { email } });
    const { id } = await addMember(acme, 'provider@acme.example');
    const provided = await signedIn('provider@acme.example');
    await prisma.account.deleteMany({ where: { personId: id } });
    expect((await provided.post('/auth/two-factor', { password })).status).toBe(409);
    expect((await provided.post('/auth/two-factor/confirm', { code: '123456' })).status).toBe(409);
  });

  test('does not let in who was deactivated meanwhile', async () => {
    const { id, email, key } = await withApp('gone');
    const browser = await waiting(email);
    await prisma.user.updateMany({ where: { id }, data: { deactivatedAt: new Date() } });
    expect(await enter(browser, totp(key))).toMatchObject({ status: 401, error: { code: 'INVALID_CREDENTIALS' } });
  });
});

describe('guessing codes', () => {
  test('ends after five with one password, and after ten in an hour, except in a known browser', async () => {
    const { email, key, browser: known } = await withApp('guessed');
    const wrong = (browser: Browser, n: number) => enter(browser, `wrong-${n}`);
    const first = await waiting(email);
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await wrong(first, n)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 403]);
    const second = await waiting(email);
    for (let n = 0; n < 5; n++) expect((await wrong(second, n)).status).toBe(401);
    expect(await enter(await waiting(email), totp(key))).toMatchObject({
      status: 429,
      error: { code: 'RATE_LIMITED' },
    });
    const owner = new Browser(service.origin, new Map([...known.cookies].filter(([name]) => name.includes('device'))));
    expect((await signIn(owner, email, password)).status).toBe(401);
    expect((await enter(owner, totp(key))).status).toBe(200);
  });
});

describe('a lost authenticator app', () => {
  const reset = (browser: Browser, id: string) => browser.graphql(`mutation { resetTwoFactor(id: "${id}") { id } }`);
  const listed = async (browser: Browser, ...ids: string[]) =>
    (await browser.graphql<Row>(`{ usersWithTwoFactor(ids: ${JSON.stringify(ids)}) { email } }`)).data[
      'usersWithTwoFactor'
    ];

  test('is reset by an admin, who sees which users have one', async () => {
    const admin = await signedIn();
    const { id, email } = await withApp('lost');
    expect(await listed(admin, id, ada.id)).toEqual([{ email }]);
    const member = await signedIn((await addMember(acme, 'no-admin@acme.example')).email);
    expect((await reset(member, id)).errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_SCOPE' } }]);
    await waiting(email);
    expect(await reset(admin, id)).toMatchObject({ data: { resetTwoFactor: { id } }, errors: [] });
    await signedIn(email);
    expect((await reset(admin, id)).errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
    expect(await listed(admin, id, ada.id)).toEqual([]);
    const [event] = await prisma.securityEvent.findMany({ where: { personId: id, action: 'two_factor_reset' } });
    expect(event).toMatchObject({ actorId: ada.id, companyId: acme.company.id });
  });

  test("is not reset by an admin of another company, nor by one of a person's several", async () => {
    const admin = await signedIn();
    const { id, email } = await withApp('twice');
    await addMember(other, 'admin@other.example', 'ADMIN');
    const otherAdmin = await signedIn('admin@other.example');
    expect((await reset(otherAdmin, id)).errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    expect(await listed(otherAdmin, id)).toEqual([]);
    const user = { id, email, fullName: 'Somebody', companyId: other.company.id };
    await prisma.user.create({ data: user });
    for (const one of [otherAdmin, admin])
      expect((await reset(one, id)).errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
    await waiting(email);
  });
});

describe('another AUTH_SECRET', () => {
  const [first, second] = ['the first secret of the service, long enough', 'the second secret of it, long enough too'];
  const env = { TRUST_PROXY: 'true' };

  test('reads the keys of the previous one, encrypts them again, and says which it cannot read', async () => {
    const onFirst = await startInstance({ ...env, AUTH_SECRET: first });
    const { id, email, key, backupCodes } = await withApp('rotated', onFirst);
    const pending = await waiting(email, onFirst);
    const before = await prisma.twoFactor.findUniqueOrThrow({ where: { personId: id } });

    const onBoth = await startInstance({ ...env, AUTH_SECRET: second, AUTH_SECRET_PREVIOUS: first });
    const after = await prisma.twoFactor.findUniqueOrThrow({ where: { personId: id } });
    expect([after.secret, after.backupCodes]).not.toContain(before.secret);
    expect(after.backupCodes).not.toBe(before.backupCodes);
    // A sign-in that waits for a code continues.
    expect((await enter(new Browser(onBoth, pending.cookies), totp(key))).status).toBe(200);

    const onSecond = await startInstance({ ...env, AUTH_SECRET: second });
    expect((await enter(await waiting(email, onSecond), totp(key, 1))).status).toBe(200);
    expect((await enter(await waiting(email, onSecond), backupCodes[0] ?? '')).status).toBe(200);

    const lines: string[] = [];
    const stream = new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) });
    const lost = await startInstance({ ...env, AUTH_SECRET: first }, pino({ level: 'warn' }, stream));
    expect(lines.join('')).toContain('keys of authenticator apps cannot be read');
    expect(await enter(await waiting(email, lost), backupCodes[1] ?? '')).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT' },
    });
  });
});

/** What a key in base32 encodes, as text. */
function decode(key: string): string {
  const bits = [...key].map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0')).join('');
  return String.fromCharCode(...(bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
