// Streams of subscriptions: when they end, and how many there can be.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Client } from '../support/client.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import { type Service, startService, type Tenant } from '../support/service.ts';
import { Listening, listeners, paints } from '../support/subscription.ts';

let service: Service;
let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  service = await startService({ MAX_REQUESTS_WAITING: '24', MAX_REQUESTS_WAITING_PER_TOKEN: '3' });
});
afterAll(() => service.close());
// Another company for each test, as listeners are counted by caller and company.
beforeEach(async () => {
  tenant = await service.tenant();
  client = await tenant.client();
});

const { listen, closeAll } = listeners(() => service);
afterEach(closeAll);

describe('the end of a subscription', () => {
  test.each<[string, (where: { companyId: string }) => Promise<unknown>]>([
    [
      'its token is revoked',
      (where) => service.database.prisma.apiToken.updateMany({ where, data: { revokedAt: new Date() } }),
    ],
    [
      'its token expires',
      (where) =>
        service.database.prisma.apiToken.updateMany({ where, data: { expiresAt: new Date(Date.now() - 1000) } }),
    ],
    [
      'its user is deactivated',
      (where) => service.database.prisma.user.updateMany({ where, data: { deactivatedAt: new Date() } }),
    ],
  ])('%s', async (_when, change) => {
    const listening = await listen(client, paints);
    await client.post('/paints', { name: 'Sage' });
    await listening.received(1);
    await change({ companyId: tenant.company.id });
    const startedAt = performance.now();
    await listening.ended();
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(listening.isComplete).toBe(true);
    expect(listening.payloads[1]).toMatchObject({
      errors: [{ extensions: { code: 'INVALID_TOKEN' } }],
      extensions: { position: expect.any(String) },
    });
  });

  test('a service that stops sends the position to continue from', async () => {
    const other = await startService();
    const reader = await (await other.tenant()).client();
    await waitForOlderTransactions(other.database);
    const listening = await Listening.open(reader, paints);
    await reader.post('/paints', { name: 'Sage' });
    await listening.received(1);
    const startedAt = performance.now();
    await other.close();
    expect(performance.now() - startedAt).toBeLessThan(5000);
    await listening.ended();
    expect(listening.payloads[1]).toMatchObject({
      errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }],
      extensions: { position: expect.any(String) },
    });
  });
});

test('a caller has a limited number of subscriptions at once, and each counts as one request', async () => {
  const reader = await tenant.client(['*'], { rateLimit: 100 });
  const first = await listen(reader, paints);
  for (let n = 1; n < 3; n++) expect((await listen(reader, paints)).status).toBe(200);
  expect(first.status).toBe(200);
  const fourth = await listen(reader, paints);
  expect([fourth.status, fourth.headers['retry-after']]).toEqual([429, '1']);
  expect(fourth.headers['x-ratelimit-remaining']).toBe('96');
  first.close();
  for (let status: unknown = 429; status === 429; await sleep(20)) ({ status } = await listen(reader, paints));
});

test('identical subscriptions share their statements', async () => {
  const readers = await Promise.all(Array.from({ length: 4 }, () => tenant.client()));
  const all: Listening[] = [];
  for (const reader of readers) for (let n = 0; n < 2; n++) all.push(await listen(reader, paints));
  // Listeners share the reads of the log once they have received an event together.
  await client.post('/paints', { name: 'One' });
  for (const each of all) await each.received(1);
  await sleep(600);
  service.statements.length = 0;
  await service.database.prisma.paint.create({
    data: { companyId: tenant.company.id, name: 'Two', updatedAt: new Date() },
  });
  for (const each of all) await each.received(2);
  const reads = service.statements.filter(
    (sql) => /"?paints"?|FROM changes WHERE company_id = \$/.test(sql) && !/INSERT/.test(sql),
  );
  expect(reads.length).toBeLessThanOrEqual(3);
});
