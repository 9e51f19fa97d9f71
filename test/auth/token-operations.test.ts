import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { scopes as allScopes } from '../../src/auth/scopes.ts';
import { isWellFormed } from '../../src/auth/tokens.ts';
import { routes } from '../support/api.ts';
import { type Browser, signInAll } from '../support/browser.ts';
import { Client, errorCodes, type Row } from '../support/client.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let acme: Tenant;
let admin: Browser;
let executive: Browser;
let member: Browser;
/** The admin of another company. */
let anonymous: Browser;
beforeAll(async () => {
  service = await startService();
  acme = await service.tenant('acme');
  ({ admin, executive, member } = await signInAll(service, acme));
  ({ admin: anonymous } = await signInAll(service, await service.tenant('other')));
});
afterAll(() => service.close());

const fields =
  'id name scopes live state rateLimit expiresAt lastUsedAt revokedAt createdAt owner { id fullName email }';
const create = (browser: Client, input: Row) =>
  browser.graphql<{ createApiToken: { token: string; apiToken: Row } | null }>(
    `mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) { token apiToken { ${fields} } } }`,
    { input },
  );
/** Creates a token with the scope to read paints. */
async function made(browser: Client, input: Row = {}) {
  const { data, errors } = await create(browser, { name: 'Reports', scopes: ['paint:read'], ...input });
  expect(errors).toEqual([]);
  return { id: String(data.createApiToken?.apiToken['id']), token: data.createApiToken?.token ?? '' };
}
const list = async (browser: Client, field = 'myApiTokens', args = '') =>
  (await browser.graphql<Record<string, Row[] | null>>(`{ ${field}${args} { ${fields} } }`)).data[field] ?? null;
const idsOf = async (...args: Parameters<typeof list>) => (await list(...args))?.map(({ id }) => id);
const revoke = (browser: Client, id: string) =>
  browser.graphql(`mutation ($id: ID!) { revokeApiToken(id: $id) { id state revokedAt } }`, { id });
const limit = (browser: Client, id: string, rateLimit: unknown) =>
  browser.graphql(
    `mutation ($id: ID!, $rateLimit: Int) { setApiTokenRateLimit(id: $id, rateLimit: $rateLimit) { id rateLimit } }`,
    { id, rateLimit },
  );
const statusOf = async (token: string) => (await new Client(service.origin, token).get('/paints')).status;

