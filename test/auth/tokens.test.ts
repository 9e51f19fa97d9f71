import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { createCompany, createUser } from '../../src/auth/accounts.ts';
import { TokenCallers } from '../../src/auth/token-callers.ts';
import { createToken, isWellFormed, revokeToken } from '../../src/auth/tokens.ts';
import { ServiceError } from '../../src/errors.ts';
import { testDatabase } from '../support/database.ts';
import { findCaller } from '../support/find-caller.ts';

const statements: string[] = [];
const database = await testDatabase({ onQuery: (sql) => statements.push(sql) });
const { prisma } = database;
afterAll(() => database.close());

const acme = await createCompany(prisma, { slug: 'acme', name: 'Acme' });
const other = await createCompany(prisma, { slug: 'other', name: 'Other' });
const ann = await createUser(prisma, { companyId: acme.id, email: 'ann@acme.test', fullName: 'Ann', role: 'ADMIN' });
const ofAnn = { companyId: acme.id, userId: ann.id, name: 'ci', scopes: ['paint:read'], live: true };

const find = (token: string) => findCaller(database, token);
const rowOf = (id: string) => prisma.apiToken.findFirstOrThrow({ where: { id } });

describe('the form of a token', () => {
  // Computed with CRC-32 of Python's zlib, encoded in base62.
  test.each([
    ['svc_live_00000000000000000000000000000000', 3585111259, '3uclD9'],
    ['svc_test_abcdefghijklmnopqrstuvwxyzABCDEF', 2756452516, '30XnDY'],
    ['svc_live_Premises0Premises1Premises2Premi', 2097644899, '2HxVGF'],
    ['svc_live_00000000000000000000000000002905', 160592, '000fmC'],
  ])('%s has the checksum %i, encoded %s', (body, _crc, checksum) => {
    expect(isWellFormed(body + checksum)).toBe(true);
  });

  test('a changed character, length or prefix is rejected', () => {
    const good = 'svc_live_Premises0Premises1Premises2Premi2HxVGF';
    const bad = [
      'svc_live_Premises0Premises1Premises2Premi2HxVGG',
      'svc_live_premises0Premises1Premises2Premi2HxVGF',
      'svc_live_Premises0Premises2Premises1Premi2HxVGF',
      'svc_test_Premises0Premises1Premises2Premi2HxVGF',
      'svc_dead_Premises0Premises1Premises2Premi2HxVGF',
      good.slice(0, -1),
      `${good}0`,
      ` ${good}`,
      `${good}\n`,
      '',
      'svc_live_',
      'svc_live_Premises0Premises1Premises2Prem_2HxVGF',
    ];
    expect(isWellFormed(good)).toBe(true);
    expect(bad.filter(isWellFormed)).toEqual([]);
  });

  test('new tokens are well formed and unique', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => createToken(prisma, ofAnn)));
    const tokens = made.map(({ token }) => token);
    expect(tokens.every((token) => /^svc_live_[0-9A-Za-z]{38}$/.test(token) && isWellFormed(token))).toBe(true);
    expect(new Set(tokens).size).toBe(20);
  });
});

