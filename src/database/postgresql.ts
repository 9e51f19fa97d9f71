import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { connectionTimeoutMs, createClient } from './client.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { parsers } from './parsers.ts';

const types = new pg.TypeOverrides();
for (const [oid, parse] of Object.entries(parsers)) types.setTypeParser(Number(oid), parse);

/** Opens a PostgreSQL; connects with the first statement. See `openDatabase`. */
export async function openPostgresql(connectionString: string, options: DatabaseOptions): Promise<Database> {
  const pool = createPool(connectionString, options.poolSize ?? 10, 30_000);
  const prisma = createClient(new PrismaPg(pool, { statementNameGenerator: nameStatements() }), options.onQuery);
  return {
    kind: 'postgresql',
    prisma,
    async query(statement) {
      options.onQuery?.(statement.text);
      const { rows, rowCount } = await pool.query<Record<string, unknown>>({ ...statement, types });
      return { rows, rowCount: rowCount ?? 0 };
    },
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
    async close() {
      await prisma.$disconnect();
      await pool.end();
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
    // Awaited before the connection is used. The adapter sends timestamps without a zone and reads them as UTC, so the
    // session must be in UTC.
    onConnect: (client) =>
      client.query(
        `SET TIME ZONE 'UTC'; SET DateStyle = 'ISO'; SET statement_timeout = ${statementTimeoutMs};
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

/**
 * Names statements so that each connection parses and plans them once. The number is limited, as the server keeps every
 * named statement for the life of the connection; the others run unnamed.
 */
function nameStatements(maxNames = 500): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined || names.size >= maxNames) return known ?? '';
    const name = `prisma_${names.size}`;
    names.set(sql, name);
    return name;
  };
}