describe('creating a token', () => {
  test('is possible while the user has fewer than 100 valid ones', async () => {
    const tenant = await service.tenant();
    const [{ id: userId = '' } = {}] = tenant.users;
    const { admin: owner } = await signInAll(service, tenant);
    const companyId = tenant.company.id;
    const tokens = (count: number, more: { revokedAt?: Date; expiresAt?: Date } = {}) =>
      Array.from({ length: count }, () => ({ companyId, userId, name: 'x', hash: randomBytes(32), ...more }));
    const past = new Date(0);
    await service.database.prisma.apiToken.createMany({
      data: [...tokens(98), ...tokens(5, { revokedAt: past }), ...tokens(5, { expiresAt: past })],
    });
    const { id } = await made(owner);
    await made(owner, { live: false });
    expect(errorCodes(await create(owner, { name: 'One more', scopes: ['paint:read'] }))).toEqual([
      { code: 'CONFLICT' },
    ]);
    await revoke(owner, id);
    await made(owner);
  });

  test('is possible for exactly 100 when several are created at once', async () => {
    const tenant = await service.tenant();
    const [{ id: userId = '' } = {}] = tenant.users;
    const { admin: owner } = await signInAll(service, tenant);
    const companyId = tenant.company.id;
    const data = Array.from({ length: 95 }, () => ({ companyId, userId, name: 'x', hash: randomBytes(32) }));
    await service.database.prisma.apiToken.createMany({ data });
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => create(owner, { name: 'Race', scopes: ['paint:read'], live: n % 2 === 0 })),
    );
    expect(replies.filter(({ errors }) => errors.length === 0)).toHaveLength(5);
    const refused = replies.filter(({ errors }) => errors.length > 0);
    expect(refused.map(errorCodes)).toEqual(Array(15).fill([{ code: 'CONFLICT' }]));
    expect(refused[0]?.errors[0]?.message).toContain('100 valid tokens');
    expect(await service.database.prisma.apiToken.count({ where: { userId } })).toBe(100);
  });

  test('returns it once, and it is valid at once', async () => {
    const { data } = await create(member, {
      name: ' Reports ',
      scopes: ['paint:read', 'notes:write', 'paint:read'],
      expiresAt: '2999-01-01T00:00:00Z',
    });
    const { token = '', apiToken } = data.createApiToken ?? {};
    const [, , cleo] = acme.users;
    expect(isWellFormed(token) && token.startsWith('svc_live_')).toBe(true);
    expect(apiToken).toEqual({
      id: expect.any(String),
      name: 'Reports',
      scopes: ['paint:read', 'notes:write'],
      live: true,
      state: 'VALID',
      rateLimit: null,
      expiresAt: '2999-01-01T00:00:00.000Z',
      lastUsedAt: null,
      revokedAt: null,
      createdAt: expect.any(String),
      owner: { id: cleo?.id, fullName: 'Cleo acme', email: 'cleo@acme.example' },
    });
    const client = new Client(service.origin, token);
    expect((await client.get('/paints')).status).toBe(200);
    expect((await client.post('/paints', { name: 'x' })).status).toBe(403);
    expect((await client.get('/paints')).headers.get('x-ratelimit-limit')).toBe('1000000');
    const [listed] = (await list(member)) ?? [];
    expect(listed).toEqual({ ...apiToken, lastUsedAt: expect.any(String) });
    expect(JSON.stringify(await list(member))).not.toContain(token.slice(9));
    // It acts as its creator.
    expect((await client.post('/notes', { title: 'By a token' })).row['user_id']).toBe(cleo?.id);
  });

  test('for the sandbox works from either company', async () => {
    const { token } = await made(member, { live: false });
    expect(token).toMatch(/^svc_test_/);
    await new Client(service.origin, (await made(admin, { scopes: ['paint:write'] })).token).post('/paints', {
      name: 'Live',
    });
    expect((await new Client(service.origin, token).get('/paints', { name: 'Live' })).meta.total).toBe(0);
    expect(await list(member)).toContainEqual(expect.objectContaining({ live: false, state: 'VALID' }));

    await member.at('').patch('/auth/session', { company_id: acme.company.sandbox.id });
    const { token: live } = await made(member, { name: 'From the sandbox' });
    expect((await new Client(service.origin, live).get('/paints', { name: 'Live' })).meta.total).toBe(1);
    const seen = await idsOf(member);
    await member.at('').patch('/auth/session', { company_id: acme.company.id });
    expect(await idsOf(member)).toEqual(seen);
  });

  test("is limited to the creator's scopes", async () => {
    const grantable = async (browser: Browser) =>
      (await browser.graphql<{ me: { grantableScopes: string[] } }>('{ me { grantableScopes } }')).data.me
        .grantableScopes;
    expect(await grantable(admin)).toEqual(allScopes);
    expect(await grantable(executive)).toEqual(allScopes);
    expect(await grantable(member)).toEqual(allScopes.filter((scope) => scope !== '*'));
    for (const scope of allScopes) {
      expect({ scope, codes: errorCodes(await create(executive, { name: scope, scopes: [scope] })) }).toEqual({
        scope,
        codes: [],
      });
      const refused =
        scope === '*'
          ? [{ code: 'VALIDATION_ERROR', details: { scopes: 'must not include scopes that you do not have: *' } }]
          : [];
      expect({ scope, codes: errorCodes(await create(member, { name: scope, scopes: [scope] })) }).toEqual({
        scope,
        codes: refused,
      });
    }
  });

  test('reports all errors at once', async () => {
    const before = await idsOf(admin);
    for (const [input, details] of [
      [{ name: ' ', scopes: [], expiresAt: '2001-01-01' }, ['expiresAt', 'name', 'scopes']],
      [{ name: 'x'.repeat(201), scopes: ['paints:read'] }, ['name', 'scopes']],
      [{ name: 'a\nb', scopes: ['users:write'] }, ['name', 'scopes']],
      [{ scopes: ['*'] }, ['name']],
      [{ name: 'x' }, ['scopes']],
      [{ name: 'x', scopes: ['*'], rateLimit: 9 }, ['rateLimit']],
    ] as [Row, string[]][]) {
      const { errors, data } = await create(admin, input);
      expect({
        input,
        data: data?.createApiToken ?? null,
        code: errors[0]?.extensions.code,
        details: Object.keys(errors[0]?.extensions.details ?? {}).sort(),
      }).toEqual({ input, data: null, code: 'VALIDATION_ERROR', details });
    }
    expect((await create(admin, { name: '  ', scopes: ['*'] })).errors[0]?.extensions.details).toEqual({
      name: 'must not be empty',
    });
    expect(
      (await create(admin, { name: 'x', scopes: ['inventry:read'] })).errors[0]?.extensions.details?.['scopes'],
    ).toContain('did you mean "inventory:read"?');
    expect(await idsOf(admin)).toEqual(before);
  });
});

