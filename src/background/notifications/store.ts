import type { Prisma } from '../../database/generated/client/client.ts';
import { uuidAt } from '../../formats.ts';
import { mailGroupOf } from '../../schema/notifications/events.ts';
import type { Recipient } from './recipients.ts';

/** How long (s) a message waits for further changes of the same row. */
export const mailDelaySeconds = 60;

/** How many messages to a person wait separately; further notifications are sent in one message. */
const maxMailGroups = 20;

/** How many notifications a person keeps. */
const maxNotifications = 1000;

type Client = Pick<Prisma.TransactionClient, '$queryRaw' | '$executeRaw'>;

/**
 * Moves the position up to which the log of a company was read.
 *
 * @returns whether it still was where it was read from, and no older instance reads there at this moment
 */
export async function movePosition(
  client: Client,
  companyId: string,
  { from, to }: { readonly from: string | null; readonly to: string },
): Promise<boolean> {
  if (from === null)
    await client.$executeRaw`
      INSERT INTO notification_positions (company_id) VALUES (${companyId}::uuid) ON CONFLICT DO NOTHING`;
  const moved = await client.$executeRaw`
    UPDATE notification_positions SET position = ${to} WHERE company_id = (
      SELECT company_id FROM notification_positions
      WHERE company_id = ${companyId}::uuid AND position IS NOT DISTINCT FROM ${from}::text FOR NO KEY UPDATE SKIP LOCKED
    )`;
  return moved > 0;
}

/** Stores notifications that are new. @param isMailed whether the company's notifications are emailed */
export async function storeNotifications(
  client: Client,
  companyId: string,
  recipients: readonly Recipient[],
  { isMailed }: { readonly isMailed: boolean },
): Promise<void> {
  if (recipients.length === 0) return;
  const userIds = [...new Set(recipients.map(({ userId }) => userId))];
  const groupOf = isMailed ? await chooseMailGroups(client, companyId, userIds) : () => '';
  const now = new Date();
  const rows = recipients.map(({ userId, delivery, event }) => ({
    id: uuidAt(now),
    user_id: userId,
    kind: event.kind,
    table_name: event.table,
    row_id: event.rowId,
    xid: event.change.xid,
    seq: event.change.seq,
    import_id: event.change.actor?.imports ?? null,
    mail_status: isMailed && delivery === 'email' && !event.change.actor?.is_sample ? 'pending' : 'none',
    mail_group: groupOf(userId, mailGroupOf(event)),
  }));
  // Not Prisma's createMany, which took longer than everything else that is done for a change.
  await client.$executeRaw`
    INSERT INTO notifications (company_id, id, user_id, kind, table_name, row_id, xid, seq, import_id, mail_status,
                               mail_group, next_at)
    SELECT ${companyId}::uuid, id, user_id, kind, table_name, row_id, xid, seq, import_id, mail_status, mail_group,
           now() + make_interval(secs => ${mailDelaySeconds}::int)
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given (
      id uuid, user_id uuid, kind text, table_name text, row_id uuid, xid bigint, seq bigint, import_id uuid,
      mail_status text, mail_group text
    )
    ON CONFLICT DO NOTHING`;
}

/** Returns a function that chooses the message of a person's notification, so that at most `maxMailGroups` wait. */
async function chooseMailGroups(client: Client, companyId: string, userIds: readonly string[]) {
  // However many notifications wait in a message, it is one step on the index.
  const rows = await client.$queryRaw<{ userId: string; groups: string[] }[]>`
    SELECT person.id::text AS "userId", ARRAY(
      WITH RECURSIVE waiting (mail_group) AS (
        (
          SELECT mail_group FROM notifications
          WHERE company_id = ${companyId}::uuid AND user_id = person.id AND mail_status = 'pending'
          ORDER BY mail_group LIMIT 1
        )
        UNION ALL
        SELECT (
          SELECT mail_group FROM notifications
          WHERE company_id = ${companyId}::uuid AND user_id = person.id AND mail_status = 'pending'
            AND notifications.mail_group > waiting.mail_group
          ORDER BY mail_group LIMIT 1
        ) FROM waiting WHERE waiting.mail_group IS NOT NULL
      )
      SELECT mail_group FROM waiting WHERE mail_group IS NOT NULL
    ) AS groups
    FROM unnest(${[...userIds]}::uuid[]) AS person (id)`;
  const waiting = new Map(rows.map(({ userId, groups }) => [userId, new Set(groups)]));
  return (userId: string, group: string): string => {
    const groups = waiting.get(userId) ?? new Set();
    const chosen = groups.has(group) || groups.size < maxMailGroups ? group : 'more';
    waiting.set(userId, groups.add(chosen));
    return chosen;
  };
}

/** Deletes all but the latest notifications of people. */
export async function trimNotifications(client: Client, companyId: string, userIds: readonly string[]): Promise<void> {
  // Where a person's list ends is found once, before anything is compared with it.
  await client.$executeRaw`
    WITH full_list AS MATERIALIZED (
      SELECT person.id AS user_id, first.id FROM unnest(${[...userIds]}::uuid[]) AS person (id) CROSS JOIN LATERAL (
        SELECT id FROM notifications WHERE company_id = ${companyId}::uuid AND user_id = person.id
        ORDER BY id DESC OFFSET ${maxNotifications} LIMIT 1
      ) AS first
    )
    DELETE FROM notifications AS old USING full_list
    WHERE old.company_id = ${companyId}::uuid AND old.user_id = full_list.user_id AND old.id <= full_list.id`;
}
