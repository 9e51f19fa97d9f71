import type { Prisma, PrismaClient, User, UserRole } from '../database/generated/client/client.ts';
import { conflict, notFound } from '../errors.ts';
import { type Actor, actorArguments, recordSecurityEvent, type SecurityAction } from './security-log.ts';
import { oidcProviderId } from './sessions/openid-links.ts';
import { endSessions } from './sessions/passwords.ts';
import { isMemberElsewhere, lockPerson } from './sessions/people.ts';
import { revokeTokens } from './tokens.ts';

/** A member of a company, never of a sandbox. Changes to a member apply to the sandbox too. */
export interface MemberId {
  readonly companyId: string;
  readonly userId: string;
}

/** Selects a member in a company and in its sandbox. */
const inBoth = ({ companyId: id, userId }: MemberId) => ({
  id: userId,
  company: { OR: [{ id }, { sandboxOfId: id }] },
});

/**
 * Changes a member's role. It bounds their sessions and tokens within a second.
 *
 * @throws ServiceError NOT_FOUND, or CONFLICT for the last active admin
 */
export const setRole = (prisma: PrismaClient, member: MemberId, role: UserRole, actor: Actor): Promise<User> =>
  changeMember(prisma, member, async (transaction, previous) => {
    if (previous.role === role) return;
    if (role !== 'ADMIN') await assertOtherAdmin(transaction, previous);
    await transaction.user.updateMany({ where: inBoth(member), data: { role } });
    const details = { from: previous.role.toLowerCase(), to: role.toLowerCase() };
    await record(transaction, 'role_changed', member, actor, details);
  });

/**
 * Deactivates a member: within a second none of their sessions and tokens works in the company any more. Their rows
 * stay as they are.
 *
 * @throws ServiceError NOT_FOUND, or CONFLICT for the last active admin
 */
export const deactivate = (prisma: PrismaClient, member: MemberId, actor: Actor): Promise<User> =>
  changeMember(prisma, member, async (transaction, previous) => {
    if (previous.deactivatedAt) return;
    await assertOtherAdmin(transaction, previous);
    await transaction.user.updateMany({ where: inBoth(member), data: { deactivatedAt: new Date() } });
    // The sessions of a person who is active in another company continue there.
    const active = await transaction.user.count({ where: { id: member.userId, deactivatedAt: null } });
    if (active === 0) await transaction.session.deleteMany({ where: { personId: member.userId } });
    await record(transaction, 'user_deactivated', member, actor);
  });

/** Reactivates a member, with the role and the tokens that they had. @throws ServiceError NOT_FOUND */
export const reactivate = (prisma: PrismaClient, member: MemberId, actor: Actor): Promise<User> =>
  changeMember(prisma, member, async (transaction, previous) => {
    if (!previous.deactivatedAt) return;
    await transaction.user.updateMany({ where: inBoth(member), data: { deactivatedAt: null } });
    await record(transaction, 'user_reactivated', member, actor);
  });

/**
 * Erases a deactivated member: their name and address are replaced where their id or address identifies them, and they
 * can never sign in again. What others wrote stays, and so do their rows.
 *
 * @throws ServiceError NOT_FOUND, or CONFLICT for somebody who is active, or a user of another company too
 */
export const erase = (prisma: PrismaClient, member: MemberId, actor: Actor): Promise<User> =>
  changeMember(prisma, member, async (transaction, { id, deactivatedAt }) => {
    if (!deactivatedAt) throw conflict('Deactivate the user first.');
    // Somebody may be adding them to another company.
    await transaction.$queryRaw`SELECT 1 FROM people WHERE id = ${id}::uuid FOR UPDATE`;
    if (await isMemberElsewhere(transaction, member))
      throw conflict('This person is also a user of another company, whose records would change.');
    const [{ addresses } = { addresses: [] }] = await transaction.$queryRaw<{ addresses: string[] }[]>`
      SELECT erase_user(${member.companyId}::uuid, ${id}::uuid, ${actorArguments(actor)}) AS addresses`;
    await eraseMessages(transaction, member, addresses);
    await transaction.person.updateMany({ where: { id }, data: { language: null, timeZone: null } });
    await transaction.twoFactor.deleteMany({ where: { personId: id } });
    await transaction.account.deleteMany({ where: { personId: id } });
    await endSessions(transaction, id);
    // The addresses are in lower case by this function; Prisma would compare by the locale of the database.
    await transaction.$executeRaw`
      DELETE FROM invitations WHERE company_id IN (SELECT id FROM companies WHERE ${member.companyId}::uuid IN (id, sandbox_of_id))
        AND lower_case(email) = ANY (${addresses})`;
    const { company } = inBoth(member);
    // Of packages that were registered with their address: it is replaced by now.
    const ofTheirs = { company, package: { guestEmail: erasedAddress(id) }, status: 'pending' };
    await transaction.guestMail.updateMany({ where: ofTheirs, data: { status: 'skipped' } });
    // Rows hold them; who sent them is nobody's any more.
    await transaction.file.updateMany({ where: { company, userId: id }, data: { userId: null } });
    await eraseAvatars(transaction, member);
    await transaction.fileUpload.deleteMany({ where: { company, userId: id } });
    await transaction.calendarFeed.deleteMany({ where: { company, userId: id } });
    await transaction.notification.deleteMany({ where: { company, userId: id } });
    await transaction.notificationPreference.deleteMany({ where: { company, userId: id } });
    await revokeTokens(transaction, member);
  });