describe('tokens of other members', () => {
  test('are visible to admins only', async () => {
    const ids = [(await made(admin)).id, (await made(executive)).id, (await made(member, { live: false })).id];
    const all = await idsOf(admin, 'companyApiTokens');
    expect(all).toEqual(expect.arrayContaining(ids));
    for (const browser of [executive, member]) {
      const refused = await browser.graphql('{ companyApiTokens { id } me { id } }');
      expect(refused).toMatchObject({ status: 200, data: { companyApiTokens: null, me: { id: expect.any(String) } } });
      expect(errorCodes(refused)).toEqual([{ code: 'INSUFFICIENT_SCOPE' }]);
    }
    expect(await idsOf(anonymous, 'companyApiTokens')).toEqual([]);
    for (const [browser, mine] of [
      [admin, ids[0]],
      [executive, ids[1]],
      [member, ids[2]],
    ] as const) {
      expect((await idsOf(browser))?.filter((id) => ids.includes(String(id)))).toEqual([mine]);
    }
  });

  test('are revoked by admins only', async () => {
    const { id, token } = await made(member);
    for (const browser of [executive, anonymous])
      expect(errorCodes(await revoke(browser, id))).toEqual([{ code: 'NOT_FOUND' }]);
    expect(await statusOf(token)).toBe(200);
    expect(await revoke(admin, id)).toMatchObject({
      data: { revokeApiToken: { id, state: 'REVOKED', revokedAt: expect.any(String) } },
      errors: [],
    });
    expect(await statusOf(token)).toBe(401);
  });

  test('have their rate limits set by admins only', async () => {
    const { id, token } = await made(member);
    for (const browser of [executive, member])
      expect(errorCodes(await limit(browser, id, 1_000_000))).toEqual([{ code: 'INSUFFICIENT_SCOPE' }]);
    expect(errorCodes(await limit(anonymous, id, 7))).toEqual([{ code: 'NOT_FOUND' }]);
    const limitOf = async () =>
      (await new Client(service.origin, token).get('/paints')).headers.get('x-ratelimit-limit');
    expect(await limit(admin, id, 7)).toMatchObject({ data: { setApiTokenRateLimit: { id, rateLimit: 7 } } });
    expect(await limitOf()).toBe('7');
    for (const wrong of [0, -1, 1_000_000_001])
      expect(errorCodes(await limit(admin, id, wrong))).toMatchObject([
        { code: 'VALIDATION_ERROR', details: { rateLimit: expect.any(String) } },
      ]);
    expect(await limitOf()).toBe('7');
    expect(await limit(admin, id, null)).toMatchObject({ data: { setApiTokenRateLimit: { rateLimit: null } } });
    expect(await limitOf()).toBe('1000000');
  });
});

