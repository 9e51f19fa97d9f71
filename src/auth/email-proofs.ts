import type { Prisma } from '../database/generated/client/client.ts';
import { type Actor, recordSecurityEvent } from './security-log.ts';
import { endSessions, hasPassword } from './sessions/passwords.ts';

/** How a person proved that their email address is theirs. */
export type ProofOfEmail = 'emailed link' | 'OpenID';

/**
 * Ends whatever signs a person in: their password, authenticator app, sessions, links that set a password, tokens in
 * all companies, and links to OpenID identities. As long as nobody proved the address, others may have set it up. Runs
 * in a transaction that has locked the person.
 *
 * @param keep the id of a session that does not end; nor does the link of the OpenID identity that it comes from
 */
export async function endAccess(
  transaction: Prisma.TransactionClient,
  personId: string,
  actor: Actor,
  keep?: string,
): Promise<void> {
  const sessions = await endSessions(transaction, personId, keep);
  const methods = keep === undefined ? {} : { providerId: 'credential' };
  await transaction.account.deleteMany({ where: { personId, ...methods } });
  await transaction.twoFactor.deleteMany({ where: { personId } });
  await transaction.person.update({
    where: { id: personId },
    data: { twoFactorEnabled: false, emailVerifiedAt: null },
  });
  const { count: tokens } = await transaction.apiToken.updateMany({
    where: { userId: personId, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  await recordSecurityEvent(transaction, { action: 'access_ended', actor, personId, details: { sessions, tokens } });
}

/**
 * Records that a person proved their email address, when nothing is left that others may have set up before. Runs in a
 * transaction that has locked the person.
 *
 * @param proof with an `emailed link`, the person has just set the password
 */
export async function recordProofOfEmail(
  transaction: Prisma.TransactionClient,
  personId: string,
  proof: ProofOfEmail,
  actor: Actor,
): Promise<void> {
  const { emailVerifiedAt, twoFactorEnabled } = await transaction.person.findUniqueOrThrow({
    where: { id: personId },
    select: { emailVerifiedAt: true, twoFactorEnabled: true },
  });
  if (emailVerifiedAt || twoFactorEnabled) return;
  if (proof === 'OpenID' && (await hasPassword(transaction, personId))) return;
  const expiry = [{ expiresAt: null }, { expiresAt: { gt: new Date() } }];
  const tokens = { where: { userId: personId, revokedAt: null, OR: expiry }, take: 1 };
  // Who signed in with OpenID alone has created their tokens.
  if (proof === 'emailed link' && (await transaction.apiToken.count(tokens)) > 0) return;
  await transaction.person.update({ where: { id: personId }, data: { emailVerifiedAt: new Date() } });
  await recordSecurityEvent(transaction, { action: 'email_verified', actor, personId, details: { method: proof } });
}
