import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import type pg from 'pg';
import { splitHosts } from '../formats.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { hostsOf } from './hosts.ts';
import { ContextPool, connectionLifetimeSeconds, connectionTimeoutMs, overConnection, overPools } from './pool.ts';
import { Replicas } from './replicas/index.ts';
import type { WriteMarker } from './replicas/marker.ts';
import { Outsider, sendEverybody } from './replicas/outsider.ts';
import type { Replica } from './replicas/replica.ts';
import { budgetOf, type RequestClientConfig } from './request-client.ts';

/** How long (ms) a statement may take, and may wait for a row or table that another transaction has locked. */
interface Timeouts {
  readonly statement: number;
  readonly lock: number;
}

const authenticationTimeouts: Timeouts = { statement: 5000, lock: 2000 };
/** What the primary says of itself is of use for a second only. */
const askingTimeouts: Timeouts = { statement: 1000, lock: 500 };
const requestTimeouts: Timeouts = { statement: 10_000, lock: 2000 };
const backgroundTimeouts: Timeouts = { statement: 30_000, lock: 10_000 };
/** 0 is no limit. */
const migrationTimeouts: Timeouts = { statement: 0, lock: 0 };

/**
 * Memory of a sort, a group or a bitmap of pages. With the server's default of 4 MB, a bitmap of more than 500 MB of
 * rows is inexact, and a search of millions of rows then reads all of them. An operator's larger value stays.
 */
const workMemory = (isLocal: boolean) => `SELECT set_config('work_mem', '16MB', ${isLocal})
  WHERE pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('16MB')`;

/** Compiling the expressions of a statement (jit) took up to 100 ms, and saved less. */
const settingsOf = ({ statement, lock }: Timeouts, scope: 'SESSION' | 'LOCAL' = 'SESSION') => `
  SET ${scope} TIME ZONE 'UTC'; SET ${scope} DateStyle = 'ISO'; ${workMemory(scope === 'LOCAL')}; SET ${scope} jit = off;
  SET ${scope} statement_timeout = ${statement}; SET ${scope} lock_timeout = ${lock};
  SET ${scope} idle_in_transaction_session_timeout = '60s'`;

/** How much longer (ms) the server may take to report that a statement has timed out. */
const reportTimeoutMs = 2000;

/** Opens a PostgreSQL; connects with the first statement. See `openDatabase`. */
export async function openPostgresql(connectionString: string, options: DatabaseOptions): Promise<Database> {
  // Prisma's query compiler, the only WebAssembly, takes 45 MB less when V8 does not optimize it, and no more time.
  setFlagsFromString('--liftoff-only');
  const { poolSize = 20, isShared = false } = options;
  const authenticationSize = Math.max(2, Math.floor(poolSize / 5));
  const share = Math.max(1, Math.floor(poolSize / 5));
  // One more than long statements of two companies take.
  const streamsSize = Math.min(3, share);
  const backgroundSize = Math.min(3, share);
  const requestsSize = poolSize - authenticationSize - streamsSize - backgroundSize;
  const hosts = hostsOf(connectionString);
  const server = { connectionString: splitHosts(connectionString)[0], hosts };
  const replicas =
    options.replicas &&
    new Replicas(
      options.replicas.urls,
      createPool(server, 1, askingTimeouts, async (client) => void (await client.query(settingsOf(askingTimeouts)))),
      options.replicas.redisUrl,
    );
  const outsider = replicas ? undefined : new Outsider();
  let prepare: Preparation = () => Promise.resolve();
  const create = (size: number, timeouts: Timeouts) =>
    createPool(
      server,
      size,
      timeouts,
      async (client) => {
        if (!isShared) await client.query(settingsOf(timeouts));
        // Behind a pooler there is one server for this service, whatever stands behind that.
        if (!isShared && hosts) await client.query(`SET premises.has_standbys = 'on'`);
        await prepare(client);
        await outsider?.enter(client);
      },
      replicas?.marker,
    );
  const pools = {
    authentication: create(authenticationSize, authenticationTimeouts),
    requests: create(requestsSize, requestTimeouts),
    streams: create(streamsSize, backgroundTimeouts),
    background: create(backgroundSize, backgroundTimeouts),
  };
  outsider?.stay(pools.background);
  const opened = overPools(pools, options, replicas && { replicas, createPools: createReplicaPools });
  return {
    ...opened,
    kind: 'postgresql',
    onConnect(work) {
      prepare = (client) => work(async (text) => (await client.query<Record<string, unknown>>(text)).rows);
    },
    async inOneTransaction(work) {
      const single = createPool(server, 1, migrationTimeouts, () => Promise.resolve());
      try {
        // In the transaction alone, as a pooler may give the session to others.
        await sendEverybody(single);
        await single.query(`BEGIN; ${settingsOf(migrationTimeouts, 'LOCAL')}`);
        const result = await work(overConnection(single));
        await single.query('COMMIT');
        return result;
      } finally {
        await single.end(); // rolls back what was not committed, and releases the engine's own lock
      }
    },
    async close() {
      outsider?.leave();
      await opened.close();
      await replicas?.close();
      hosts?.close();
    },
  };

  /** Reads are all that a replica runs, so it needs no settings of a writer, and no generation of the log. */
  function createReplicaPools(replica: Replica) {
    const { server: follower } = replica;
    const one = { connectionString: follower.url, hosts: { findWriter: () => Promise.resolve(follower) } };
    const createOne = (size: number, timeouts: Timeouts) =>
      createPool(one, size, timeouts, async (client) => {
        await client.query(settingsOf(timeouts));
        await replica.greet();
      });
    return { requests: createOne(requestsSize, requestTimeouts), streams: createOne(streamsSize, backgroundTimeouts) };
  }
}

/** Work on a new connection before its use. */
type Preparation = (client: pg.ClientBase) => Promise<void>;

/** Where connections lead: to the writer of several servers, or to the only one. */
type Server = Pick<RequestClientConfig, 'connectionString' | 'hosts'>;

function createPool(
  server: Server,
  max: number,
  timeouts: Timeouts,
  prepare: Preparation,
  marker?: WriteMarker,
): pg.Pool {
  const { statement } = timeouts;
  // A frozen server does not enforce its own timeout, and the client would ignore a late reply. So a connection in use
  // is destroyed when it is silent for longer than any statement may take.
  const limitSilence = (client: pg.ClientBase) => socketOf(client).setTimeout(statement && statement + reportTimeoutMs);
  const options = {
    ...server,
    max,
    connectionTimeoutMillis: connectionTimeoutMs,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: connectionLifetimeSeconds,
    keepAlive: true,
    application_name: 'premises',
    // Awaited before the connection is used.
    onConnect: async (client: pg.ClientBase) => {
      limitSilence(client);
      const socket = socketOf(client);
      socket.on('timeout', () => socket.destroy(new Error('Query read timeout')));
      // The remaining rows would only be discarded.
      socket.on('data', ({ length }) => {
        const budget = budgetOf(socket);
        if (budget?.take(length) === false) socket.destroy(budget.error);
      });
      await prepare(client);
    },
  };
  const pool = new ContextPool(options, { storesRows: timeouts !== authenticationTimeouts, marker });
  pool.on('acquire', limitSilence);
  pool.on('release', (_error, client) => socketOf(client).setTimeout(0));
  return pool;
}

// The clients of a pool have this class, and connect over a socket.
const socketOf = (client: pg.ClientBase) => (client as pg.Client).connection.stream as Socket;