test('revoking is permanent, and revoked tokens are listed on request', async () => {
  const { id, token } = await made(member, { name: 'Soon gone' });
  const first = await revoke(member, id);
  expect(first).toMatchObject({ data: { revokeApiToken: { state: 'REVOKED' } } });
  expect(await statusOf(token)).toBe(401);
  expect((await revoke(member, id)).data).toEqual(first.data);
  expect(await idsOf(member)).not.toContain(id);
  expect(await list(member, 'myApiTokens', '(includeRevoked: true)')).toContainEqual(
    expect.objectContaining({ id, state: 'REVOKED' }),
  );
  expect(await idsOf(admin, 'companyApiTokens', '(includeRevoked: true)')).toContain(id);
  expect(errorCodes(await revoke(admin, randomUUID()))).toEqual([{ code: 'NOT_FOUND' }]);
});

test('an expired token is marked as expired', async () => {
  const { id, token } = await made(member);
  await service.database.prisma.apiToken.updateMany({
    where: { id },
    data: { expiresAt: new Date(Date.now() - 1000) },
  });
  expect(await list(member)).toContainEqual(expect.objectContaining({ id, state: 'EXPIRED' }));
  expect(await statusOf(token)).toBe(401);
});

test('tokens end with the membership', async () => {
  const company = await service.tenant('leaving');
  const { executive: leaver } = await signInAll(service, company);
  const { token } = await made(leaver);
  await service.database.prisma.user.deleteMany({ where: { id: company.users[1]?.id } });
  expect(await statusOf(token)).toBe(401);
});

test.each([
  ['me', '{ me { id } }'],
  ['myApiTokens', '{ myApiTokens { id } }'],
  ['companyApiTokens', '{ companyApiTokens { id } }'],
  ['createApiToken', 'mutation { createApiToken(input: {name: "x", scopes: ["paint:read"]}) { token } }'],
  ['revokeApiToken', `mutation { revokeApiToken(id: "${randomUUID()}") { id } }`],
  ['setApiTokenRateLimit', `mutation { setApiTokenRateLimit(id: "${randomUUID()}", rateLimit: 5) { id } }`],
])('%s rejects API tokens, and is not in REST', async (field, query) => {
  const client = await acme.client(['*']);
  const before = await service.database.prisma.apiToken.count();
  const reply = await client.graphql(query);
  expect(reply.data).toEqual({ [field]: null });
  expect(reply.errors).toMatchObject([
    { path: [field], extensions: { code: 'INVALID_TOKEN', status: 401 }, message: expect.stringContaining('session') },
  ]);
  expect(await service.database.prisma.apiToken.count()).toBe(before);
  expect(routes().some(({ operation }) => operation.field === field)).toBe(false);
  expect((await client.get('/api-tokens')).status).toBe(404);
});

test('errors quote the beginning of long values', async () => {
  const long = 'x'.repeat(400_000);
  const settings = { name: long, emailReplyTo: long };
  for (const { errors } of [
    await create(admin, { name: 'n', scopes: [long] }),
    await create(admin, { name: 'n', scopes: Array.from({ length: 1000 }, (_, n) => `${long.slice(0, 500)}${n}`) }),
    await admin.graphql('mutation ($input: InviteUserInput!) { inviteUser(input: $input) { __typename } }', {
      input: { email: long, fullName: long, role: 'MEMBER' },
    }),
    await admin.graphql(
      'mutation ($input: UpdateCompanySettingsInput!) { updateCompanySettings(input: $input) { name } }',
      { input: settings },
    ),
  ]) {
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_ERROR' } }]);
    expect(JSON.stringify(errors).length).toBeLessThan(3000);
  }
});
