import { type Client, type LogPage, type LogQuery, readLog, type Tenant } from './log.ts';

/**
 * Reads the page of the log after a position that is stored beside it. Also after a restore or a failover all that
 * follows it is read: the position is as old as the log.
 */
export const readStored = (client: Client, tenant: Tenant, query: LogQuery): Promise<LogPage> =>
  readLog(client, tenant, { ...query, isStored: true });
