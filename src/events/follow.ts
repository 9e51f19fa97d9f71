import { ServiceError } from '../errors.ts';
import { type Client, type LogPage, type LogQuery, readLog, type Tenant } from './log.ts';
import { readPosition } from './snapshot.ts';

/**
 * Reads the page of the log after a stored position. If the position is gone, as after a restore, the missed changes
 * can no longer be read: then it returns an empty page, after which the reader continues at the end of the log.
 */
export const readPageOrEnd = (client: Client, tenant: Tenant, query: LogQuery): Promise<LogPage> =>
  readLog(client, tenant, query).catch(async (error: unknown) => {
    if (!(error instanceof ServiceError && error.code === 'GONE')) throw error;
    return { changes: [], next: await readPosition(client), hasMore: false };
  });
