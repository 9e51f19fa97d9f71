import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from './support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('health checks reject other methods', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const [options, ...others] = await Promise.all(
      ['OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => fetch(service.origin + path, { method })),
    );
    expect([options?.status, ...others.map(({ status }) => status)]).toEqual([204, 405, 405, 405, 405]);
    for (const { headers } of others) expect(headers.get('allow')).toBe(options?.headers.get('allow'));
  }
});

test.each([
  ['a column', 'ALTER TABLE paints RENAME brand TO make', 'ALTER TABLE paints RENAME make TO brand'],
  [
    'a migration',
    `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name LIKE '%_init'`,
    'UPDATE _prisma_migrations SET finished_at = started_at WHERE finished_at IS NULL',
  ],
])('the service is not ready while %s is missing', async (_, remove, restore) => {
  const ready = () => service.anonymous.at('').get('/readyz');
  expect((await ready()).status).toBe(200);
  await service.database.query({ text: remove });
  await sleep(1000);
  const { status, error } = await ready();
  expect([status, error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  await service.database.query({ text: restore });
  expect((await ready()).status).toBe(200);
});

test('there are no metrics without METRICS_TOKEN', async () => {
  const { status, error } = await service.anonymous.at('').get('/metrics', {}, { authorization: 'Bearer undefined' });
  expect([status, error.code]).toEqual([404, 'NOT_FOUND']);
});
