import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import type pg from 'pg';
import type { Database, DatabaseOptions } from './database.ts';
import {
  ContextPool,
  connectionLifetimeSeconds,
  connectionTimeoutMs,
  overConnection,
  overPools,
  sessionSettings,
} from './pool.ts';
import { budgetOf } from './request-client.ts';

/** How long (ms) a statement may take, and may wait for a row or table that another transaction has locked. */
interface Timeouts {
  readonly statement: number;
  readonly lock: number;
}

const authenticationTimeouts: Timeouts = { statement: 5000, lock: 2000 };
const requestTimeouts: Timeouts = { statement: 10_000, lock: 2000 };
const backgroundTimeouts: Timeouts = { statement: 30_000, lock: 10_000 };
/** 0 is no limit. */
const migrationTimeouts: Timeouts = { statement: 0, lock: 0 };

/** How much longer (ms) the server may take to report that a statement has timed out. */
const reportTimeoutMs = 2000;

/** Opens a PostgreSQL; connects with the first statement. See `openDatabase`. */
export async function openPostgresql(connectionString: string, options: DatabaseOptions): Promise<Database> {
  // Prisma's query compiler, the only WebAssembly, takes 45 MB less when V8 does not optimize it, and no more time.
  setFlagsFromString('--liftoff-only');
  const { poolSize = 16 } = options;
  const authenticationSize = Math.max(2, Math.floor(poolSize / 4));
  const backgroundSize = 2;
  const pools = {
    authentication: createPool(connectionString, authenticationSize, authenticationTimeouts),
    requests: createPool(connectionString, poolSize - authenticationSize - backgroundSize, requestTimeouts),
    background: createPool(connectionString, backgroundSize, backgroundTimeouts),
  };
  return {
    ...overPools(pools, options),
    kind: 'postgresql',
    async inOneTransaction(work) {
      const single = createPool(connectionString, 1, migrationTimeouts);
      try {
        await single.query('BEGIN');
        const result = await work(overConnection(single));
        await single.query('COMMIT');
        return result;
      } finally {
        await single.end(); // rolls back what was not committed, and releases the engine's own lock
      }
    },
  };
}

function createPool(connectionString: string, max: number, { statement, lock }: Timeouts): pg.Pool {
  // A frozen server does not enforce its own timeout, and the client would ignore a late reply. So a connection in use
  // is destroyed when it is silent for longer than any statement may take.
  const limitSilence = (client: pg.ClientBase) => socketOf(client).setTimeout(statement && statement + reportTimeoutMs);
  const pool = new ContextPool({
    connectionString,
    max,
    connectionTimeoutMillis: connectionTimeoutMs,
    idleTimeoutMillis: 60_000,
    maxLifetimeSeconds: connectionLifetimeSeconds,
    keepAlive: true,
    application_name: 'premises',
    // Awaited before the connection is used.
    onConnect: (client) => {
      limitSilence(client);
      const socket = socketOf(client);
      socket.on('timeout', () => socket.destroy(new Error('Query read timeout')));
      // The rows that are still to come would only be thrown away.
      socket.on('data', ({ length }) => {
        const budget = budgetOf(socket);
        if (budget?.take(length) === false) socket.destroy(budget.error);
      });
      return client.query(
        `${sessionSettings}; SET statement_timeout = ${statement}; SET lock_timeout = ${lock};
         SET idle_in_transaction_session_timeout = '60s'`,
      );
    },
  });
  pool.on('acquire', limitSilence);
  pool.on('release', (_error, client) => socketOf(client).setTimeout(0));
  // A lost connection fails its current statement, and the next statement opens another. Without these listeners it
  // would also end the process, whether in the pool or checked out.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

// The clients of a pool have this class, and connect over a socket.
const socketOf = (client: pg.ClientBase) => (client as pg.Client).connection.stream as Socket;
