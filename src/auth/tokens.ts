import { createHash, randomInt } from 'node:crypto';
import crc32 from 'crc/crc32';
import type { PrismaClient } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';
import type { Caller } from './caller.ts';
import { checkName, RefusedInput } from './companies.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const format = /^svc_(?:live|test)_[0-9A-Za-z]{38}$/;
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** What a new token is to be. */
export interface NewToken {
  /** The company itself, also for a test token. */
  companyId: string;
  /** A member of that company; the token acts as this user. */
  userId: string;
  /** What its owner calls it. */
  name: string;
  /** What it may do; see `parseScopes`. */
  scopes: readonly string[];
  /** True for a `svc_live_` token; false for a `svc_test_` one, which works on the company's sandbox. */
  live: boolean;
  /** Requests an hour; the service's default unless given. */
  rateLimit?: number;
  /** From then on it is refused; never unless given. */
  expiresAt?: Date;
}

/**
 * Makes a token and stores its SHA-256, so that the token itself is known to nobody but whoever is handed it here.
 *
 * @throws {RefusedInput} when the user is no member of the company, or the name cannot be one
 */
export async function createToken(prisma: PrismaClient, wanted: NewToken): Promise<{ id: string; token: string }> {
  const { companyId, live, userId, scopes, rateLimit, expiresAt } = wanted;
  const name = checkName('name', wanted.name);
  const company = live ? { id: companyId, sandboxOfId: null } : { sandboxOfId: companyId };
  const member = await prisma.user.findFirst({ where: { id: userId, company }, select: { companyId: true } });
  if (!member) throw new RefusedInput('user_id', 'unknown', 'the user is no member of the company');
  const token = writeToken(live ? 'svc_live_' : 'svc_test_');
  const limits = { scopes: [...scopes], rateLimit, expiresAt };
  const data = { companyId: member.companyId, userId, name, hash: hashOf(token), ...limits };
  const { id } = await prisma.apiToken.create({ data, select: { id: true } });
  return { id, token };
}

const unnoted = `(last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`;

// Every request runs this, so it is said in SQL: it costs a quarter of what the same through Prisma does.
const findToken = {
  name: 'find-token',
  text: `
    SELECT id, company_id, user_id, scopes, rate_limit,
           ${unnoted} AS note_use
    FROM api_tokens
    WHERE hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
};

const noteUse = `UPDATE api_tokens SET last_used_at = now() WHERE company_id = $1 AND id = $2 AND ${unnoted}`;

/**
 * Finds whom a token stands for, and notes when it was last used, to the minute, without making the request wait.
 * @param defaultRateLimit requests an hour for a token that has no limit of its own
 * @returns null when it is malformed, mistyped (neither costs a look-up), unknown, revoked or expired
 */
export async function findCaller(database: Database, token: string, defaultRateLimit: number): Promise<Caller | null> {
  if (!isWellFormed(token)) return null;
  const { rows } = await database.query({ ...findToken, values: [hashOf(token)] });
  const row = rows[0] as TokenRow | undefined;
  if (!row) return null;
  const { id, company_id: companyId, user_id: userId, scopes, rate_limit: rateLimit } = row;
  // A note that fails to be written is not worth failing the request for.
  if (row.note_use) database.query({ text: noteUse, values: [companyId, id] }).catch(() => {});
  return { kind: 'token', id, companyId, userId, scopes, rateLimit: rateLimit ?? defaultRateLimit };
}

/** What `findToken` selects. */
interface TokenRow {
  id: string;
  company_id: string;
  user_id: string;
  scopes: string[];
  rate_limit: number | null;
  note_use: boolean;
}

/** Revokes a token for good; false when there is none of that id that still works. @param of whose it must be */
export async function revokeToken(prisma: PrismaClient, id: string, of?: TokenOwners): Promise<boolean> {
  if (!uuid.test(id)) return false;
  const where = { ...(of && ownedBy(of)), id, revokedAt: null };
  const { count } = await prisma.apiToken.updateMany({ where, data: { revokedAt: new Date() } });
  return count > 0;
}

/** Gives a token its own limit of requests an hour, or the service's again; false when there is none of that id. */
export async function limitToken(
  prisma: PrismaClient,
  id: string,
  rateLimit: number | null,
  of: TokenOwners,
): Promise<boolean> {
  if (!uuid.test(id)) return false;
  const { count } = await prisma.apiToken.updateMany({ where: { ...ownedBy(of), id }, data: { rateLimit } });
  return count > 0;
}

/** Whose tokens are meant: a company's, on itself and on its sandbox, of all its members or of one. */
export interface TokenOwners {
  /** The company itself, also for test tokens. */
  readonly companyId: string;
  readonly userId?: string;
}

const ownedBy = ({ companyId: id, userId }: TokenOwners) => ({
  company: { OR: [{ id }, { sandboxOfId: id }] },
  userId,
});

/** What is known of a token once it is made. */
export interface KnownToken {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Whether it works on the company itself, and not on its sandbox. */
  readonly live: boolean;
  readonly state: 'VALID' | 'EXPIRED' | 'REVOKED';
  readonly rateLimit: number | null;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  readonly createdAt: Date;
  /** The member it acts as. */
  readonly owner: { readonly id: string; readonly fullName: string; readonly email: string };
}

/** Lists tokens, live and test, the latest first. @param which only one of them, or only those that are not revoked */
export async function listTokens(
  prisma: PrismaClient,
  of: TokenOwners,
  which: { id?: string; revoked?: false } = {},
): Promise<KnownToken[]> {
  if (which.id !== undefined && !uuid.test(which.id)) return [];
  const rows = await prisma.apiToken.findMany({
    where: { ...ownedBy(of), id: which.id, ...(which.revoked === false && { revokedAt: null }) },
    include: {
      user: { select: { id: true, fullName: true, email: true } },
      company: { select: { sandboxOfId: true } },
    },
    omit: { hash: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  return rows.map(({ user: owner, company, ...token }) => {
    const state = token.revokedAt ? 'REVOKED' : token.expiresAt && token.expiresAt <= new Date() ? 'EXPIRED' : 'VALID';
    return { ...token, state, live: company.sandboxOfId === null, owner };
  });
}

/** The SHA-256 of a token, as stored. */
function hashOf(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(token).digest());
}

function writeToken(prefix: 'svc_live_' | 'svc_test_'): string {
  const secret = Array.from({ length: 32 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return prefix + secret + checksum(prefix + secret);
}

/** Tells a token that could be ours from one that is mistyped or made up. */
export function isWellFormed(token: string): boolean {
  return format.test(token) && checksum(token.slice(0, -6)) === token.slice(-6);
}

/** CRC-32 in six base62 characters, so that secret scanners can tell a real token from a look-alike. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < 6; place++) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
