// An instance whose DATABASE_URL lists a server and its synchronous standby: one is killed, restarted or stopped under
// load, and the other one takes over. It needs PostgreSQL's server programs, as it starts servers of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../src/database/index.ts';
import type { Client } from './support/client.ts';
import { CommandLine } from './support/command-line.ts';
import { PostgresServer, programs } from './support/postgresql.ts';
import { killAll, ServiceProcess } from './support/process.ts';
import { insertTenant } from './support/tenant.ts';
import { until } from './support/until.ts';
import { Writer } from './support/writer.ts';

// It runs once: with the tests of PostgreSQL.
const onServers = process.env.TEST_DATABASE_URL && programs ? describe : describe.skip;

const name = 'premises';

onServers('several hosts', () => {
  const servers: PostgresServer[] = [];
  let primary: PostgresServer;
  let standby: PostgresServer;
  let url: string;
  let service: ServiceProcess;
  let client: Client;
  let writers: Writer[];

  beforeEach(async () => {
    primary = await PostgresServer.start();
    servers.push(primary);
    await primary.sql(`CREATE DATABASE ${name}`);
    standby = await primary.startStandby();
    servers.push(standby);
    // The standby first: the order says nothing.
    url = `postgresql://premises@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/${name}`;
    service = await ServiceProcess.start({ DEMO: 'false', DATABASE_URL: url, MIGRATION_DATABASE_URL: url });
    await service.ready();
    const database = await openDatabase({ databaseUrl: url, dataDir: '' });
    const tenant = await insertTenant(service.origin, database, 'acme');
    client = await tenant.client(['*'], { rateLimit: 1_000_000 });
    await database.close();
    writers = [];
  });
  afterAll(async () => {
    await killAll();
    await Promise.all(servers.map((server) => server.remove()));
  });

  const acknowledged = () => writers.flatMap((writer) => writer.acknowledged);
  const startWriting = async () => {
    writers = Array.from({ length: 4 }, () => new Writer(client));
    await until('writes', () => acknowledged().length >= 200);
    for (const writer of writers) writer.longestPause = 0;
  };
  const writes = async (count: number) => {
    const before = acknowledged().length;
    await until('writes', () => acknowledged().length >= before + count);
  };
  const paintsOn = async (server: PostgresServer) =>
    (await server.sql('SELECT name FROM paints ORDER BY name', name)).map((row) => String(row['name']));

  /** Asserts that each acknowledged write is there, once, and in the log; and how the others were refused. */
  async function expectNothingLost(server: PostgresServer): Promise<void> {
    await Promise.all(writers.map((writer) => writer.end()));
    expect(await paintsOn(server)).toEqual(acknowledged().toSorted());
    const logged = await server.sql(
      `SELECT after ->> 'name' AS name FROM changes WHERE table_name = 'paints' AND action = 'create' ORDER BY 1`,
      name,
    );
    expect(logged.map((row) => row['name'])).toEqual(acknowledged().toSorted());
    expect(service.log.filter(({ msg }) => msg === 'request failed')).toEqual([]);
    const refusals = writers.flatMap((writer) => writer.refusals);
    expect(refusals.length).toBeGreaterThan(0);
    expect(new Set(refusals.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`))).toEqual(
      new Set(['503 1']),
    );
    expect(new Set(refusals.map(({ error }) => error.code))).toEqual(new Set(['SERVICE_UNAVAILABLE']));
  }

  test('a killed server is left within a second, and does not come back', async () => {
    await startWriting();
    await primary.crash();
    await sleep(1500);
    expect((await client.get('/paints')).status).toBe(503);
    expect((await client.at('').get('/readyz')).status).toBe(503);
    await standby.sql('SELECT pg_promote()');
    const promoted = performance.now();
    await until('a write', () => writers.some(({ last }) => last > promoted));
    const left = performance.now() - promoted;
    process.stdout.write(`A killed server was left in ${Math.round(left)} ms.\n`);
    expect(left).toBeLessThan(1000);
    await writes(100);

    // It accepts writes again, on its old timeline.
    const old = primary;
    await old.restart();
    expect(await old.sql('SELECT pg_is_in_recovery() AS standby')).toEqual([{ standby: false }]);
    const before = (await paintsOn(old)).length;
    await writes(100);
    const commands = (await CommandLine.create()).with({ DATABASE_URL: url });
    const { code, err } = await commands.run('company', 'create', '--slug', 'later', '--name', 'Later');
    expect([code, err]).toEqual([0, '']);
    await standby.crash();
    await sleep(1500);
    expect((await client.post('/paints', { name: 'Lost' })).status).toBe(503);
    expect(await paintsOn(old)).toHaveLength(before);
    expect(await old.sql(`SELECT FROM companies WHERE slug = 'later'`, name)).toEqual([]);
    await standby.restart();
    await writes(100);
    await expectNothingLost(standby);
    expect(await paintsOn(old)).toHaveLength(before);
  });

  test('a silent server is left within five seconds, and does not come back', async () => {
    await startWriting();
    const count = acknowledged().length;
    primary.freeze();
    const frozen = performance.now();
    await standby.sql('SELECT pg_promote()');
    await until('a write', () => acknowledged().length > count + 10);
    const left = performance.now() - frozen;
    process.stdout.write(`A silent server was left in ${Math.round(left)} ms.\n`);
    expect(left).toBeLessThan(5000);
    primary.thaw();
    await writes(100);
    await expectNothingLost(standby);
  });

  test('a silent server without another one is left too, and comes back', async () => {
    await startWriting();
    primary.freeze();
    const frozen = performance.now();
    await until('refusals', () => writers.every(({ refusals }) => refusals.length > 0));
    expect(performance.now() - frozen).toBeLessThan(5000);
    const asked = performance.now();
    expect((await client.get('/paints')).status).toBe(503);
    expect(performance.now() - asked).toBeLessThan(1000);
    primary.thaw();
    await writes(100);
    await expectNothingLost(primary);
  });

  test('a commit that its standby does not confirm is not acknowledged, and its key says later what became of it', async () => {
    standby.freeze();
    const send = () => client.post('/paints', { name: 'Slow' }, { 'idempotency-key': 'slow' });
    const { status, headers, error } = await send();
    expect([status, headers.get('retry-after'), error.code]).toEqual([503, '1', 'SERVICE_UNAVAILABLE']);
    expect(error.message).toContain('may have been stored or not');
    standby.thaw();
    await until('an answer', async () => (await send()).status === 201);
    expect(await paintsOn(standby)).toEqual(['Slow']);
  });
});
