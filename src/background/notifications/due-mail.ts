import { Prisma } from '../../database/generated/client/client.ts';
import type { StoredNotification } from '../../schema/notifications/view.ts';
import { leaseSeconds } from '../mail-queue.ts';
import { type WithoutSortingDatabase, withoutSorting } from '../without-sorting.ts';
import { leaseEnd } from '../work-queue.ts';

/** How many notifications of a company are examined at a look, and how many are postponed at once. */
const maxExamined = 100;
const maxPostponed = 1000;

/** A message to send: notifications of one person, oldest first. */
export interface Mail {
  readonly companyId: string;
  readonly userId: string;
  readonly attempts: number;
  readonly items: readonly Omit<StoredNotification, 'readAt'>[];
}

/**
 * The first notifications of a company that are due, by an index. A statement that changes rows finds them again by
 * their place (`ctid`): with their keys, and few pending when PostgreSQL last counted, it may read all pending ones of
 * the company for each.
 */
const firstDue = (companyId: string, limit: number) => Prisma.sql`
  SELECT ctid, id, company_id, user_id, mail_group, next_at FROM notifications
  WHERE company_id = ${companyId}::uuid AND mail_status = 'pending' AND next_at <= now()
  ORDER BY next_at, id LIMIT ${limit}::int`;

/** The pending notifications of one's message, by an index that has them in order. */
const ofMessage = Prisma.sql`
  SELECT member.ctid, member.id, member.next_at FROM notifications AS member
  WHERE member.mail_status = 'pending' AND member.company_id = one.company_id
    AND member.user_id = one.user_id AND member.mail_group = one.mail_group
  ORDER BY member.id`;

/** The notification that determines when the message of another one is sent: its oldest. */
const firstOfMessage = Prisma.sql`${ofMessage} LIMIT 1`;

/** Locks one that no other instance is about to change, if it is still due. */
const lockDue = Prisma.sql`
  SELECT ctid FROM notifications
  WHERE ctid = one.ctid AND mail_status = 'pending' AND next_at <= now() FOR UPDATE SKIP LOCKED`;

/**
 * Takes some messages of a company that are due, for this instance alone: whichever takes the oldest notification of a
 * message takes the whole message. However many notifications wait, only the first that are due are examined.
 *
 * @param limit the most messages
 */
export const takeMail = (database: WithoutSortingDatabase, companyId: string, limit: number): Promise<Mail[]> =>
  withoutSorting(
    database,
    () => database.prisma.$queryRaw<Mail[]>`
    WITH first_due AS MATERIALIZED (${firstDue(companyId, maxExamined)}), oldest AS MATERIALIZED (
      SELECT one.* FROM first_due AS one CROSS JOIN LATERAL (${firstOfMessage}) AS first
      WHERE one.id = first.id ORDER BY one.next_at, one.id
    ), due AS MATERIALIZED (
      SELECT one.* FROM oldest AS one CROSS JOIN LATERAL (${lockDue}) AS locked LIMIT ${limit}::int
    ), members AS MATERIALIZED (
      SELECT member.ctid FROM due AS one CROSS JOIN LATERAL (${ofMessage} OFFSET 0 FOR UPDATE) AS member
    ), taken AS (
      UPDATE notifications AS one
      SET next_at = ${leaseEnd(leaseSeconds)}, attempts = attempts + 1
      WHERE one.ctid = ANY (ARRAY(SELECT ctid FROM members))
      RETURNING one.*
    )
    SELECT company_id::text AS "companyId", user_id::text AS "userId", max(attempts) AS attempts,
           jsonb_agg(jsonb_build_object('id', id, 'kind', kind, 'tableName', table_name, 'rowId', row_id,
                                        'xid', xid::text, 'seq', seq::text) ORDER BY id) AS items
    FROM taken GROUP BY company_id, user_id, mail_group`,
  );

/**
 * Postpones notifications that wait for the oldest of their message, to when that one is due, if `takeMail` may miss
 * others behind them. They follow it where they are due before it, so that it is found.
 *
 * @returns how many
 */
export const postponeWaiting = (database: WithoutSortingDatabase, companyId: string): Promise<number> =>
  withoutSorting(
    database,
    () => database.prisma.$executeRaw`
    WITH first_due AS MATERIALIZED (${firstDue(companyId, maxPostponed)}), waiting AS MATERIALIZED (
      SELECT locked.ctid, greatest(first.next_at, now()) AS until
      FROM first_due AS one CROSS JOIN LATERAL (${firstOfMessage}) AS first
      CROSS JOIN LATERAL (${lockDue}) AS locked
      WHERE (SELECT count(*) FROM first_due) > ${maxExamined}::int AND one.next_at < first.next_at
    )
    UPDATE notifications AS one SET next_at = until FROM waiting WHERE one.ctid = waiting.ctid`,
  );