describe('a token', () => {
  test('acts as its user in its company, and is stored only as its SHA-256', async () => {
    const { id, token } = await createToken(prisma, ofAnn);
    expect(await find(token)).toEqual({
      kind: 'token',
      id,
      companyId: acme.id,
      timeZone: 'UTC',
      userId: ann.id,
      scopes: ['paint:read'],
      role: 'ADMIN',
      rateLimit: 100,
    });
    const row = await rowOf(id);
    expect(Buffer.from(row.hash)).toEqual(createHash('sha256').update(token).digest());
    expect(JSON.stringify(row)).not.toContain(token.slice(9));
  });

  test('of the test kind works on the sandbox', async () => {
    const { token } = await createToken(prisma, { ...ofAnn, live: false, rateLimit: 7 });
    expect(token).toMatch(/^svc_test_/);
    expect(await find(token)).toMatchObject({ companyId: acme.sandbox.id, userId: ann.id, rateLimit: 7 });
  });

  test('is rejected once revoked', async () => {
    const { id, token } = await createToken(prisma, ofAnn);
    expect(await revokeToken(prisma, id)).toBe(true);
    expect(await find(token)).toBeNull();
    expect(await revokeToken(prisma, id)).toBe(false);
    expect(await revokeToken(prisma, acme.id)).toBe(false);
  });

  test('is rejected once expired', async () => {
    const soon = await createToken(prisma, { ...ofAnn, expiresAt: new Date(Date.now() + 60_000) });
    const past = await createToken(prisma, { ...ofAnn, expiresAt: new Date(Date.now() - 1) });
    expect(await find(soon.token)).toMatchObject({ id: soon.id });
    expect(await find(past.token)).toBeNull();
  });

  test('is looked up only if it is well formed', async () => {
    const { token } = await createToken(prisma, ofAnn);
    statements.length = 0;
    expect(await find('nonsense')).toBeNull();
    expect(await find(token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')))).toBeNull();
    expect(statements).toEqual([]);
    expect(await find('svc_live_Premises0Premises1Premises2Premi2HxVGF')).toBeNull();
    expect(statements).toHaveLength(1);
  });

  test('records its last use, to the minute', async () => {
    const { id, token } = await createToken(prisma, ofAnn);
    const uses: (Date | null)[] = [(await rowOf(id)).lastUsedAt];
    for (const lastUsedAt of [null, new Date(Date.now() - 30_000), new Date(Date.now() - 61_000)]) {
      await prisma.apiToken.updateMany({ where: { id }, data: { lastUsedAt } });
      await find(token);
      await sleep(100); // The last use is recorded asynchronously.
      uses.push((await rowOf(id)).lastUsedAt);
    }
    const ages = uses.map((use) => use && Math.round((Date.now() - use.getTime()) / 30_000));
    expect(ages).toEqual([null, 0, 1, 0]);
  });

  test.each([
    ['a user of another company', { companyId: other.id }, /not an active member/],
    ['a company that is a sandbox itself', { companyId: acme.sandbox.id }, /not an active member/],
    ['a user of another company', { userId: other.id }, /not an active member/],
    ['an empty name', { name: ' ' }, /must not be empty/],
    ['a name of two lines', { name: 'a\nb' }, /control characters/],
    ['an endless name', { name: 'x'.repeat(201) }, /at most 200 characters/],
  ])('is not created for %s', async (_what, change, message) => {
    for (const live of [true, false]) {
      const making = createToken(prisma, { ...ofAnn, live, ...change });
      const error: unknown = await making.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ServiceError);
      // The instance was checked.
      const { reason, fieldErrors } = error as ServiceError;
      expect(fieldErrors?.['name'] ?? reason).toMatch(message);
    }
  });
});

describe('the callers of tokens', () => {
  const open: TokenCallers[] = [];
  const callersOf = () => {
    const callers = new TokenCallers(database, 100);
    open.push(callers);
    return callers;
  };
  afterEach(() => {
    for (const callers of open.splice(0)) callers.close();
  });

  test('are looked up once by any number of requests', async () => {
    const { id, token } = await createToken(prisma, ofAnn);
    const callers = callersOf();
    statements.length = 0;
    await Promise.all(Array.from({ length: 50 }, () => callers.find(token)));
    expect(await callers.find(token)).toMatchObject({ id });
    expect(statements.filter((sql) => sql.includes('SELECT t.hash'))).toHaveLength(1);
  });

  test('stay known while their tokens are in use, by one statement for all', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => createToken(prisma, ofAnn)));
    const callers = callersOf();
    for (const { token } of made) await callers.find(token);
    statements.length = 0;
    for (const until = Date.now() + 1300; Date.now() < until; await sleep(10))
      for (const { id, token } of made) expect(await callers.find(token)).toMatchObject({ id });
    const searches = statements.filter((sql) => sql.includes('SELECT t.hash')).length;
    expect(searches).toBeGreaterThanOrEqual(2);
    expect(searches).toBeLessThanOrEqual(5);
  });

  test('are refused everywhere within a second after their token was revoked', async () => {
    const { id, token } = await createToken(prisma, ofAnn);
    const instances = [callersOf(), callersOf()];
    for (const callers of instances) expect(await callers.find(token)).toMatchObject({ id });
    await revokeToken(prisma, id);
    const revoked = performance.now();
    for (const callers of instances) {
      let accepted = 0;
      while (await callers.find(token)) {
        accepted = performance.now() - revoked;
        await sleep(5);
      }
      expect(accepted).toBeLessThan(1000);
    }
  });

  test('are looked up again after they were forgotten, also if a look-up was in progress', async () => {
    const { id, token } = await createToken(prisma, ofAnn);
    const callers = callersOf();
    const underWay = callers.find(token);
    callers.forget();
    expect(await underWay).toMatchObject({ id });
    await revokeToken(prisma, id);
    expect(await callers.find(token)).toBeNull();
  });
});

