import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { PrismaClient } from './generated/client/client.ts';

/** A statement for `Database.query`. */
export interface Statement {
  /** Names the statement so that PostgreSQL parses it once a connection; a name stands for one text. */
  name?: string;
  /** The SQL, with `$1`, `$2` where the values go. */
  text: string;
  /** The values, in order. */
  values?: unknown[];
}

/** What a statement answered. bigint columns read as numbers, numeric and date columns as text. */
export interface QueryResult {
  rows: Record<string, unknown>[];
  /** How many rows were returned or, of a write that returns none, written. */
  rowCount: number;
}

/** One connection, for migrations. */
export interface Connection {
  readonly adapter: SqlMigrationAwareDriverAdapterFactory;
  /** Runs SQL of any number of statements. */
  execute(sql: string): Promise<unknown>;
}

/** The open database. Every connection speaks UTC, whatever the server's time zone. */
export interface Database {
  readonly kind: 'postgresql' | 'embedded';
  readonly prisma: PrismaClient;
  /**
   * Runs one statement on the same connections as Prisma.
   *
   * @throws the driver's error, with the SQLSTATE in `code`
   */
  query(statement: Statement): Promise<QueryResult>;
  /**
   * Hands `work` a connection in a transaction, which is committed when `work` succeeds and undone when it fails. Made
   * for migrations, so without a statement timeout; on the embedded database nothing else may run meanwhile.
   */
  inOneTransaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Lets go of every connection, and of the embedded database's folder. */
  close(): Promise<void>;
}

/** What may be asked of a database beyond the configuration. */
export interface DatabaseOptions {
  /** Told every SQL statement; tests count them with it. */
  onQuery?: (sql: string) => void;
  /** The most connections to PostgreSQL; 10 unless given. */
  poolSize?: number;
}
