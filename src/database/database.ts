import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { AdmissionCounts } from './admission.ts';
import type { PrismaClient } from './generated/client/client.ts';
import type { Models } from './read/models.ts';
import type { Reader } from './read/reader.ts';
import type { Access } from './read/row-access.ts';
import type { ReplicaUse } from './replicas/index.ts';
import type { Writer } from './write/writer.ts';

/** A statement for `Database.query`. */
export interface Statement {
  /** Whether PostgreSQL parses it once per connection. */
  isPrepared?: boolean;
  /** The SQL, with `$1`, `$2` where the values go. */
  text: string;
  /** The values, in order. */
  values?: unknown[];
  /** Whether readers may see what it writes a little later, as when a token was last used. */
  isReadLate?: boolean;
}

/** The result of a statement. bigint columns read as numbers, numeric and date columns as text. */
export interface QueryResult {
  rows: Record<string, unknown>[];
  /** Number of returned rows or, for a write that returns none, of written rows. */
  rowCount: number;
}

/** One connection, for migrations and moves. */
export interface Connection {
  readonly adapter: SqlMigrationAwareDriverAdapterFactory;
  /** Runs SQL of any number of statements. */
  execute(sql: string): Promise<unknown>;
  /** Runs one statement. Its result must be text: the rows are the values of their columns, in order. */
  read(sql: string, values?: unknown[]): Promise<(string | null)[][]>;
  /** Returns the columns of a query's result: their names, and the OIDs of their types. */
  describe(sql: string, values: unknown[]): Promise<{ name: string; dataTypeID: number }[]>;
}

/** Options of a transaction; one inside another has none. */
export interface TransactionOptions {
  readonly isolationLevel?: string;
  /** How long (ms) it may take, with the wait for its connection; ten seconds by default. */
  readonly timeoutMs?: number;
  /** Whether transactions inside it are savepoints, as by default; otherwise what fails in one of them fails all. */
  readonly hasSavepoints?: boolean;
  /** The company whose rows it reads, if it writes nothing: it may then run on a replica. */
  readonly readsOf?: string;
}

/** The use of a pool of connections, for metrics. */
export interface PoolUse {
  /** What its connections are for. */
  readonly name: string;
  /** The most connections it opens. */
  readonly size: number;
  readonly inUse: number;
  readonly idle: number;
  /** Statements and transactions that wait for a connection now. */
  readonly waiting: number;
  /** SQL statements since the start. */
  readonly statements: number;
  readonly admission: Readonly<AdmissionCounts>;
}

/** The open database. Every connection speaks UTC, whatever the server's time zone. */
export interface Database {
  readonly kind: 'postgresql' | 'embedded';
  readonly prisma: PrismaClient;
  /** Makes a reader of one company's rows, which is faster than `prisma` is. */
  readerOf(access: Access): Reader;
  /** Makes a writer of rows, which is faster than `prisma` is. @param models those of an API */
  writerOf(models?: Models): Writer;
  /**
   * Runs work in a transaction, which is rolled back when the work throws. Every statement that `work` awaits, sent by
   * the reader, the writer or `prisma`, belongs to it. Inside another transaction it is a savepoint.
   */
  transaction<T>(work: () => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs one statement on connections that Prisma does not use: authentication, limits and readiness wait for no
   * request.
   *
   * @throws the driver's error, with the SQLSTATE in `code`
   */
  query(statement: Statement): Promise<QueryResult>;
  /**
   * Runs `work` on a connection in a transaction, committed when `work` succeeds and rolled back when it fails. It is
   * meant for migrations, so it has no statement timeout; on the embedded database nothing else may run meanwhile.
   */
  inOneTransaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /**
   * Starts the embedded database again, when its connection is free: its memory grows with what it does, and never
   * shrinks. Only where it has files.
   */
  restart?(): Promise<void>;
  /**
   * Whether it has just responded, or executes a statement that has time left. Only on a database with one connection,
   * where a statement may wait for those of others.
   */
  isWorking?(): boolean;
  /**
   * Runs work on each connection that is opened from now on, before its first use. Only on a server, to which a new
   * connection may lead after another one took over. If it fails, so does the connection.
   *
   * @param work gets what runs a statement on the connection
   */
  onConnect?(work: (query: (text: string) => Promise<QueryResult['rows']>) => Promise<void>): void;
  /** The pools of connections, and how they are used. */
  pools(): readonly PoolUse[];
  /** Reports why the replicas are not used, as often as it is found. */
  onReplicasUnfit?(report: (reason: string) => void): void;
  /** The replicas, if any. */
  replicas?(): readonly ReplicaUse[];
  /** Closes every connection, and unlocks the embedded database's folder. */
  close(): Promise<void>;
}

/** Options of a database beyond the configuration. */
export interface DatabaseOptions {
  /** Called with every SQL statement; tests count them with it. */
  onQuery?: (sql: string) => void;
  /** Maximum number of connections to PostgreSQL; 20 by default. */
  poolSize?: number;
  /** Whether statements are prepared; they are by default. */
  preparesStatements?: boolean;
  /** The servers that follow the one that writes, and the Redis that keeps the marks of writes for them. */
  replicas?: { readonly urls: readonly string[]; readonly redisUrl?: string | undefined } | undefined;
  /** Whether other clients share the sessions of its connections, which then have the settings of their role. */
  isShared?: boolean;
}
