import { Prisma } from '../../database/generated/client/client.ts';
import type { Owner } from '../owner.ts';

/** The pauses (s) before the attempts after the first: about three days together. */
const pauses = [10, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 64_800, 86_400];

/** How many messages of one webhook are sent at once, on all instances together; fewer while it only fails. */
const perWebhook = 4;
const perFailingWebhook = 1;

/** How long (s) an instance has to send a message before another one may. */
const leaseSeconds = 45;

/** For how long (days) an endpoint may only fail before it is turned off. */
const failingDays = 3;

type Client = Pick<Prisma.TransactionClient, '$queryRaw' | '$executeRaw'>;

/** A message to send, with its webhook and the owner. */
export interface Delivery extends Owner {
  readonly id: string;
  readonly webhookId: string;
  readonly event: string;
  readonly rowId: string | null;
  readonly xid: string;
  readonly seq: string;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly url: string;
  readonly name: string;
  readonly resources: readonly string[];
  readonly filter: string | null;
  readonly selection: string | null;
  readonly secrets: readonly string[];
  /** Whether the owner is not deactivated. */
  readonly isActive: boolean;
}

/** A message that may be sent. */
type DueDelivery = Pick<Delivery, 'companyId' | 'id'>;

/**
 * Whether a message may be sent as far as its row is concerned. Without the order and the limit, PostgreSQL may compare
 * all messages of a row with each other, instead of looking for one on the index.
 */
const isFirstOfRow = Prisma.sql`NOT EXISTS (
  SELECT FROM webhook_deliveries AS earlier
  WHERE earlier.status = 'pending' AND earlier.webhook_id = one.webhook_id AND earlier.row_id = one.row_id
    AND earlier.seq < one.seq
  ORDER BY earlier.seq LIMIT 1
)`;

/**
 * Finds messages that are due and that no instance is sending, in turn for companies, and for webhooks of a company. A
 * message waits while an earlier one of the same row is pending. However many messages of a webhook wait, only those
 * that are being sent and the first that wait are read, each by an index.
 *
 * @param limit the most messages of a company
 */
export const findDue = (client: Client, limit: number): Promise<DueDelivery[]> =>
  client.$queryRaw<DueDelivery[]>`
    WITH due AS MATERIALIZED (
      SELECT webhooks.company_id, found.id, found.next_at, found.leased, webhooks.failing_since, row_number() OVER (
               PARTITION BY webhooks.id ORDER BY found.leased DESC, found.next_at, found.id
             ) AS rank
      FROM webhooks CROSS JOIN LATERAL (
        (
          SELECT id, next_at, leased_until > now() AS leased FROM webhook_deliveries AS one
          WHERE webhook_id = webhooks.id AND status = 'pending' AND leased_until IS NOT NULL AND next_at <= now()
            AND ${isFirstOfRow}
        ) UNION ALL (
          SELECT id, next_at, false FROM webhook_deliveries AS one
          WHERE webhook_id = webhooks.id AND status = 'pending' AND leased_until IS NULL AND next_at <= now()
            AND ${isFirstOfRow}
          ORDER BY next_at, id LIMIT ${perWebhook}::int
        )
      ) AS found
      WHERE webhooks.enabled
    ), ranked AS (
      SELECT company_id, id, next_at, row_number() OVER (PARTITION BY company_id ORDER BY rank, next_at, id) AS turn
      FROM due WHERE NOT leased
        AND rank <= CASE WHEN failing_since IS NULL THEN ${perWebhook}::int ELSE ${perFailingWebhook}::int END
    )
    SELECT company_id::text AS "companyId", id::text FROM ranked WHERE turn <= ${limit}::int
    ORDER BY turn, next_at, id`;

