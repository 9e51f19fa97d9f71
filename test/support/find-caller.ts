import type { Caller } from '../../src/auth/caller.ts';
import { TokenCallers } from '../../src/auth/token-callers.ts';
import type { Database } from '../../src/database/index.ts';

/** Finds the caller that a token stands for now; nothing is remembered. */
export async function findCaller(database: Database, token: string): Promise<Caller | null> {
  const callers = new TokenCallers(database, 100);
  return callers.find(token).finally(() => callers.close());
}
