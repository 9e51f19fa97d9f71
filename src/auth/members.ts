import type { PrismaClient, User, UserRole } from '../database/generated/client/client.ts';
import { Prisma } from '../database/generated/client/client.ts';
import { conflict, notFound } from '../errors.ts';
import { type ErasedTexts, eraseTexts } from './erase-texts.ts';
import { type Actor, eraseFromSecurityLog, recordSecurityEvent, type SecurityAction } from './security-log.ts';
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
 * Erases a deactivated member: their name and address are replaced, except in texts that people wrote, and they can
 * never sign in again. Their rows stay.
 *
 * @throws ServiceError NOT_FOUND, or CONFLICT for somebody who is active, or a user of another company too
 */
export const erase = (prisma: PrismaClient, member: MemberId, actor: Actor): Promise<User> =>
  changeMember(prisma, member, async (transaction, { id, email, fullName, deactivatedAt }) => {
    if (!deactivatedAt) throw conflict('Deactivate the user first.');
    if (await isMemberElsewhere(transaction, member))
      throw conflict('This person is also a user of another company, whose records would change.');
    const former = await findFormerTexts(transaction, member);
    const erased = { fullName: 'Erased user', email: `${id}@erased.invalid` };
    await transaction.user.updateMany({ where: inBoth(member), data: { ...erased, avatarUrl: null } });
    await eraseFromChanges(transaction, member, erased);
    const texts = [...new Set([email, fullName, ...former])];
    await eraseFromDeliveries(transaction, member, texts);
    await transaction.person.update({ where: { id }, data: { ...erased, twoFactorEnabled: false } });
    await transaction.twoFactor.deleteMany({ where: { personId: id } });
    await transaction.account.deleteMany({ where: { personId: id } });
    await transaction.session.deleteMany({ where: { personId: id } });
    await transaction.invitation.deleteMany({ where: { email } });
    const ofMember = { userId: id, company: inBoth(member).company };
    await transaction.notification.deleteMany({ where: ofMember });
    await transaction.notificationPreference.deleteMany({ where: ofMember });
    await revokeTokens(transaction, member);
    const replaced: ErasedTexts = {
      names: texts.filter((text) => !text.includes('@')),
      addresses: texts.filter((text) => text.includes('@')),
      name: erased.fullName,
      address: erased.email,
    };
    await eraseTexts(transaction, member.companyId, replaced);
    await eraseFromSecurityLog(transaction, member, replaced);
    await record(transaction, 'user_erased', member, actor);
  });

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
    if (!ofOthers && (await isMemberElsewhere(transaction, member)))
      throw conflict('This person is also a user of another company. Only the operator of the service can do this.');
    const { count } = await transaction.person.updateMany({
      where: { id, twoFactorEnabled: true },
      data: { twoFactorEnabled: false },
    });
    if (count === 0) throw conflict('This person signs in without an authenticator app.');
    await transaction.twoFactor.deleteMany({ where: { personId: id } });
    await record(transaction, 'two_factor_reset', member, actor);
  });

/** Whether a member is a user of another company too. */
async function isMemberElsewhere(
  transaction: Prisma.TransactionClient,
  { companyId, userId: id }: MemberId,
): Promise<boolean> {
  const others = { OR: [{ sandboxOfId: null }, { sandboxOfId: { not: companyId } }] };
  const elsewhere = { id, companyId: { not: companyId }, company: others };
  return (await transaction.user.count({ where: elsewhere })) > 0;
}

/** Finds a user's names and addresses in the log of changes of a company and its sandbox. */
async function findFormerTexts(
  transaction: Prisma.TransactionClient,
  { companyId, userId }: MemberId,
): Promise<string[]> {
  const rows = await transaction.$queryRaw<{ text: string }[]>`
    SELECT DISTINCT text FROM changes,
      unnest(ARRAY[before ->> 'full_name', after ->> 'full_name', before ->> 'email', after ->> 'email']) AS text
    WHERE company_id IN (SELECT id FROM companies WHERE ${companyId}::uuid IN (id, sandbox_of_id))
      AND table_name = 'users' AND row_id = ${userId}::uuid AND text <> ''`;
  return rows.map(({ text }) => text);
}

/** Replaces a user's names and addresses, also former ones, in the log of changes of a company and its sandbox. */
async function eraseFromChanges(
  transaction: Prisma.TransactionClient,
  { companyId, userId }: MemberId,
  { fullName, email }: { readonly fullName: string; readonly email: string },
): Promise<void> {
  const values = { full_name: fullName, email, avatar_url: null };
  const erased = (image: 'before' | 'after') => {
    const column = Prisma.raw(image);
    return Prisma.sql`${column} || (
      SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(${values}::jsonb)
      WHERE jsonb_exists(${column}, key)
    )`;
  };
  await transaction.$executeRaw`
    UPDATE changes SET before = ${erased('before')}, after = ${erased('after')}
    WHERE company_id IN (SELECT id FROM companies WHERE ${companyId}::uuid IN (id, sandbox_of_id))
      AND table_name = 'users' AND row_id = ${userId}::uuid`;
}

/** Removes the webhook messages about a user or with these texts, and the responses to them. */
async function eraseFromDeliveries(
  transaction: Prisma.TransactionClient,
  { companyId, userId }: MemberId,
  texts: readonly string[],
): Promise<void> {
  const patterns = texts.map(
    (text) =>
      `%${JSON.stringify(text)
        .slice(1, -1)
        .replaceAll(/[\\%_]/g, '\\$&')}%`,
  );
  await transaction.$executeRaw`
    UPDATE webhook_deliveries SET request = NULL, answer = NULL
    WHERE company_id IN (SELECT id FROM companies WHERE ${companyId}::uuid IN (id, sandbox_of_id))
      AND (row_id = ${userId}::uuid OR concat(request, answer) ILIKE ANY (${patterns}))`;
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
    if (!previous) throw notFound('User');
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