/** Deletes a person's pictures at once, unless another row holds one. */
async function eraseAvatars(transaction: Prisma.TransactionClient, member: MemberId): Promise<void> {
  const { company } = inBoth(member);
  const where = { company, id: member.userId, avatarId: { not: null } };
  const theirs = await transaction.user.findMany({ where, select: { companyId: true, avatarId: true } });
  await transaction.user.updateMany({ where, data: { avatarId: null } });
  for (const { companyId, avatarId } of theirs)
    await transaction.file.deleteMany({ where: { companyId, id: avatarId ?? '', unheldSince: { not: null } } });
}

/** What the database replaces the address of an erased user with. */
const erasedAddress = (id: string) => `${id}@erased.invalid`;

/**
 * Lets a member who has lost their authenticator app sign in with their password alone, until they set up another one.
 *
 * @throws ServiceError NOT_FOUND, or CONFLICT for somebody without one
 */
export const resetTwoFactor = (
  prisma: PrismaClient,
  member: MemberId,
  actor: Actor,
  { ofOthers = false }: { readonly ofOthers?: boolean } = {},
): Promise<User> =>
  changeMember(prisma, member, async (transaction, { id }) => {
    if (!ofOthers) await assertOnlyHere(transaction, member);
    const { count } = await transaction.person.updateMany({
      where: { id, twoFactorEnabled: true },
      data: { twoFactorEnabled: false },
    });
    if (count === 0) throw conflict('This person signs in without an authenticator app.');
    await transaction.twoFactor.deleteMany({ where: { personId: id } });
    await record(transaction, 'two_factor_reset', member, actor);
  });

/**
 * Unlinks a member from their OpenID identity, so that they can sign in with another one, and ends their sessions.
 *
 * @throws ServiceError NOT_FOUND, or CONFLICT for somebody without one
 */
export const unlinkOpenId = (
  prisma: PrismaClient,
  member: MemberId,
  actor: Actor,
  { ofOthers = false }: { readonly ofOthers?: boolean } = {},
): Promise<User> =>
  changeMember(prisma, member, async (transaction, { id: personId }) => {
    if (!ofOthers) await assertOnlyHere(transaction, member);
    await lockPerson(transaction, personId);
    const { count } = await transaction.account.deleteMany({ where: { personId, providerId: oidcProviderId } });
    if (count === 0) throw conflict('This person is not linked to an OpenID identity.');
    await endSessions(transaction, personId);
    await record(transaction, 'openid_unlinked', member, actor);
  });

/** @throws ServiceError CONFLICT for somebody whose account other companies rely on too */
export async function assertOnlyHere(transaction: Prisma.TransactionClient, member: MemberId): Promise<void> {
  if (await isMemberElsewhere(transaction, member))
    throw conflict('This person is also a user of another company. Only the operator of the service can do this.');
}

/** Removes the webhook messages with the id of a user or one of their addresses, and the responses to them. */
async function eraseMessages(
  transaction: Prisma.TransactionClient,
  { companyId, userId }: MemberId,
  addresses: readonly string[],
): Promise<void> {
  const texts = [userId, ...addresses].map((text) => text.replaceAll(/[^a-z0-9@]/g, '\\$&'));
  // Not as a part of another address. In JSON a line may begin with \n.
  const pattern = `((?<![[:alnum:]._%+-])|(?<=\\\\[bfnrt]|\\\\u....))(${texts.join('|')})(?![-.]?[[:alnum:]])`;
  await transaction.$executeRaw`
    UPDATE webhook_deliveries SET request = NULL, answer = NULL
    WHERE company_id IN (SELECT id FROM companies WHERE ${companyId}::uuid IN (id, sandbox_of_id))
      AND (row_id = ${userId}::uuid OR request COLLATE "und-x-icu" ~* ${pattern}
        OR answer COLLATE "und-x-icu" ~* ${pattern})`;
}

const record = (
  transaction: Prisma.TransactionClient,
  action: SecurityAction,
  { companyId, userId: personId }: MemberId,
  actor: Actor,
  details?: Record<string, string>,
): Promise<void> => recordSecurityEvent(transaction, { action, actor, companyId, personId, details });

/** Changes a member while no other member of the company changes. @returns the member afterwards */
async function changeMember(
  prisma: PrismaClient,
  { companyId, userId: id }: MemberId,
  change: (transaction: Prisma.TransactionClient, previous: User) => Promise<void>,
): Promise<User> {
  return prisma.$transaction(async (transaction) => {
    await transaction.$queryRaw`SELECT 1 FROM companies WHERE id = ${companyId}::uuid FOR NO KEY UPDATE`;
    const where = { companyId_id: { companyId, id } };
    const previous = await transaction.user.findUnique({ where });
    if (!previous) throw notFound('user');
    await change(transaction, previous);
    return transaction.user.findUniqueOrThrow({ where });
  });
}

/** @throws ServiceError CONFLICT when the company would be left without an active admin */
async function assertOtherAdmin(
  transaction: Prisma.TransactionClient,
  { companyId, id, role, deactivatedAt }: User,
): Promise<void> {
  if (role !== 'ADMIN' || deactivatedAt) return;
  const others = { companyId, role, deactivatedAt: null, id: { not: id } } as const;
  if ((await transaction.user.count({ where: others })) > 0) return;
  throw conflict('This is the last active admin of the company. Make somebody else an admin first.');
}
