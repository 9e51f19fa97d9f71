import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { PrismaClient } from './generated/client/client.ts';

/** A statement for `Database.query`. */
export interface Statement {
  /** Names the statement so that PostgreSQL parses it once per connection; a name always belongs to the same text. */
  name?: string;
  /** The SQL, with `$1`, `$2` where the values go. */
  text: string;
  /** The values, in order. */
  values?: unknown[];
}

/** The result of a statement. bigint columns read as numbers, numeric and date columns as text. */
export interface QueryResult {
  rows: Record<string, unknown>[];
  /** Number of returned rows or, for a write that returns none, of written rows. */
  rowCount: number;
}

/** One connection, for migrations. */
export interface Connection {
  readonly adapter: SqlMigrationAwareDriverAdapterFactory;
  /** Runs SQL of any number of statements. */
  execute(sql: string): Promise<unknown>;
  /** Returns the columns of a query's result: their names, and the OIDs of their types. */
  describe(sql: string, values: unknown[]): Promise<{ name: string; dataTypeID: number }[]>;
}

/** The open database. Every connection speaks UTC, whatever the server's time zone. */
export interface Database {
  readonly kind: 'postgresql' | 'embedded';
  readonly prisma: PrismaClient;
  /**
   * Runs one statement on connections that Prisma does not use: authentication, limits and readiness wait for no request.
   *
   * @throws the driver's error, with the SQLSTATE in `code`
   */
  query(statement: Statement): Promise<QueryResult>;
  /**
   * Runs `work` on a connection in a transaction, committed when `work` succeeds and rolled back when it fails. It is
   * meant for migrations, so it has no statement timeout; on the embedded database nothing else may run meanwhile.
   */
  inOneTransaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Closes every connection, and unlocks the embedded database's folder. */
  close(): Promise<void>;
}

/** Options of a database beyond the configuration. */
export interface DatabaseOptions {
  /** Called with every SQL statement; tests count them with it. */
  onQuery?: (sql: string) => void;
  /** Maximum number of connections to PostgreSQL; 16 by default. */
  poolSize?: number;
}
