import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { Admission } from './admission.ts';
import { admitted } from './admitted.ts';
import { createClient } from './client.ts';
import type { Connection, Database, DatabaseOptions } from './database.ts';

/** Sets up a session. The adapter sends timestamps without a zone and reads them as UTC, so the session must be in UTC. */
export const sessionSettings = `SET TIME ZONE 'UTC'; SET DateStyle = 'ISO'`;

/** How long (ms) connecting may take. */
export const connectionTimeoutMs = 5000;

/** The connections by purpose, so that none waits for another. One pool may serve all purposes. */
export interface Pools {
  /** Authentication, rate limits and readiness. */
  readonly authentication: pg.Pool;
  /** The statements of requests. */
  readonly requests: pg.Pool;
  /** Streams, and the service's own work. */
  readonly background: pg.Pool;
}

/** The part of a `Database` that does not depend on the kind of pools. Closing it ends the pools. */
export function overPools(pools: Pools, { onQuery }: DatabaseOptions): Pick<Database, 'prisma' | 'query' | 'close'> {
  const { authentication, requests, background } = pools;
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  types.setTypeParser(pg.types.builtins.DATE, String);
  types.setTypeParser(pg.types.builtins.NUMERIC, String);
  const forRequests = admittedPool(requests);
  const forBackground = background === requests ? forRequests : admittedPool(background);
  const prisma = createClient(admitted(forRequests, forBackground), onQuery);
  return {
    prisma,
    async query(statement) {
      onQuery?.(statement.text);
      const { rows, rowCount } = await authentication.query<Record<string, unknown>>({ ...statement, types });
      return { rows, rowCount: rowCount ?? 0 };
    },
    async close() {
      await prisma.$disconnect();
      await Promise.all([...new Set(Object.values(pools))].map((pool: pg.Pool) => pool.end()));
    },
  };
}

const admittedPool = (pool: pg.Pool) => ({
  factory: new PrismaPg(pool, { statementNameGenerator: nameStatements() }),
  admission: new Admission(pool.options.max),
});

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

/** A pool of one connection, in the form that migrations need. */
export const overConnection = (single: pg.Pool): Connection => ({
  adapter: new PrismaPg(single),
  execute: (sql) => single.query(sql),
  describe: async (sql, values) =>
    (await single.query({ text: `SELECT * FROM (${sql}) AS result LIMIT 0`, values })).fields,
});
