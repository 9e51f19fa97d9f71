import { scopesOfRole } from '../auth/sessions/people.ts';
import type { Context } from '../context.ts';
import type { UserRole } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';
import { tenantClient } from '../database/tenant.ts';
import { noMailer } from '../mail/index.ts';

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
 * @param requestId identifies what it is for
 */
export function ownerContext(
  { prisma, reader, writer, transaction }: Database,
  { companyId, timeZone, userId, role }: Owner,
  requestId: string,
): Context {
  const scopes = scopesOfRole(role);
  return {
    caller: { kind: 'token', id: requestId, companyId, timeZone, userId, role, scopes, rateLimit: 0 },
    unscopedDb: prisma,
    reader,
    writer,
    transaction,
    db: tenantClient({ prisma, writer }, companyId),
    mailer: noMailer,
    requestId,
    ip: '',
    refusedFields: new Set(),
  };
}
