import { Prisma, type UserRole } from '../../database/generated/client/client.ts';
import type { NotificationEvent } from '../../schema/notifications/events.ts';
import { deliveryOf, type NotificationDelivery, type StoredPreference } from '../../schema/notifications/kinds.ts';

/** The most people who are notified of one change. */
const maxRecipients = 500;

type Client = Pick<Prisma.TransactionClient, '$queryRaw'>;

/** An active user, who can be notified of something. */
interface Candidate {
  readonly userId: string;
  readonly role: UserRole;
  readonly preferences: readonly StoredPreference[];
}

/** Somebody who is notified of something. */
export interface Recipient extends Omit<Candidate, 'preferences'> {
  readonly event: NotificationEvent;
  readonly delivery: Exclude<NotificationDelivery, 'off'>;
}

/** Finds who is notified of events of a company, in three statements for all of them. */
export async function findRecipients(
  client: Client,
  companyId: string,
  events: readonly NotificationEvent[],
): Promise<Recipient[]> {
  if (events.length === 0) return [];
  const followers = await findFollowers(client, companyId, events);
  const subscribers = await findSubscribers(client, companyId, events);
  const wanted = events.map((event) => {
    const found = { followers: followers.get(event.rowId), subscribers: subscribers.get(event.kind), nobody: [] };
    const userIds = new Set([...event.userIds, ...(found[event.others] ?? [])]);
    for (const id of event.except) userIds.delete(id);
    return { event, userIds: [...userIds].slice(0, maxRecipients) };
  });
  const candidates = await findCandidates(client, companyId, [...new Set(wanted.flatMap(({ userIds }) => userIds))]);
  return wanted.flatMap(({ event, userIds }) =>
    userIds.flatMap((id) => {
      const candidate = candidates.get(id);
      const delivery = candidate && deliveryOf(event.kind, candidate.preferences);
      if (!candidate || !delivery || delivery === 'off') return [];
      return [{ event, delivery, userId: id, role: candidate.role }];
    }),
  );
}

/** Finds who created, is assigned to or watches requests; of deleted ones, who watched them. */
async function findFollowers(client: Client, companyId: string, events: readonly NotificationEvent[]) {
  const followed = events.filter(({ others }) => others === 'followers');
  if (followed.length === 0) return new Map<string, string[]>();
  const ids = Prisma.sql`${[...new Set(followed.map(({ rowId }) => rowId))]}::uuid[]`;
  const deletions = followed.filter(({ change }) => change.action === 'delete').map(({ change }) => change.xid);
  const company = Prisma.sql`${companyId}::uuid`;
  const rows = await client.$queryRaw<Follower[]>`
    SELECT service_request_id::text AS "key", user_id::text AS "userId" FROM watchers
    WHERE company_id = ${company} AND service_request_id = ANY(${ids})
    UNION SELECT move_request_id::text, user_id::text FROM watchers
    WHERE company_id = ${company} AND move_request_id = ANY(${ids})
    UNION SELECT id::text, unnest(ARRAY[created_by, assigned_to])::text FROM service_requests
    WHERE company_id = ${company} AND id = ANY(${ids})
    UNION SELECT id::text, unnest(ARRAY[created_by, assigned_to])::text FROM move_requests
    WHERE company_id = ${company} AND id = ANY(${ids})
    UNION SELECT coalesce(before ->> 'service_request_id', before ->> 'move_request_id'), before ->> 'user_id' FROM changes
    WHERE company_id = ${company} AND xid = ANY(${deletions}::bigint[]) AND table_name = 'watchers' AND action = 'delete'
    ORDER BY 1, 2`;
  return groupByKey(rows);
}

/** Finds who turned on kinds of notifications that are off by default. */
async function findSubscribers(client: Client, companyId: string, events: readonly NotificationEvent[]) {
  const kinds = [...new Set(events.filter(({ others }) => others === 'subscribers').map(({ kind }) => kind))];
  if (kinds.length === 0) return new Map<string, string[]>();
  const rows = await client.$queryRaw<Follower[]>`
    SELECT kind AS "key", user_id::text AS "userId" FROM notification_preferences
    WHERE company_id = ${companyId}::uuid AND kind = ANY(${kinds}) AND delivery <> 'off' ORDER BY 1, 2`;
  return groupByKey(rows);
}

interface Follower {
  readonly key: string;
  readonly userId: string | null;
}

function groupByKey(rows: readonly Follower[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { key, userId } of rows) if (userId !== null) groups.set(key, [...(groups.get(key) ?? []), userId]);
  return groups;
}

async function findCandidates(client: Client, companyId: string, userIds: readonly string[]) {
  if (userIds.length === 0) return new Map<string, Candidate>();
  const rows = await client.$queryRaw<Candidate[]>`
    SELECT users.id::text AS "userId", upper(users.role::text COLLATE "C") AS role, coalesce((
      SELECT jsonb_agg(jsonb_build_object('kind', kind, 'delivery', delivery)) FROM notification_preferences AS preference
      WHERE preference.company_id = users.company_id AND preference.user_id = users.id
    ), '[]') AS preferences
    FROM users WHERE company_id = ${companyId}::uuid AND id = ANY(${[...userIds]}::uuid[]) AND deactivated_at IS NULL`;
  return new Map(rows.map((row) => [row.userId, row]));
}
