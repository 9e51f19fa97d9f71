import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from './support/service.ts';
import { onServer } from './support/template.ts';

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

test('the service is not ready while a column or a migration is missing', async () => {
  const { database, anonymous } = service;
  const ready = () => anonymous.at('').get('/readyz');
  const expectNotReady = async () =>
    expect(await ready()).toMatchObject({ status: 503, error: { code: 'SERVICE_UNAVAILABLE' } });
  expect((await ready()).status).toBe(200);
  await database.query({ text: 'ALTER TABLE paints RENAME brand TO make' });
  await sleep(1000); // A schema that was complete is not looked at again sooner.
  await expectNotReady();
  await database.query({
    text: `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name LIKE '%_init'`,
  });
  await database.query({ text: 'ALTER TABLE paints RENAME make TO brand' });
  await expectNotReady();
  await database.query({ text: 'UPDATE _prisma_migrations SET finished_at = started_at WHERE finished_at IS NULL' });
  expect((await ready()).status).toBe(200);
});

test('a database that accepts no writes is not ready, and writes are 503', async () => {
  const { database, anonymous } = service;
  const client = await (await service.tenant()).client();
  const state = () => Promise.all([anonymous.at('').get('/readyz'), client.post('/paints', { name: 'Ochre' })]);
  expect((await state()).map(({ status }) => status)).toEqual([200, 201]);
  const { rows } = await database.query({ text: 'SELECT quote_ident(current_database()) AS name' });
  const setReadOnly = async (isReadOnly: boolean) => {
    const set = isReadOnly ? 'SET default_transaction_read_only = on' : 'RESET default_transaction_read_only';
    if (database.kind === 'embedded') return void (await database.query({ text: set }));
    await onServer(`ALTER DATABASE ${String(rows[0]?.['name'])} ${set}`);
    // New connections have the setting.
    const others = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${String(rows[0]?.['name'])}'`;
    await onServer(others);
    await sleep(100);
  };
  await setReadOnly(true);
  const graphql = await client.graphql('mutation { createPaint(input: { name: "Ochre" }) { id } }');
  const [ready, written] = await state();
  await setReadOnly(false);
  for (const reply of [ready, written]) {
    expect(reply).toMatchObject({ status: 503, error: { code: 'SERVICE_UNAVAILABLE' } });
    expect(reply?.headers.get('retry-after')).toBe('1');
  }
  expect(graphql.errors).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE' } }]);
  expect((await state()).map(({ status }) => status)).toEqual([200, 201]);
});

test('there are no metrics without METRICS_TOKEN', async () => {
  const { status, error } = await service.anonymous.at('').get('/metrics', {}, { authorization: 'Bearer undefined' });
  expect([status, error.code]).toEqual([404, 'NOT_FOUND']);
});