/** Takes those of the messages that no other instance has taken meanwhile, for this instance alone. */
export const takeDeliveries = (client: Client, due: readonly DueDelivery[]): Promise<Delivery[]> =>
  client.$queryRaw<Delivery[]>`
    WITH chosen AS (
      SELECT delivery.company_id, delivery.id FROM webhook_deliveries AS delivery
      JOIN unnest(${due.map(({ companyId }) => companyId)}::uuid[], ${due.map(({ id }) => id)}::uuid[])
        AS due (company_id, id) ON due.company_id = delivery.company_id AND due.id = delivery.id
      WHERE delivery.status = 'pending' AND delivery.next_at <= now()
        AND (delivery.leased_until IS NULL OR delivery.leased_until < now())
      FOR UPDATE OF delivery SKIP LOCKED
    ), taken AS (
      UPDATE webhook_deliveries AS delivery
      SET leased_until = now() + make_interval(secs => ${leaseSeconds}::int), attempts = attempts + 1
      FROM chosen WHERE delivery.company_id = chosen.company_id AND delivery.id = chosen.id
      RETURNING delivery.*
    )
    SELECT taken.company_id::text AS "companyId", taken.id::text, taken.webhook_id::text AS "webhookId", taken.event,
           taken.row_id::text AS "rowId", taken.xid::text, taken.seq::text, taken.attempts,
           taken.created_at AS "createdAt", webhooks.url, webhooks.name, webhooks.resources, webhooks.filter,
           webhooks.selection, CASE WHEN webhooks.previous_secret_until > now() THEN ARRAY[webhooks.secret, webhooks.previous_secret]
                ELSE ARRAY[webhooks.secret] END AS secrets,
           users.id::text AS "userId", upper(users.role::text) AS role,
           users.deactivated_at IS NULL AS "isActive", companies.time_zone AS "timeZone"
    FROM taken
    JOIN webhooks ON webhooks.company_id = taken.company_id AND webhooks.id = taken.webhook_id
    JOIN users ON users.company_id = webhooks.company_id AND users.id = webhooks.user_id
    JOIN companies ON companies.id = taken.company_id`;

/** How an attempt ended. */
export interface Outcome {
  readonly isSuccess: boolean;
  /** Whether the receiver wants nothing more. */
  readonly isGone?: boolean;
  readonly request: string;
  readonly durationMs: number;
  readonly answerStatus: number | null;
  readonly answer: string | null;
  readonly error: string | null;
}

/** Marks a message as skipped: the owner may not read its row, or the log no longer has the change. */
export async function skipDelivery(client: Client, { companyId, id }: Delivery): Promise<void> {
  await client.$executeRaw`
    UPDATE webhook_deliveries SET status = 'skipped', leased_until = NULL
    WHERE company_id = ${companyId}::uuid AND id = ${id}::uuid`;
}

/**
 * Stores how an attempt ended, and when the next one is.
 * @returns why the webhook is to be turned off: its endpoint only fails, or is gone; undefined if it is not
 */
export async function finishDelivery(
  client: Client,
  delivery: Delivery,
  outcome: Outcome,
): Promise<string | undefined> {
  const { companyId, id, webhookId, attempts } = delivery;
  const { isSuccess, isGone = false, request, durationMs, answerStatus, answer, error } = outcome;
  const pause = pauses[attempts - 1];
  const status = isSuccess ? 'succeeded' : pause === undefined || isGone ? 'failed' : 'pending';
  await client.$executeRaw`
    UPDATE webhook_deliveries
    SET status = ${status}, leased_until = NULL, next_at = now() + make_interval(secs => ${pause ?? 0}::int),
        request = ${request}, attempted_at = now(), duration_ms = ${durationMs}::int,
        answer_status = ${answerStatus}::int, answer = ${answer}, error = ${error}
    WHERE company_id = ${companyId}::uuid AND id = ${id}::uuid`;
  if (isSuccess) {
    await client.$executeRaw`
      UPDATE webhooks SET failing_since = NULL
      WHERE company_id = ${companyId}::uuid AND id = ${webhookId}::uuid AND failing_since IS NOT NULL`;
    return undefined;
  }
  const [webhook] = await client.$queryRaw<{ hasOnlyFailed: boolean }[]>`
    UPDATE webhooks SET failing_since = coalesce(failing_since, now())
    WHERE company_id = ${companyId}::uuid AND id = ${webhookId}::uuid
    RETURNING failing_since < now() - make_interval(days => ${failingDays}::int) AS "hasOnlyFailed"`;
  if (isGone) return 'The receiver responded with 410 Gone.';
  return webhook?.hasOnlyFailed ? `All attempts have failed for ${failingDays} days.` : undefined;
}
