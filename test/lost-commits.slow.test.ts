// A standby that does not confirm commits takes over, and lacks one that precedes another which it has. Whoever has
// read the lost one is told; all others go on. It needs PostgreSQL's server programs, as it starts servers of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { openDatabase } from '../src/database/index.ts';
import type { Reply, Row } from './support/client.ts';
import { PostgresServer, programs } from './support/postgresql.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { insertTenant } from './support/tenant.ts';

// It runs once: with the tests of PostgreSQL.
const onServers = process.env.TEST_DATABASE_URL && programs ? describe : describe.skip;

const name = 'premises';

onServers('an asynchronous standby that takes over', () => {
  const servers: PostgresServer[] = [];
  afterAll(async () => {
    await killAll();
    for (const server of servers.reverse()) await server.remove();
  });

  test('has lost commits, of which those who have read them are told', async () => {
    const primary = await PostgresServer.start();
    servers.push(primary);
    await primary.sql(`CREATE DATABASE ${name}`);
    const standby = await primary.startFollower();
    servers.push(standby);
    const url = `postgresql://premises@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${name}`;
    const service = await ServiceProcess.start({ DEMO: 'false', DATABASE_URL: url });
    await service.ready();
    const database = await openDatabase({ databaseUrl: url, dataDir: '' });
    const { company, client: clientOf } = await insertTenant(service.origin, database, 'acme');
    const client = await clientOf(['*'], { rateLimit: 1_000_000 });
    await database.close();

    /** A transaction that has added a paint, and goes on. */
    const paint = async (label: string) => {
      const connection = new pg.Client({ connectionString: primary.url(name) });
      connection.on('error', () => {});
      await connection.connect();
      await connection.query(`BEGIN`);
      await connection.query(
        `INSERT INTO paints (company_id, id, name, updated_at) VALUES ('${company.id}', gen_random_uuid(), '${label}', now())`,
      );
      return connection;
    };
    const read = (after?: string) =>
      client.get('/changes', { resource: 'paints', ...(after !== undefined && { after }) });
    const pageOf = ({ row }: Reply) => row as unknown as { changes: { after: Row }[]; next: string };
    const namesIn = (reply: Reply) => pageOf(reply).changes.map(({ after }) => after['name']);
    const next = (reply: Reply) => pageOf(reply).next;

    await (await paint('Kept')).query('COMMIT');
    const early = await read();
    expect(namesIn(early)).toEqual(['Kept']);
    // The first one to begin is the last one to end.
    const lost = await paint('Lost');
    await (await paint('Also kept')).query('COMMIT');
    await sleep(1000); // it reaches the standby
    await standby.sql(`ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=1'`);
    await standby.sql('SELECT pg_reload_conf()');
    await sleep(1000); // it follows no longer
    await lost.query('COMMIT');
    const late = await read(next(early));
    expect(namesIn(late)).toEqual(['Lost', 'Also kept']);

    await primary.crash();
    await standby.sql('SELECT pg_promote()');
    const deadline = Date.now() + 30_000;
    while ((await client.get('/paints')).status !== 200 && Date.now() < deadline) await sleep(100);
    expect((await client.get('/paints')).rows.map((row) => row['name'])).not.toContain('Lost');

    const goesOn = await read(next(early));
    expect([goesOn.status, namesIn(goesOn)]).toEqual([200, ['Also kept']]);
    const isTold = await read(next(late));
    expect([isTold.status, isTold.error.code]).toEqual([410, 'GONE']);
    // A position of the present server is as good as it was.
    expect((await read(next(goesOn))).status).toBe(200);
  });
});
