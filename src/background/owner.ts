import { scopesOfRole } from '../auth/sessions/people.ts';
import { type Context, createContext } from '../context.ts';
import type { UserRole } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';
import type { Files } from '../files/index.ts';
import type { Api } from '../resource/index.ts';

/** A user on whose behalf the service reads, such as the owner of a webhook. */
export interface Owner {
  readonly companyId: string;
  readonly timeZone: string;
  readonly userId: string;
  readonly role: UserRole;
}

/**
 * The context in which a user reads without a request, in the role that they have now.
 *
 * @param api whose rows are read
 * @param requestId identifies what it is for
 * @param files where files are, if it writes rows that can hold some
 */
export function ownerContext(
  database: Database,
  { storage }: Pick<Api, 'storage'>,
  { companyId, timeZone, userId, role }: Owner,
  requestId: string,
  files?: Files,
): Context {
  const scopes = scopesOfRole(role);
  return createContext(database, {
    caller: { kind: 'token', id: requestId, companyId, timeZone, userId, role, scopes, rateLimit: 0 },
    storage,
    requestId,
    ...(files && { files }),
  });
}
