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
        await single.end(); // which undoes what was not committed, and drops the engine's own lock
      }
    },
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

/** How long (ms) a statement waits for a row that another transaction holds. */
const lockTimeoutMs = 10_000;

/** @param statementTimeoutMs how long (ms) a statement may take; 0 for any time */
function createPool(connectionString: string, max: number, statementTimeoutMs: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: connectionTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    // A server that froze does not keep its own timeout, so the client has one a little later. 0 is none here as well.
    query_timeout: statementTimeoutMs && statementTimeoutMs + 5000,
    application_name: 'premises',
    // Awaited before the connection is used. The adapter sends times without a zone and takes the zone of what it
    // reads for UTC, so the session has to be in UTC.
    onConnect: (client) =>
      client.query(
        `SET TIME ZONE 'UTC'; SET DateStyle = 'ISO'; SET statement_timeout = ${statementTimeoutMs};
         SET lock_timeout = ${Math.min(statementTimeoutMs, lockTimeoutMs)};
         SET idle_in_transaction_session_timeout = '60s'`,
      ),
  });
  // A lost connection fails the statement it was running, and the next statement opens another. Without a listener
  // of its own it would also end the process, in the pool or out of it.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * Names statements so that each connection parses and plans them once. Only so many, as the server keeps every named
 * statement for as long as the connection lives; the others run unnamed.
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
