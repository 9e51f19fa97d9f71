// Two instances behind a PgBouncer of Debian's, which shares sessions between transactions and carries no prepared
// statements. It needs PostgreSQL and PgBouncer.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { examineConnections } from '../src/database/pooler.ts';
import type { Client } from './support/client.ts';
import { testDatabaseUrl, withoutTables } from './support/database.ts';
import { Pooler, pgbouncer } from './support/pgbouncer.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { onServer } from './support/template.ts';

const withPooler = process.env.TEST_DATABASE_URL && pgbouncer ? describe : describe.skip;

withPooler('behind a pooler of transactions', () => {
  // Of its own, as its settings change.
  const role = `pooled_${process.pid}`;
  let pooler: Pooler;
  let direct: { url: string; drop: () => Promise<unknown> };
  let pooled: string;
  beforeAll(async () => {
    direct = await testDatabaseUrl(withoutTables);
    await onServer(`CREATE ROLE ${role} LOGIN SUPERUSER`);
    const url = new URL(direct.url);
    url.username = role;
    direct.url = url.href;
    pooler = await Pooler.start(direct.url, 4);
    pooled = pooler.through(direct.url);
  });
  afterAll(async () => {
    await killAll();
    await pooler.stop();
    await direct.drop();
    await onServer(`DROP ROLE ${role}`);
  });

  test('a direct connection is told from one that is shared', async () => {
    expect(await examineConnections({ databaseUrl: direct.url, preparesStatements: true })).toEqual({
      isShared: false,
    });
    expect(await examineConnections({ databaseUrl: pooled, preparesStatements: false })).toEqual({ isShared: true });
    await expect(examineConnections({ databaseUrl: pooled, preparesStatements: true })).rejects.toThrow(
      'DATABASE_PREPARE=false',
    );
  });

  test('a start is refused that would prepare statements', async () => {
    const service = await ServiceProcess.start({ DATABASE_URL: pooled });
    expect(await service.ended).toBe(1);
    expect(service.stderr).toContain('does not carry prepared statements. Set DATABASE_PREPARE=false');
  });

  test('a start is refused while the role lacks settings, and says which', async () => {
    const env = { DATABASE_URL: pooled, DATABASE_PREPARE: 'false' };
    const refused = await ServiceProcess.start(env);
    expect(await refused.ended).toBe(1);
    const statements = refused.stderr.match(/ALTER ROLE .*;/g) ?? [];
    expect(statements.map((sql) => / SET (\w+) /.exec(sql)?.[1])).toEqual(
      expect.arrayContaining([
        'statement_timeout',
        'lock_timeout',
        'idle_in_transaction_session_timeout',
        'work_mem',
        'jit',
      ]),
    );
    for (const sql of statements) await onServer(sql);
    await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`);
  });

  test('two instances answer many different requests at once as one does directly', async () => {
    const env = { DATABASE_URL: pooled, DATABASE_PREPARE: 'false' };
    const one = await (await ServiceProcess.start(env)).ready({ greeting: true });
    const other = await (await ServiceProcess.start(env)).ready();
    const alone = await (await ServiceProcess.start({ DATABASE_URL: direct.url })).ready();
    await onServer('UPDATE api_tokens SET rate_limit = 1000000', direct.url);
    const { token } = one;
    const routes = [
      '/service-requests',
      '/paints',
      '/assets',
      '/buildings',
      '/users',
      '/vendors',
      '/desks',
      '/leases',
      '/shipments',
      '/purchase-orders',
      '/notes',
      '/reminders',
      '/checklists',
      '/inventory/items',
      '/invoices',
      '/time-clock/records',
    ];
    const queries = [{}, { limit: 3 }, { sort: '-created_at', limit: 5 }, { search: 'a', limit: 2 }];
    const requests = routes.flatMap((path) => queries.map((query) => ({ path, query })));
    const answer = async (client: Client, { path, query }: (typeof requests)[number]) => {
      const { status, text } = await client.get(path, query);
      return `${status} ${text.replace(/"request_id":"[^"]*"/, '')}`;
    };
    const expected: string[] = [];
    for (const each of requests) expected.push(await answer(alone.client(token), each));
    expect(expected.filter((text) => text.startsWith('200')).length).toBeGreaterThan(40);

    const wrong: string[] = [];
    const writes: number[] = [];
    await Promise.all(
      [one, other, one, other, one, other].map(async (service, worker) => {
        const client = service.client(token);
        for (let n = 0; n < requests.length * 2; n++) {
          const chosen = (n * 7 + worker * 11) % requests.length;
          const text = await answer(client, requests[chosen] as (typeof requests)[number]);
          if (text !== expected[chosen]) wrong.push(text.slice(0, 300));
          if (n % 10 === 0) {
            // Transactions of several statements: of a table that none of the requests above reads.
            const { status, row } = await client.post('/procurement/requisitions', {
              title: `${worker} ${n}`,
              line_items: [],
            });
            writes.push(status);
            if (status === 201)
              writes.push((await client.delete(`/procurement/requisitions/${String(row['id'])}`)).status);
          }
        }
      }),
    );
    expect(wrong).toEqual([]);
    expect(writes.filter((status) => status >= 500)).toEqual([]);
    // Nobody has changed the sessions that all share.
    const { rows } = await onServer(`SELECT current_setting('statement_timeout') AS timeout`, pooled);
    expect(rows).toEqual([{ timeout: '30s' }]);
    expect([await one.stop(), await other.stop(), await alone.stop()]).toEqual([0, 0, 0]);
  });
});