describe('a company and its members', () => {
  test('have a sandbox, with users of the same ids', async () => {
    expect(acme.sandbox).toMatchObject({ slug: 'acme-sandbox', name: 'Acme (sandbox)', sandboxOfId: acme.id });
    const rows = await prisma.user.findMany({
      where: { id: ann.id },
      select: { companyId: true, email: true, role: true },
    });
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(
      expect.arrayContaining(
        [acme.id, acme.sandbox.id].map((companyId) => ({ companyId, email: 'ann@acme.test', role: 'ADMIN' })),
      ),
    );
  });

  test('have one id per person in all companies', async () => {
    await prisma.person.update({ where: { id: ann.id }, data: { emailVerifiedAt: new Date() } });
    const there = { companyId: other.id, email: ' Ann@ACME.test', fullName: 'Ann O.', role: 'MEMBER' } as const;
    expect(await createUser(prisma, there)).toMatchObject({ id: ann.id, email: 'ann@acme.test', fullName: 'Ann O.' });
  });

  test('have one id per person also when they are created at the same time', async () => {
    const companies = await Promise.all(
      [1, 2, 3, 4].map((n) => createCompany(prisma, { slug: `many-${n}`, name: 'Many' })),
    );
    const email = 'one@person.example';
    await prisma.person.create({ data: { email, fullName: 'One Person', emailVerifiedAt: new Date() } });
    const made = await Promise.all(
      companies.map(({ id: companyId }) =>
        createUser(prisma, { companyId, email, fullName: 'One Person', role: 'MEMBER' }),
      ),
    );
    const [{ id } = {}] = made;
    expect(made.map((user) => user.id)).toEqual(companies.map(() => id));
    expect(await prisma.person.findMany({ where: { email } })).toMatchObject([{ id, fullName: 'One Person' }]);
    // In each company and its sandbox.
    expect(await prisma.user.count({ where: { id } })).toBe(8);
  });

  test.each([
    ['acme', 'a company with the slug "acme" already exists'],
    ['Acme', 'must consist of lowercase letters'],
    ['a b', 'must consist of lowercase letters'],
    ['-a', 'must consist of lowercase letters'],
    ['a--b', 'must consist of lowercase letters'],
    ['', 'must consist of lowercase letters'],
    ['x-sandbox', 'reserved for sandboxes'],
    ['x'.repeat(93), 'at most 92 characters'],
  ])('the slug "%s" is invalid', async (slug, message) => {
    const making = createCompany(prisma, { slug, name: 'X' });
    await expect(making).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      fieldErrors: { slug: expect.stringContaining(message) },
    });
  });

  test.each([
    [{ email: 'ANN@acme.test' }, 'email', 'ann@acme.test is already a member'],
    [{ email: 'ann' }, 'email', 'must be an email address'],
    [{ email: 'ann@b-.com' }, 'email', 'must be an email address'],
    [{ email: 'a!b@acme.test' }, 'email', 'must be an email address that people can sign in with'],
    [{ email: `${'a'.repeat(65)}@acme.test` }, 'email', 'at most 64 characters before the @'],
    [{ fullName: '' }, 'fullName', 'must not be empty'],
  ] as const)('the user %j is refused', async (change, field, message) => {
    const given = { companyId: acme.id, email: 'bob@acme.test', fullName: 'Bob', role: 'MEMBER', ...change } as const;
    await expect(createUser(prisma, given)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      fieldErrors: { [field]: expect.stringContaining(message) },
    });
  });

  test.each([
    ['is a sandbox', () => acme.sandbox.id],
    ['does not exist', () => ann.id],
  ])('no user is created in a company that %s', async (_, id) => {
    const given = { companyId: id(), email: 'bob@acme.test', fullName: 'Bob', role: 'MEMBER' } as const;
    await expect(createUser(prisma, given)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('are created completely or not at all', async () => {
    await prisma.company.create({ data: { slug: 'half-sandbox', name: 'In the way' } });
    await expect(createCompany(prisma, { slug: 'half', name: 'Half' })).rejects.toMatchObject({
      fieldErrors: { slug: expect.stringContaining('already exists') },
    });
    expect(await prisma.company.findUnique({ where: { slug: 'half' } })).toBeNull();
  });
});
