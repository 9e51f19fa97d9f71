import { randomInt } from 'node:crypto';
import { hashPassword, verifyPassword } from 'better-auth/crypto';
import type { PrismaClient } from '../../database/generated/client/client.ts';
import { RefusedInput } from '../companies.ts';

export const shortestPassword = 10;
export const longestPassword = 128;

/** The provider that the library calls a password. */
const providerId = 'credential';

/** @returns what is wrong with a new password, if anything */
export function passwordFault(password: string): string | undefined {
  if (password.length < shortestPassword) return `must have at least ${shortestPassword} characters`;
  if (password.length > longestPassword) return `must have at most ${longestPassword} characters`;
  return undefined;
}

/**
 * Gives a person a password, and ends their sessions: whoever is signed in with another one has to sign in again.
 *
 * @param keep the id of a session that goes on
 * @throws {RefusedInput} when it is too short or too long
 */
export async function setPassword(
  prisma: PrismaClient,
  personId: string,
  password: string,
  keep?: string,
): Promise<void> {
  const fault = passwordFault(password);
  if (fault) throw new RefusedInput('password', 'invalid', `the password ${fault}`);
  const hash = await hashPassword(password);
  await prisma.$transaction([
    prisma.account.upsert({
      where: { providerId_accountId: { providerId, accountId: personId } },
      create: { personId, providerId, accountId: personId, password: hash },
      update: { password: hash },
    }),
    prisma.session.deleteMany({ where: { personId, id: { not: keep } } }),
  ]);
}

/** Whether a password is a person's; undefined when they have none. */
export async function isPassword(
  prisma: PrismaClient,
  personId: string,
  password: string,
): Promise<boolean | undefined> {
  const hash = await passwordHash(prisma, personId);
  return hash === undefined ? undefined : verifyPassword({ hash, password });
}

/** Whether a person can sign in with a password. */
export const hasPassword = async (prisma: PrismaClient, personId: string): Promise<boolean> =>
  (await passwordHash(prisma, personId)) !== undefined;

async function passwordHash(prisma: PrismaClient, personId: string): Promise<string | undefined> {
  const where = { providerId_accountId: { providerId, accountId: personId } };
  return (await prisma.account.findUnique({ where, select: { password: true } }))?.password ?? undefined;
}

/** Letters and digits that are not taken for one another. */
const legible = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A password nobody guesses and everybody can type: four groups of four. */
export function makePassword(): string {
  const group = () => Array.from({ length: 4 }, () => legible[randomInt(legible.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}
