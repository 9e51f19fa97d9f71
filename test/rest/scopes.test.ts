import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../support/api.ts';
import { fill } from '../support/rows.ts';
import { callersOf, groupOf, scopeCases, takesScope } from '../support/scopes.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';

let service: Service;
let tenant: Tenant;
let callerWith: ReturnType<typeof callersOf>;
beforeAll(async () => {
  service = await startService();
  tenant = await service.tenant();
  callerWith = callersOf(tenant);
});
afterAll(() => service.close());

const unknownIds = new Proxy({}, { get: () => randomUUID() });
const all = routes()
  .filter(({ operation }) => takesScope(operation.access))
  .map(({ method, path, operation }) => [String(method), path, operation.action] as const);

describe.each(all)('%s %s', (method, path, action) => {
  // A change of all rows that match requires parameters.
  const answers = [200, 201, 404, 409, 422, ...(/^(update|delete)Many$/.test(action) ? [400] : [])];
  const sent = method === 'GET' ? {} : { body: {} };

  test.each(scopeCases(groupOf(path), method === 'GET' ? 'read' : 'write'))('%s', async (_, scopes, allowed) => {
    const reply = await (await callerWith(scopes)).request(method, fill(path, unknownIds), sent);
    // 409: a person cannot be clocked in twice.
    if (allowed) expect(answers).toContain(reply.status);
    else expect(reply).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } });
  });

  test('without a token: 401', async () => {
    const reply = await service.anonymous.request(method, fill(path, unknownIds), sent);
    expect(reply).toMatchObject({ status: 401, error: { code: 'INVALID_TOKEN' } });
    expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });
});

test.each([
  ['*:read', 200, 403],
  ['*:write', 403, 422],
  ['*', 200, 422],
])('with %s, GET returns %d and POST %d', async (scope, get, post) => {
  const client = await callerWith([scope]);
  expect([(await client.get('/paints')).status, (await client.post('/paints', {})).status]).toEqual([get, post]);
});

test('a malformed, mistyped, unknown, expired or revoked token: 401', async () => {
  const { prisma } = service.database;
  const client = await tenant.client();
  const good = client.token ?? '';
  const expired = (await tenant.client()).token;
  await prisma.apiToken.updateMany({
    where: { id: (await newest()).id },
    data: { expiresAt: new Date(Date.now() - 1) },
  });
  const revoked = (await tenant.client()).token;
  await prisma.apiToken.updateMany({ where: { id: (await newest()).id }, data: { revokedAt: new Date() } });
  const mistyped = good.replace(/.$/, good.endsWith('0') ? '1' : '0');

  for (const header of [
    'Bearer',
    'Bearer ',
    'Bearer x',
    `Basic ${good}`,
    good,
    `Bearer ${mistyped}`,
    `Bearer ${expired}`,
    `Bearer ${revoked}`,
    `Bearer ${good} x`,
  ]) {
    const reply = await service.anonymous.get('/paints', {}, { authorization: header });
    expect({ header, status: reply.status, code: reply.error.code }).toEqual({
      header,
      status: 401,
      code: 'INVALID_TOKEN',
    });
  }
  expect((await service.anonymous.get('/paints', {}, { authorization: `bearer ${good}` })).status).toBe(200);

  async function newest() {
    return prisma.apiToken.findFirstOrThrow({ orderBy: { id: 'desc' } });
  }
});
