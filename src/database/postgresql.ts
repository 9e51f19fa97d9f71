import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { connectionTimeoutMs } from './client.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { overPool, sessionSettings } from './pool.ts';

/** Opens a PostgreSQL; connects with the first statement. See `openDatabase`. */
export async function openPostgresql(connectionString: string, options: DatabaseOptions): Promise<Database> {
  const pool = createPool(connectionString, options.poolSize ?? 10, 30_000);
  return {
    ...overPool(pool, options),
    kind: 'postgresql',
    async inOneTransaction(work) {
      const single = createPool(connectionString, 1, 0);
      try {
        await single.query('BEGIN');
        const result = await work({ adapter: new PrismaPg(single), execute: (sql) => single.query(sql) });
        await single.query('COMMIT');
        return result;
      } finally {
        await single.end(); // rolls back what was not committed, and releases the engine's own lock
      }
    },
  };
}

/** How long (ms) a statement waits for a row that another transaction has locked. */
const lockTimeoutMs = 10_000;

/** @param statementTimeoutMs maximum duration of a statement (ms); 0 for no limit */
function createPool(connectionString: string, max: number, statementTimeoutMs: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: connectionTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    // A frozen server does not enforce its own timeout, so the client has a slightly later one. 0 means none here as
    // well.
    query_timeout: statementTimeoutMs && statementTimeoutMs + 5000,
    application_name: 'premises',
    // Awaited before the connection is used.
    onConnect: (client) =>
      client.query(
        `${sessionSettings}; SET statement_timeout = ${statementTimeoutMs};
         SET lock_timeout = ${Math.min(statementTimeoutMs, lockTimeoutMs)};
         SET idle_in_transaction_session_timeout = '60s'`,
      ),
  });
  // A lost connection fails its current statement, and the next statement opens another. Without these listeners it
  // would also end the process, whether in the pool or checked out.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
