import type { Prisma } from '../../database/generated/client/client.ts';
import { uuidAt } from '../../formats.ts';
import type { Owner } from '../owner.ts';

type Client = Pick<Prisma.TransactionClient, '$queryRaw'>;

/** A webhook that is on, and its owner. */
export interface Subscription extends Owner {
  readonly id: string;
  /** The position up to which the log was read for it. */
  readonly position: string;
  readonly resources: readonly string[];
  readonly actions: readonly string[];
  readonly filter: string | null;
}

/** Finds the webhooks of a company that are on, and whose owner is not deactivated. */
export const findSubscriptions = (client: Client, companyId: string): Promise<Subscription[]> =>
  client.$queryRaw<Subscription[]>`
    SELECT webhooks.company_id::text AS "companyId", webhooks.id::text, webhooks.position, webhooks.resources,
           webhooks.actions, webhooks.filter, users.id::text AS "userId", upper(users.role::text COLLATE "C") AS role,
           companies.time_zone AS "timeZone"
    FROM webhooks
    JOIN users ON users.company_id = webhooks.company_id AND users.id = webhooks.user_id AND users.deactivated_at IS NULL
    JOIN companies ON companies.id = webhooks.company_id
    WHERE webhooks.company_id = ${companyId}::uuid AND webhooks.enabled`;

/** A message to be stored. */
export interface NewMessage {
  readonly webhookId: string;
  readonly event: string;
  readonly rowId: string;
  readonly xid: string;
  readonly seq: string;
}

/**
 * Stores messages, and moves the positions of their webhooks; of those alone that are on and still have the position
 * from which they were read. An older instance may read for one of them at this moment: that one keeps its position.
 *
 * @param next the position that they get
 * @returns how many webhooks were moved
 */
export async function storeMessages(
  client: Client,
  companyId: string,
  subscriptions: readonly Pick<Subscription, 'id' | 'position'>[],
  next: string,
  messages: readonly NewMessage[],
): Promise<number> {
  const now = new Date();
  const readers = subscriptions.map(({ id, position }) => ({ id, position }));
  const rows = messages.map(({ webhookId, event, rowId, xid, seq }) => {
    return { id: uuidAt(now), webhook_id: webhookId, event, row_id: rowId, xid, seq };
  });
  // Changes that were read out of order are read again with their own page.
  const [{ moved = 0 } = {}] = await client.$queryRaw<{ moved: number }[]>`
    WITH unmoved AS (
      SELECT webhooks.id FROM jsonb_to_recordset(${JSON.stringify(readers)}::jsonb) AS reader (id uuid, position text)
      JOIN webhooks ON webhooks.company_id = ${companyId}::uuid AND webhooks.id = reader.id
        AND webhooks.position = reader.position AND webhooks.enabled
      FOR NO KEY UPDATE OF webhooks SKIP LOCKED
    ), moved AS (
      UPDATE webhooks SET position = ${next} FROM unmoved
      WHERE webhooks.company_id = ${companyId}::uuid AND webhooks.id = unmoved.id
      RETURNING webhooks.id
    ), stored AS (
      INSERT INTO webhook_deliveries (company_id, id, webhook_id, event, row_id, xid, seq)
      SELECT ${companyId}::uuid, given.id, webhook_id, event, row_id, xid, seq
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given (
        id uuid, webhook_id uuid, event text, row_id uuid, xid bigint, seq bigint
      ) JOIN moved ON moved.id = given.webhook_id
      ON CONFLICT DO NOTHING
    )
    SELECT count(*)::int AS moved FROM moved`;
  return moved;
}
