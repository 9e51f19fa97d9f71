import { afterAll, describe, expect, test } from '@jest/globals';
import { createLimiter } from '../../src/auth/limits.ts';
import { networkOf } from '../../src/auth/network.ts';
import { type AttemptLimit, signInLimits } from '../../src/auth/sessions/brute-force.ts';
import { Browser, password } from '../support/browser.ts';
import { readSession, startSignInService } from './sign-in-service.ts';

const { service, acme, ada, ben, startInstance, newAddress, signIn, signedIn, addMember, close } =
  await startSignInService();
afterAll(close);

let twinOrigin: Promise<string> | undefined;
/** A second instance with the same settings. */
const startTwin = () => (twinOrigin ??= startInstance({ TRUST_PROXY: 'true' }));

describe('changing the password', () => {
  const change = (browser: Browser, current_password: string, new_password: string) =>
    browser.post('/auth/password', { current_password, new_password });

  test("ends the person's other sessions and replaces the old password", async () => {
    const email = 'changes@acme.example';
    await addMember(acme, email);
    const [here, there, adas] = [await signedIn(email), await signedIn(email), await signedIn()];
    expect(await change(here, password, 'a better password')).toMatchObject({ status: 204, text: '' });
    expect([await readSession(here), await readSession(there), await readSession(adas)]).toEqual([
      expect.anything(),
      null,
      expect.anything(),
    ]);
    expect((await signIn(new Browser(service.origin), email, password)).status).toBe(401);
    await signedIn(email, 'a better password');
  });

  test.each([
    ['a wrong one now', 'not the password', 'a better password', { current_password: 'is incorrect' }],
    ['one too short', password, '9 letters', { new_password: 'must be at least 10 characters' }],
    ['one too long', password, 'x'.repeat(129), { new_password: 'must be at most 128 characters' }],
    ['one with NUL', password, 'a better\0password', { new_password: 'must not contain NUL' }],
    ['half a character', password, 'a better \ud83d password', { new_password: 'must be well-formed Unicode' }],
    ['none', password, '', { new_password: 'must not be empty' }],
  ])('rejects %s', async (_what, current, next, details) => {
    const browser = await signedIn();
    expect(await change(browser, current, next)).toMatchObject({
      status: 422,
      error: { code: 'VALIDATION_ERROR', details },
    });
    expect(await readSession(browser)).not.toBeNull();
  });

  test('requires a session and an existing password', async () => {
    expect(await change(new Browser(service.origin), password, 'a better password')).toMatchObject({
      status: 401,
      error: { code: 'INVALID_TOKEN' },
    });
    const { id } = await addMember(acme, 'none@acme.example');
    const browser = await signedIn('none@acme.example');
    await service.database.prisma.account.deleteMany({ where: { personId: id } });
    expect(await change(browser, password, 'a better password')).toMatchObject({
      status: 409,
      error: { code: 'CONFLICT' },
    });
    expect(await readSession(browser)).toMatchObject({ person: { has_password: false } });
  });

  test('allows ten wrong current passwords an hour', async () => {
    await addMember(acme, 'guessed@acme.example');
    const browser = await signedIn('guessed@acme.example');
    for (let n = 0; n < 10; n++)
      expect((await change(browser, `guess number ${n}`, 'a better password')).status).toBe(422);
    const refused = await change(browser, password, 'a better password');
    expect(refused).toMatchObject({ status: 429, error: { code: 'RATE_LIMITED' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
  });
});

/** Counts failed attempts without hashing passwords, which is slow. */
async function wrongAlready(times: number, ...limits: (AttemptLimit | undefined)[]) {
  const limiter = createLimiter(service.database);
  for (const limit of limits) for (let n = 0; limit && n < times; n++) await limiter.consume(...limit);
  await limiter.close();
}

/** Counts 600 changes from an address, from which there was one already. */
const useUpChanges = (from: ReturnType<typeof newAddress>) =>
  service.database.prisma.rateLimit.updateMany({
    where: { key: { endsWith: `auth:${from['x-forwarded-for']}` } },
    data: { points: 600 },
  });

describe('a device that has signed in before', () => {
  let members = 0;
  /** The email address of a new member. */
  const newMember = async () => (await addMember(acme, `known${++members}@acme.example`)).email;

  const isDevice = (name: string) => name.startsWith('premises.device_');
  /** The device's cookie for the account that it has signed in to. */
  const deviceOf = ({ cookies }: Browser) => [...cookies].find(([name]) => isDevice(name)) ?? ['', ''];
  const withCookie = (name: string, value: string) => new Browser(service.origin, new Map([[name, value]]));

  test('is not locked out by unknown devices, from any number of addresses, its own included', async () => {
    const from = newAddress();
    const email = await newMember();
    const device = await signedIn(email, password, from);
    expect((await signIn(device, email, 'not the password', from)).status).toBe(401);
    await wrongAlready(100, ...signInLimits(email, from['x-forwarded-for']));
    await useUpChanges(from);
    expect((await signIn(device, email, password, from)).status).toBe(200);
    expect((await signIn(device, email, 'not the password', from)).status).toBe(401);
    expect((await signIn(new Browser(service.origin), email, password, from)).status).toBe(429);
    expect((await signIn(new Browser(service.origin), email, password)).status).toBe(429);
    // For other accounts it is an unknown device.
    const other = await newMember();
    await wrongAlready(100, signInLimits(other, '')[1]);
    expect((await signIn(device, other, password)).status).toBe(429);
  });

  test('gets a cookie that only the service reads, for a year', async () => {
    const email = await newMember();
    const name = deviceOf(await signedIn(email))[0];
    const reply = await signIn(new Browser(service.origin), email, password);
    const cookie = reply.headers.getSetCookie().find((each) => each.startsWith(name)) ?? '';
    expect(cookie.split('; ').slice(1)).toEqual(['Path=/auth', 'Max-Age=31536000', 'HttpOnly', 'SameSite=Strict']);
    expect(cookie).not.toContain('known');
  });

  test('has ten guesses an hour, wherever its cookie is used', async () => {
    const email = await newMember();
    const device = await signedIn(email);
    const stolen = deviceOf(device);
    const statuses = await Promise.all(
      Array.from({ length: 15 }, () =>
        signIn(withCookie(...stolen), email, 'not the password').then(({ status }) => status),
      ),
    );
    expect(countStatuses(statuses)).toEqual([10, 5]);
    expect((await signIn(device, email, password)).status).toBe(429);
  });

  test('is unknown with a cookie that was made up, altered, or issued for another account', async () => {
    const email = await newMember();
    const [name, value] = deviceOf(await signedIn(email));
    const [, ofAda] = deviceOf(await signedIn());
    const [id = '', expiresAt = '', signature = ''] = value.split('.');
    await wrongAlready(100, signInLimits(email, '')[1]);
    const forged = [
      ofAda,
      `${id}.${expiresAt}`,
      `${id}.${Number(expiresAt) + 1}.${signature}`,
      `${id}x.${expiresAt}.${signature}`,
      `${id}.${expiresAt}.${'x'.repeat(43)}`,
      '',
    ];
    for (const each of forged) expect((await signIn(withCookie(name, each), email, password)).status).toBe(429);
    expect((await signIn(withCookie(name, value), email, password)).status).toBe(200);
  });
});

const countStatuses = (statuses: number[]) =>
  [401, 429].map((status) => statuses.filter((each) => each === status).length);

describe('a wrong password', () => {
  test('is limited to ten per email address and network', async () => {
    const from = newAddress();
    await addMember(acme, 'target@acme.example');
    // Correct passwords do not count.
    for (let n = 0; n < 3; n++) await signedIn('target@acme.example', password, from);
    const browser = new Browser(service.origin);
    for (let n = 0; n < 10; n++)
      expect((await signIn(browser, 'target@acme.example', 'not the password', from)).status).toBe(401);
    const refused = await signIn(browser, 'Target@acme.example', password, from);
    expect(refused).toMatchObject({ status: 429, error: { code: 'RATE_LIMITED' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect(refused.headers.getSetCookie()).toEqual([]);
    expect((await signIn(browser, ada.email, password, from)).status).toBe(200);
    expect((await signIn(new Browser(service.origin), 'target@acme.example', password)).status).toBe(200);
  });

  test('is counted for unknown email addresses too', async () => {
    const from = newAddress();
    const statuses: number[] = [];
    for (let n = 0; n < 11; n++)
      statuses.push((await signIn(new Browser(service.origin), 'ghost@acme.example', 'not the password', from)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
  });

  test('is limited to sixty per network', async () => {
    const from = newAddress();
    const browser = new Browser(service.origin);
    await wrongAlready(55, signInLimits('', from['x-forwarded-for'])[2]);
    const statuses = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        signIn(browser, `many${n}@acme.example`, 'not the password', from).then(({ status }) => status),
      ),
    );
    expect(countStatuses(statuses)).toEqual([5, 7]);
    expect((await signIn(browser, ada.email, password, from)).status).toBe(429);
    expect((await signIn(browser, ada.email, password)).status).toBe(200);
  });

  test('is limited to a hundred per email address', async () => {
    const browser = new Browser(service.origin);
    await wrongAlready(95, signInLimits('hunted@acme.example', '')[1]);
    const statuses = await Promise.all(
      Array.from({ length: 12 }, () =>
        signIn(browser, 'hunted@acme.example', 'not the password').then(({ status }) => status),
      ),
    );
    expect(countStatuses(statuses)).toEqual([5, 7]);
  });

  test('and a correct one are limited to 600 requests per network, before the body is read', async () => {
    const from = newAddress();
    await signedIn(ada.email, password, from);
    const browser = new Browser(service.origin);
    await useUpChanges(from);
    expect((await signIn(browser, ada.email, password, from)).status).toBe(429);
    expect((await browser.post('/auth/sign-in', '{', from)).status).toBe(429);
    expect((await signIn(browser, ada.email, password)).status).toBe(200);
  });

  test('of more than 16 KB is refused unread', async () => {
    expect(await signIn(new Browser(service.origin), ada.email, 'x'.repeat(16 * 1024))).toMatchObject({
      status: 413,
      error: { code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('16384') },
    });
  });

  test('is counted exactly across all instances', async () => {
    const from = newAddress();
    const origins = [service.origin, await startTwin()];
    const statuses = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        signIn(new Browser(origins[n % 2] ?? ''), ben.email, `guess number ${n}`, from).then(({ status }) => status),
      ),
    );
    expect(countStatuses(statuses)).toEqual([10, 30]);
  });

  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::ffff:203.0.113.9', '::ffff:203.0.113.9'],
  ])('from %s counts for %s', (ip, place) => expect(networkOf(ip)).toBe(place));
});
