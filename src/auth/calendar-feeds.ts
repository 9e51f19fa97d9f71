import { hash, randomBytes } from 'node:crypto';
import type { Prisma, UserRole } from '../database/generated/client/client.ts';
import { conflict } from '../errors.ts';
import { lockPerson } from './sessions/people.ts';

/** Maximum number of addresses of a person in a company. */
const maxFeeds = 10;

/** Whose feed it is. */
interface FeedOwner {
  readonly companyId: string;
  readonly userId: string;
}

/** An address of a calendar; `path` only where it has just been made. */
export interface CalendarFeed {
  readonly id: string;
  readonly createdAt: Date;
  readonly path?: string;
}

const select = { id: true, createdAt: true } as const;

/** The addresses of calendars, below that of the service. */
export const calendarPath = '/calendars';

/** Makes an address. Only the hash of its secret, of 192 bits, is stored. @throws ServiceError CONFLICT */
export async function createFeed(transaction: Prisma.TransactionClient, owner: FeedOwner): Promise<CalendarFeed> {
  await lockPerson(transaction, owner.userId);
  if ((await transaction.calendarFeed.count({ where: { ...owner } })) >= maxFeeds)
    throw conflict(`You have ${maxFeeds} calendar addresses, which is the maximum. Delete one first.`);
  const secret = randomBytes(24).toString('base64url');
  const feed = await transaction.calendarFeed.create({ data: { ...owner, tokenHash: storedHash(secret) }, select });
  return { ...feed, path: `${calendarPath}/${secret}.ics` };
}

/** Lists the addresses of a person, newest first. */
export const listFeeds = (prisma: Prisma.TransactionClient, owner: FeedOwner): Promise<CalendarFeed[]> =>
  prisma.calendarFeed.findMany({ where: { ...owner }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], select });

/** Deletes an address. @returns it, or null when there is none */
export async function deleteFeed(
  transaction: Prisma.TransactionClient,
  owner: FeedOwner,
  id: string,
): Promise<CalendarFeed | null> {
  const where = { ...owner, id };
  const found = await transaction.calendarFeed.findFirst({ where, select });
  if (found) await transaction.calendarFeed.deleteMany({ where });
  return found;
}

/** The feed of an address, and the person as whom it is read. */
export interface OpenFeed extends FeedOwner {
  readonly id: string;
  readonly role: UserRole;
  readonly timeZone: string;
  readonly companyName: string;
  readonly companySlug: string;
}

const form = /^[\w-]{32}$/;

/** Finds the feed of an address's secret; null where its owner is no active user of the company. */
export async function findFeed(prisma: Prisma.TransactionClient, secret: string): Promise<OpenFeed | null> {
  if (!form.test(secret)) return null;
  // The secret says which row is meant, and the row says which company.
  const [found] = await prisma.$queryRaw<OpenFeed[]>`
    SELECT feed.id, feed.company_id AS "companyId", feed.user_id AS "userId", upper(member.role::text COLLATE "C") AS role,
           company.time_zone AS "timeZone", company.name AS "companyName", company.slug AS "companySlug"
    FROM calendar_feeds AS feed
    JOIN users AS member ON member.company_id = feed.company_id AND member.id = feed.user_id
    JOIN companies AS company ON company.id = feed.company_id
    WHERE feed.token_hash = ${storedHash(secret)} AND member.deactivated_at IS NULL`;
  return found ?? null;
}

const storedHash = (secret: string): Uint8Array<ArrayBuffer> => new Uint8Array(hash('sha256', secret, 'buffer'));
