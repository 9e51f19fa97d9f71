import { randomInt } from 'node:crypto';
import type { Person, Prisma, PrismaClient } from '../../database/generated/client/client.ts';
import { validationError } from '../../errors.ts';
import { findCharacterError } from '../../formats.ts';
import { accessError } from '../access.ts';
import { hashPassword, verifyHash } from './hash-passwords.ts';
import { lockPerson } from './people.ts';

export const minPasswordLength = 10;
export const maxPasswordLength = 128;

/** better-auth's provider id for passwords. */
const providerId = 'credential';

/** Checks a new password. @returns what is wrong with it, for example `must be at least 10 characters` */
export function validatePassword(password: string): string | undefined {
  if (password.length < minPasswordLength) return `must be at least ${minPasswordLength} characters`;
  if (password.length > maxPasswordLength) return `must be at most ${maxPasswordLength} characters`;
  return findCharacterError(password);
}

/** Parts of a name or address that are shorter occur in too many words. */
const minNameLength = 4;

/** The letters and digits of a text, without accents: what is left however a name is written. */
const lettersOf = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** Whether a password contains a person's name or email address. */
function containsName(password: string, { fullName, email }: Pick<Person, 'fullName' | 'email'>): boolean {
  const text = lettersOf(password);
  const [local = '', domain = ''] = email.split('@');
  const names = fullName.split(/[\s-]+/);
  const parts = [...names, fullName, names.toReversed().join(''), ...local.split(/[^a-z0-9]+/i), local];
  return [...parts, domain.split('.')[0] ?? '']
    .map(lettersOf)
    .some((part) => part.length >= minNameLength && text.includes(part));
}

/**
 * Checks a new password of a person, as `validatePassword` does, and that it is neither common nor their own name.
 *
 * @returns what is wrong with it; undefined for a good one
 */
export async function validateNewPassword(
  password: string,
  person: Pick<Person, 'fullName' | 'email'>,
): Promise<string | undefined> {
  const problem = validatePassword(password);
  if (problem) return problem;
  if (containsName(password, person)) return 'must not contain your name or email address';
  // Few requests need the list.
  const { isCommon } = await import('./common-passwords.ts');
  return isCommon(password) ? 'is one of the most common passwords' : undefined;
}

/**
 * Sets a person's password, which somebody else chose and hands over, and ends their sessions. It proves no address.
 *
 * @throws ServiceError VALIDATION_ERROR for `password`, as `validateNewPassword` finds it wrong
 */
export async function setPassword(prisma: PrismaClient, personId: string, password: string): Promise<void> {
  const person = await prisma.person.findUniqueOrThrow({ where: { id: personId } });
  const problem = await validateNewPassword(password, person);
  if (problem) throw validationError({ password: problem });
  const hash = await hashPassword(password);
  await prisma.$transaction(async (transaction) => {
    await storePasswordHash(transaction, personId, hash);
    await transaction.person.update({ where: { id: personId }, data: { emailVerifiedAt: null } });
  });
}

/**
 * Sets a person's password, of which `hash` is the hash, and ends their sessions, sign-ins that wait for a code, and
 * links that set a password. Runs in a transaction.
 *
 * @param keep the id of the session that sets it, which does not end
 * @throws ServiceError INVALID_TOKEN when that session has ended meanwhile
 */
export async function storePasswordHash(
  transaction: Prisma.TransactionClient,
  personId: string,
  hash: string,
  keep?: string,
): Promise<void> {
  await lockPerson(transaction, personId);
  // Else a change that began before another one, such as that of the address's owner, would replace it.
  if (keep !== undefined && (await transaction.session.count({ where: { id: keep } })) === 0)
    throw accessError({ kind: 'guest' }, 'session');
  await transaction.account.upsert({
    where: { providerId_accountId: { providerId, accountId: personId } },
    create: { personId, providerId, accountId: personId, password: hash },
    update: { password: hash },
  });
  await endSessions(transaction, personId, keep);
}

/**
 * Ends a person's sessions, sign-ins that wait for a code, and links that set a password. Runs in a transaction that
 * has locked the person.
 *
 * @param keep the id of a session that does not end
 */
export async function endSessions(
  transaction: Prisma.TransactionClient,
  personId: string,
  keep?: string,
): Promise<number> {
  await transaction.verification.deleteMany({ where: { value: personId } });
  await transaction.passwordReset.deleteMany({ where: { personId } });
  return (await transaction.session.deleteMany({ where: { personId, id: { not: keep } } })).count;
}

/** Checks a person's password. @returns whether it is right; undefined when the person has none */
export async function verifyPassword(
  prisma: PrismaClient,
  personId: string,
  password: string,
): Promise<boolean | undefined> {
  const hash = await findPasswordHash(prisma, { id: personId });
  return hash === undefined ? undefined : verifyHash({ hash, password });
}

/** Whether a person can sign in with a password. */
export const hasPassword = async (prisma: Prisma.TransactionClient, personId: string): Promise<boolean> =>
  (await findPasswordHash(prisma, { id: personId })) !== undefined;

/** Finds the hash of the password of the person with an id or an email address; undefined without one. */
export async function findPasswordHash(
  prisma: Prisma.TransactionClient,
  person: { readonly id: string } | { readonly email: string },
): Promise<string | undefined> {
  const where = { providerId, person };
  return (await prisma.account.findFirst({ where, select: { password: true } }))?.password ?? undefined;
}

/** Letters and digits that are not easily confused. */
const legibleCharacters = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Generates a random password that is easy to type: four groups of four characters. */
export function generatePassword(): string {
  const group = () => Array.from({ length: 4 }, () => legibleCharacters[randomInt(legibleCharacters.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}
