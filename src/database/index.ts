import type { Config } from '../config.ts';
import type { Database, DatabaseOptions } from './database.ts';

export type { Actor } from './actor.ts';
export type { Connection, Database, DatabaseOptions, PoolUse, QueryResult } from './database.ts';
export { type Access, type RowFilter, wholeCompany } from './read/row-access.ts';
export { createReadinessCheck } from './readiness.ts';
export type { ReplicaUse } from './replicas/index.ts';
export { countKeptStatements } from './request-client.ts';
export {
  currentOperation,
  currentTraceparent,
  type Requester,
  runAlone,
  runAs,
  runFor,
  runOperation,
  runReading,
} from './requester.ts';
export { logTables } from './roles.ts';
export { maxSortedIds, type SortedIds } from './sorted-ids.ts';
export { analyzeChanged } from './statistics.ts';
export { postpone } from './transaction.ts';
export { ActiveUser } from './write/active-user.ts';

/**
 * Opens the PostgreSQL at `databaseUrl`, or without one the embedded database in `dataDir` (`memory://` keeps it in
 * memory). Does not migrate, and does not connect to PostgreSQL before the first statement.
 *
 * @throws FolderInUseError when another process has the embedded database open, or OpenError
 */
export async function openDatabase(
  {
    databaseUrl,
    databasePoolSize,
    dataDir,
    preparesStatements,
    databaseReplicaUrls,
    redisUrl,
  }: Pick<Config, 'databaseUrl' | 'dataDir'> & Partial<Config>,
  options: DatabaseOptions = {},
): Promise<Database> {
  // Only the driver that is used is loaded: PGlite is a whole PostgreSQL in memory.
  if (databaseUrl === undefined) return (await import('./embedded.ts')).openEmbedded(dataDir, options);
  return (await import('./postgresql.ts')).openPostgresql(databaseUrl, {
    poolSize: databasePoolSize,
    preparesStatements,
    replicas: databaseReplicaUrls && { urls: databaseReplicaUrls, redisUrl },
    ...options,
  });
}
