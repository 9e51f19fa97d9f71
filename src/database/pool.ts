import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { createClient } from './client.ts';
import type { Database, DatabaseOptions } from './database.ts';

/** Sets up a session. The adapter sends timestamps without a zone and reads them as UTC, so the session must be in UTC. */
export const sessionSettings = `SET TIME ZONE 'UTC'; SET DateStyle = 'ISO'`;

/** The part of a `Database` that is the same over any pool. Closing it ends the pool. */
export function overPool(pool: pg.Pool, { onQuery }: DatabaseOptions): Pick<Database, 'prisma' | 'query' | 'close'> {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  types.setTypeParser(pg.types.builtins.DATE, String);
  types.setTypeParser(pg.types.builtins.NUMERIC, String);
  const prisma = createClient(new PrismaPg(pool, { statementNameGenerator: nameStatements() }), onQuery);
  return {
    prisma,
    async query(statement) {
      onQuery?.(statement.text);
      const { rows, rowCount } = await pool.query<Record<string, unknown>>({ ...statement, types });
      return { rows, rowCount: rowCount ?? 0 };
    },
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
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
