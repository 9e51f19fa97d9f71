// Two instances read on a replica that lags behind the primary: nobody sees less than their company has written. It
// needs PostgreSQL's and Redis's server programs, as it starts servers of its own.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../src/database/index.ts';
import { Client } from './support/client.ts';
import { PostgresServer, programs } from './support/postgresql.ts';
import { freePort } from './support/process.ts';
import { type Service, startService } from './support/service.ts';
import { until } from './support/until.ts';

const hasRedis = () => {
  try {
    return execFileSync('redis-server', ['--version']).length > 0;
  } catch {
    return false;
  }
};

// It runs once: with the tests of PostgreSQL.
const onServers = process.env.TEST_DATABASE_URL && programs && hasRedis() ? describe : describe.skip;

/** How long (ms) the replica lags. */
const lagMs = 1000;

onServers('read replicas', () => {
  const opened: Service[] = [];
  const servers: PostgresServer[] = [];
  let primary: PostgresServer;
  let lagging: PostgresServer;
  let redis: ChildProcess;
  let redisPort: number;
  let first: Service;
  let second: Service;
  let clients: readonly [Client, Client];
  let others: readonly [Client, Client];

  const startRedis = async () => {
    const settings = ['--port', String(redisPort), '--bind', '127.0.0.1', '--save', ''];
    redis = spawn('redis-server', settings, { cwd: tmpdir(), stdio: 'ignore' });
    await once(redis, 'spawn');
  };
  const endRedis = async () => {
    const ended = once(redis, 'exit');
    redis.kill('SIGKILL');
    await ended;
  };
  const open = async (databaseReplicaUrls?: readonly string[]) => {
    const redisUrl = `redis://127.0.0.1:${redisPort}`;
    const service = await startService({ REDIS_URL: redisUrl }, (options) =>
      openDatabase(
        { databaseUrl: primary.url('premises'), dataDir: '', databaseReplicaUrls, redisUrl },
        { ...options, poolSize: 10 },
      ),
    );
    opened.push(service);
    return service;
  };
  const through = (service: Service, { token }: Client) => new Client(service.origin, token);
  const isUsed = ({ database }: Service) => database.replicas?.().some((replica) => replica.isUsed) === true;
  const untilUsed = () => until('the use of the replicas', () => isUsed(first) && isUsed(second));
  /** How many statements an instance has sent to replicas. */
  const readsOnReplicas = ({ database }: Service) =>
    database.pools().reduce((sum, { name, statements }) => (name.includes(' on ') ? sum + statements : sum), 0);
  /** Creates a request through one instance, and counts those with its title through others at once. */
  const write = async (writer: Client, readers: readonly Client[]) => {
    const title = randomUUID();
    expect((await writer.post('/service-requests', { title })).status).toBe(201);
    const found = await Promise.all(readers.map((reader) => reader.get('/service-requests', { search: title })));
    return found.map(({ meta }) => meta.total);
  };
  /** Reads until something is over. @returns how many reads there were, and the longest time (ms) of one */
  const readDuring = async (client: Client, work: Promise<unknown>) => {
    let isOver = false;
    const ended = work.finally(() => (isOver = true));
    let [reads, longest] = [0, 0];
    while (!isOver) {
      const startedAt = performance.now();
      const { status } = await client.get('/service-requests', { sort: 'title' });
      expect(status).toBe(200);
      longest = Math.max(longest, performance.now() - startedAt);
      reads += 1;
    }
    await ended;
    return { reads, longest };
  };

  beforeAll(async () => {
    redisPort = await freePort();
    await startRedis();
    primary = await PostgresServer.start();
    servers.push(primary);
    await primary.sql('CREATE DATABASE premises');
    const migration = join(import.meta.dirname, 'support', 'migrate.ts');
    await promisify(execFile)(process.execPath, ['--import', 'tsx', migration, primary.url('premises')]);
    lagging = await primary.startFollower({ recovery_min_apply_delay: `${lagMs}ms` }, 'lagging');
    servers.push(lagging);
    const urls = [lagging.url('premises')];
    [first, second] = [await open(urls), await open(urls)];
    const [client, other] = [await (await first.tenant()).client(), await (await first.tenant()).client()];
    clients = [through(first, client), through(second, client)];
    others = [through(first, other), through(second, other)];
    await untilUsed();
  });
  afterAll(async () => {
    for (const service of opened) await service.close();
    for (const server of servers.reverse()) await server.remove();
    await endRedis();
  });

  test('run the lists of a company that only reads, while another one writes', async () => {
    const [client] = clients;
    await client.post('/paints', { name: 'Chalk white' });
    await sleep(lagMs + 1000);
    const before = readsOnReplicas(first);
    const writing = (async () => {
      for (let n = 0; n < 100; n++) await others[1].post('/paints', { name: `Paint ${n}` });
    })();
    for (let n = 0; n < 100; n++) expect((await client.get('/paints')).meta.total).toBe(1);
    await writing;
    expect(readsOnReplicas(first) - before).toBeGreaterThanOrEqual(90);
  });

  test('never show a company less than it wrote, whichever instance did', async () => {
    const end = Date.now() + 20_000;
    const stale: unknown[] = [];
    let reads = 0;
    const run = async (writer: Client, reader: Client) => {
      for (let n = 1; Date.now() < end; n++) {
        const found = await write(writer, [reader, writer]);
        reads += found.length;
        stale.push(...found.filter((count) => count !== 1));
        if (n % 50 > 0) continue;
        // There is time for the replica.
        await sleep(lagMs + 500);
        const before = readsOnReplicas(first) + readsOnReplicas(second);
        const { meta } = await reader.get('/service-requests');
        const isOnReplica = readsOnReplicas(first) + readsOnReplicas(second) > before;
        if (isOnReplica) expect(meta.total).toBeGreaterThanOrEqual(n);
      }
    };
    await Promise.all([run(...clients), run(clients[1], clients[0]), run(...others)]);
    expect(stale).toEqual([]);
    expect(reads).toBeGreaterThan(200);
  });

  test('show a deletion, a mutation and what was written in a transaction at once', async () => {
    const [client, reader] = clients;
    const { row } = await client.post('/paints', { name: 'Gone soon' });
    const named = () => reader.get('/paints', { search: 'Gone soon' });
    expect((await named()).meta.total).toBe(1);
    expect((await client.delete(`/paints/${String(row['id'])}`)).status).toBe(204);
    expect((await named()).meta.total).toBe(0);
    const created = await client.graphql<{ createPaint: { id: string } }>(
      'mutation { createPaint(input: { name: "By a mutation" }) { id } }',
    );
    expect(created.errors).toEqual([]);
    const found = await reader.graphql<{ paints: { nodes: unknown[] } }>(
      '{ paints(filter: { name: { eq: "By a mutation" } }) { nodes { id } } }',
    );
    expect(found.data.paints.nodes).toHaveLength(1);
  });

  test('are left without Redis, and used with another one that knows no marks', async () => {
    await endRedis();
    expect(await write(clients[0], clients)).toEqual([1, 1]);
    await startRedis();
    for (let n = 0; n < 20; n++) expect(await write(clients[n % 2] ?? clients[0], clients)).toEqual([1, 1]);
    await untilUsed();
    for (let n = 0; n < 20; n++) expect(await write(clients[n % 2] ?? clients[0], clients)).toEqual([1, 1]);
  });

  test('answer all requests when they are killed, silent, cancel reads, or are promoted', async () => {
    // One that ends reads at once that hold up what it replays.
    const strict = await primary.startFollower({ max_standby_streaming_delay: '0' }, 'strict');
    servers.push(strict);
    const service = await open([strict.url('premises')]);
    const client = through(service, clients[0]);
    await until('the use of the replica', () => isUsed(service));
    const during = (work: () => Promise<unknown>) => readDuring(client, work());

    const before = readsOnReplicas(service);
    const locked = await during(async () => {
      for (let n = 0; n < 50; n++) {
        await primary.sql('BEGIN; LOCK TABLE service_requests IN ACCESS EXCLUSIVE MODE; COMMIT', 'premises');
        await sleep(20);
      }
    });
    expect(locked.reads).toBeGreaterThan(0);
    expect(readsOnReplicas(service)).toBeGreaterThan(before);
    await during(async () => {
      for (let n = 0; n < 5; n++) {
        await strict.sql('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
        await sleep(200);
      }
    });

    await until('the use of the replica', () => isUsed(service));
    strict.freeze();
    const silent = await during(() => sleep(3000));
    expect(silent.longest).toBeLessThan(2500);
    expect(isUsed(service)).toBe(false);
    strict.thaw();
    await until('the use of the replica', () => isUsed(service));

    await during(() => strict.crash().then(() => sleep(1000)));
    expect(isUsed(service)).toBe(false);
    await strict.restart();
    await until('the use of the replica', () => isUsed(service));

    await during(async () => {
      await strict.sql('SELECT pg_promote()');
      await strict.sql(`DELETE FROM service_requests`, 'premises');
      await sleep(1000);
    });
    expect(isUsed(service)).toBe(false);
    expect((await client.get('/service-requests')).meta.total).toBeGreaterThan(0);
  });

  test('are left while a process writes that makes no marks', async () => {
    const outsider = through(await open(), clients[0]);
    const found: number[] = [];
    for (let n = 0; n < 20; n++) found.push(...(await write(outsider, clients)));
    expect(found).toEqual(Array.from({ length: 40 }, () => 1));
    expect(isUsed(first)).toBe(false);
    await opened.pop()?.close();
  });
});
