import type { Prisma, PrismaClient } from '../database/generated/client/client.ts';
import { conflict, notFound } from '../errors.ts';
import { recordProofOfEmail } from './email-proofs.ts';
import { createLinkToken } from './invitations.ts';
import { assertOnlyHere, type MemberId } from './members.ts';
import { type Actor, recordSecurityEvent } from './security-log.ts';
import { storePasswordHash } from './sessions/passwords.ts';
import { isMemberElsewhere, lockPerson } from './sessions/people.ts';
import { storedHash } from './tokens.ts';

/** How long (ms) a link that sets a password is valid. */
const validForMs = 3_600_000;

/** A link that can set a password. */
export interface PasswordReset {
  readonly id: string;
  readonly personId: string;
  /** The company whose admin handed it over; null if it was emailed. */
  readonly handedOverBy: string | null;
  readonly email: string;
  readonly fullName: string;
}

/**
 * Creates a link that sets a person's password, once, within an hour.
 *
 * @param handedOverBy the company whose admin hands it over; null if it is emailed to the person and shown to nobody
 * @returns its token, which is not stored
 */
export async function createPasswordReset(
  prisma: Prisma.TransactionClient,
  personId: string,
  handedOverBy: string | null,
): Promise<{ token: string; expiresAt: Date }> {
  await prisma.passwordReset.deleteMany({ where: { expiresAt: { lt: new Date() } } });
  const token = createLinkToken();
  const expiresAt = new Date(Date.now() + validForMs);
  await prisma.passwordReset.create({
    data: { personId, handedOverBy, tokenHash: storedHash(token), expiresAt },
    select: { id: true },
  });
  return { token, expiresAt };
}

/**
 * Creates a link that an admin hands over to a member of their company.
 *
 * @returns its token, which is not stored
 * @throws ServiceError NOT_FOUND, or CONFLICT for oneself, somebody deactivated, or a user of another company too
 */
export async function handOverPasswordReset(
  prisma: PrismaClient,
  { companyId, userId }: MemberId,
  actor: Actor,
): Promise<{ token: string; expiresAt: Date }> {
  return prisma.$transaction(async (transaction) => {
    const where = { companyId_id: { companyId, id: userId } };
    const user = await transaction.user.findUnique({ where, select: { deactivatedAt: true } });
    if (!user) throw notFound('user');
    if (userId === actor.personId) throw conflict('Change your own password on the page /account.');
    if (user.deactivatedAt) throw conflict('Reactivate the user first.');
    await assertOnlyHere(transaction, { companyId, userId });
    const reset = await createPasswordReset(transaction, userId, companyId);
    const event = { action: 'password_reset_link_created', actor, companyId, personId: userId } as const;
    await recordSecurityEvent(transaction, event);
    return reset;
  });
}

/** Finds a link that can set a password, by its token; null when there is none. */
export async function findPasswordReset(
  prisma: Prisma.TransactionClient,
  token: string,
): Promise<PasswordReset | null> {
  const found = await prisma.passwordReset.findFirst({
    where: { tokenHash: storedHash(token), expiresAt: { gt: new Date() } },
    select: { id: true, personId: true, handedOverBy: true, person: { select: { email: true, fullName: true } } },
  });
  if (!found) return null;
  const { person, ...reset } = found;
  // An admin who hands a link over must not get into the other companies of a person.
  const { handedOverBy: companyId, personId: userId } = reset;
  if (companyId !== null && (await isMemberElsewhere(prisma, { companyId, userId }))) return null;
  return { ...reset, ...person };
}

/**
 * Sets the password of a link's person, ends their sessions and all such links, and keeps their authenticator app. Runs
 * in a transaction.
 *
 * @param token of the link
 * @param hash of the password
 * @throws ServiceError NOT_FOUND when the link was used or has expired meanwhile
 */
export async function usePasswordReset(
  transaction: Prisma.TransactionClient,
  { personId }: PasswordReset,
  token: string,
  hash: string,
  by: Actor,
): Promise<void> {
  await lockPerson(transaction, personId);
  const reset = await findPasswordReset(transaction, token);
  if (!reset) throw notFound('password reset');
  const isEmailed = reset.handedOverBy === null;
  // Whoever handed the link over may have used it.
  const actor = isEmailed ? { ...by, personId } : by;
  await storePasswordHash(transaction, personId, hash);
  const details = { method: isEmailed ? 'emailed link' : 'link from an admin' };
  await recordSecurityEvent(transaction, { action: 'password_changed', actor, personId, details });
  if (isEmailed) await recordProofOfEmail(transaction, personId, 'emailed link', actor);
  else await transaction.person.update({ where: { id: personId }, data: { emailVerifiedAt: null } });
}
