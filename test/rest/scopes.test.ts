import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../src/rest/routes.ts';
import { fill } from '../support/rows.ts';
import { callersOf, familyOf, scopeCases, takesScope } from '../support/scopes.ts';
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

const nobody = new Proxy({}, { get: () => randomUUID() });
const all = routes()
  .filter(({ operation }) => takesScope(operation.access))
  .map(({ method, path }) => [String(method), path] as const);

describe.each(all)('%s %s', (method, path) => {
  const sent = method === 'GET' ? {} : { body: {} };

  test.each(scopeCases(familyOf(path), method === 'GET' ? 'read' : 'write'))(
    'with %j: allowed %s',
    async (scopes, allowed) => {
      const client = await callerWith(scopes);
      const reply = await client.request(method, fill(path, nobody), sent);
      // 409: a person cannot be clocked in twice.
      if (allowed) expect([200, 201, 404, 409, 422]).toContain(reply.status);
      else expect(reply).toMatchObject({ status: 403, error: { code: 'INSUFFICIENT_SCOPE' } });
    },
  );

  test('without a token: 401', async () => {
    const reply = await service.anonymous.request(method, fill(path, nobody), sent);
    expect(reply).toMatchObject({ status: 401, error: { code: 'INVALID_TOKEN' } });
    expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });
});

test('a token that is not one, mistyped, unknown, expired or revoked: 401', async () => {
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
