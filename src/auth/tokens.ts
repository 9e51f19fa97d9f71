import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { DateTime } from 'luxon';
import type { Prisma } from '../database/generated/client/client.ts';
import { conflict } from '../errors.ts';
import { parseName } from './accounts.ts';
import { lockPerson } from './sessions/people.ts';

/** Maximum number of a user's tokens that are valid at the same time, live and test together. */
const maxTokens = 100;

/** The highest rate limit of a token, in requests per hour. */
export const maxRateLimit = 1_000_000_000;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const format = /^svc_(?:live|test)_[0-9A-Za-z]{38}$/;

/** How long a token is valid unless its creator chooses otherwise. */
const tokenYears = 1;

/** How many of a token's last characters are stored, by which its owner recognizes it. */
const shownLength = 4;

/** A token to create. */
interface NewToken {
  /** The company itself, also for a test token. */
  companyId: string;
  /** A member of that company; the token acts as this user. */
  userId: string;
  /** Its purpose, as its owner describes it. */
  name: string;
  /** Its scopes; see `parseScopes`. */
  scopes: readonly string[];
  /** Whether it is a `svc_live_` token rather than a `svc_test_` one, which accesses the company's sandbox. */
  live: boolean;
  /** Requests per hour; the service's default unless given. */
  rateLimit?: number;
  /** When it expires: in a year unless given, and never if null. */
  expiresAt?: Date | null;
}

/**
 * Creates a token. Only its SHA-256 is stored, so the returned token cannot be shown again.
 *
 * @throws ServiceError VALIDATION_ERROR for `name` when it is malformed; CONFLICT when the user is not an active member
 *   of the company, or has as many valid tokens as possible
 */
export async function createToken(
  prisma: Prisma.TransactionClient,
  input: NewToken,
): Promise<{ id: string; token: string }> {
  const { companyId, live, userId, scopes, rateLimit, expiresAt = inYears(tokenYears) } = input;
  const name = parseName('name', input.name);
  const company = live ? { id: companyId, sandboxOfId: null } : { sandboxOfId: companyId };
  const member = await prisma.user.findFirst({
    where: { id: userId, company, deactivatedAt: null },
    select: { companyId: true },
  });
  if (!member) throw conflict('The user is not an active member of the company.');
  const token = generateToken(live ? 'svc_live_' : 'svc_test_');
  const limits = { scopes: [...scopes], rateLimit, expiresAt };
  const data = {
    companyId: member.companyId,
    userId,
    name,
    hash: storedHash(token),
    lastFour: token.slice(-shownLength),
    ...limits,
  };
  return prisma.$transaction(async (transaction) => {
    await lockPerson(transaction, userId);
    if ((await countValidTokens(transaction, companyId, userId)) >= maxTokens)
      throw conflict(`The user has ${maxTokens} valid tokens, which is the maximum. Revoke one first.`);
    const { id } = await transaction.apiToken.create({ data, select: { id: true } });
    return { id, token };
  });
}

const inYears = (years: number): Date => DateTime.utc().plus({ years }).toJSDate();

/** Counts a member's tokens that are neither revoked nor expired. */
const countValidTokens = (prisma: Prisma.TransactionClient, companyId: string, userId: string): Promise<number> =>
  prisma.apiToken.count({
    where: {
      ...ownedBy({ companyId, userId }),
      revokedAt: null,
      OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }],
    },
  });

/**
 * Revokes a token permanently.
 *
 * @param owner limits this to the owner's tokens
 * @returns false when there is no such token or it is revoked already
 */
export async function revokeToken(prisma: Prisma.TransactionClient, id: string, owner?: TokenOwner): Promise<boolean> {
  const where = { ...(owner && ownedBy(owner)), id, revokedAt: null };
  const { count } = await prisma.apiToken.updateMany({ where, data: { revokedAt: new Date() } });
  return count > 0;
}

/** Revokes all tokens of a company or of one of its members. @returns how many were not revoked yet */
export async function revokeTokens(prisma: Prisma.TransactionClient, owner: TokenOwner): Promise<number> {
  const where = { ...ownedBy(owner), revokedAt: null };
  const { count } = await prisma.apiToken.updateMany({ where, data: { revokedAt: new Date() } });
  return count;
}

/**
 * Sets a token's rate limit, in requests per hour; null for the service's default.
 *
 * @returns false when there is no such token
 */
export async function setTokenRateLimit(
  prisma: Prisma.TransactionClient,
  id: string,
  rateLimit: number | null,
  owner: TokenOwner,
): Promise<boolean> {
  const { count } = await prisma.apiToken.updateMany({ where: { ...ownedBy(owner), id }, data: { rateLimit } });
  return count > 0;
}

/** The owner of tokens: all members of a company and its sandbox, or one member. */
interface TokenOwner {
  /** The company itself, also for test tokens. */
  readonly companyId: string;
  readonly userId?: string;
}

const ownedBy = ({ companyId: id, userId }: TokenOwner) => ({
  company: { OR: [{ id }, { sandboxOfId: id }] },
  userId,
});

/** A token without its secret. */
export interface TokenDetails {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** The last four characters; null for a token from before they were recorded. */
  readonly lastFour: string | null;
  /** Whether it works on the company itself, or on its sandbox. */
  readonly live: boolean;
  readonly state: 'VALID' | 'EXPIRED' | 'REVOKED';
  readonly rateLimit: number | null;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  readonly createdAt: Date;
  /** The member it acts as. */
  readonly owner: { readonly id: string; readonly fullName: string; readonly email: string };
  /** The company or sandbox that it works on. */
  readonly company: { readonly id: string; readonly name: string; readonly slug: string };
}

/** Lists tokens, live and test, newest first. @param filter only the one with this id, or only those not revoked */
export async function listTokens(
  prisma: Prisma.TransactionClient,
  owner: TokenOwner,
  filter: { id?: string; revoked?: false } = {},
): Promise<TokenDetails[]> {
  const rows = await prisma.apiToken.findMany({
    where: { ...ownedBy(owner), id: filter.id, ...(filter.revoked === false && { revokedAt: null }) },
    include: {
      user: { select: { id: true, fullName: true, email: true } },
      company: { select: { id: true, name: true, slug: true, sandboxOfId: true } },
    },
    omit: { hash: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  return rows.map(({ user, ...token }) => {
    const state = token.revokedAt ? 'REVOKED' : token.expiresAt && token.expiresAt <= new Date() ? 'EXPIRED' : 'VALID';
    return { ...token, state, live: token.company.sandboxOfId === null, owner: user };
  });
}

/** The SHA-256 of a token in base64: the token itself is stored nowhere. */
export const hashOf = (token: string): string => hash('sha256', token, 'base64');

/** The same in bytes, as stored. */
export const storedHash = (token: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(hashOf(token), 'base64'));

function generateToken(prefix: 'svc_live_' | 'svc_test_'): string {
  const secret = Array.from({ length: 32 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return prefix + secret + checksum(prefix + secret);
}

/** Whether a token has our format and a valid checksum. Mistyped tokens do not. */
export function isWellFormed(token: string): boolean {
  return format.test(token) && checksum(token.slice(0, -6)) === token.slice(-6);
}

/** CRC-32 in six base62 characters, which lets secret scanners verify our tokens. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < 6; place++) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
