import type { Prisma, UserRole } from '../database/generated/client/client.ts';

/** The pauses (s) before the attempts after the first: about three days together. */
const pauses = [10, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 64_800, 86_400];

/** How many messages of one webhook are sent at once, on all instances together. */
const perWebhook = 4;

/** How long (s) an instance has to send a message before another one may. */
const leaseSeconds = 45;

/** For how long (days) an endpoint may only fail before it is switched off. */
const failingDays = 3;

type Client = Pick<Prisma.TransactionClient, '$queryRaw' | '$executeRaw'>;

/** A message to send, with its webhook and the owner. */
export interface Delivery {
  readonly companyId: string;
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
  readonly selection: string | null;
  readonly secrets: readonly string[];
  readonly userId: string;
  readonly role: UserRole;
  readonly email: string;
  readonly isActive: boolean;
  readonly timeZone: string;
}

/**
 * Takes messages that are due, for this instance alone. One waits while an earlier one of the same row is pending.
 * @param limit the most messages
 */
export const takeDeliveries = (client: Client, limit: number): Promise<Delivery[]> =>
  client.$queryRaw<Delivery[]>`
    WITH due AS MATERIALIZED (
      SELECT one.company_id, one.id, one.next_at, one.leased_until, row_number() OVER (
        PARTITION BY one.webhook_id ORDER BY (coalesce(one.leased_until > now(), false)) DESC, one.next_at, one.id
      ) AS place
      FROM webhook_deliveries AS one JOIN webhooks ON webhooks.company_id = one.company_id AND webhooks.id = one.webhook_id
      WHERE one.status = 'pending' AND one.next_at <= now() AND webhooks.enabled AND NOT EXISTS (
        SELECT FROM webhook_deliveries AS earlier
        WHERE earlier.status = 'pending' AND earlier.webhook_id = one.webhook_id AND earlier.row_id = one.row_id
          AND earlier.seq < one.seq
      )
    ), chosen AS (
      SELECT delivery.company_id, delivery.id FROM webhook_deliveries AS delivery
      JOIN due ON due.company_id = delivery.company_id AND due.id = delivery.id
      WHERE due.place <= ${perWebhook} AND delivery.status = 'pending'
        AND (delivery.leased_until IS NULL OR delivery.leased_until < now())
      ORDER BY due.next_at, delivery.id LIMIT ${limit} FOR UPDATE OF delivery SKIP LOCKED
    ), taken AS (
      UPDATE webhook_deliveries AS delivery
      SET leased_until = now() + make_interval(secs => ${leaseSeconds}::int), attempts = attempts + 1
      FROM chosen WHERE delivery.company_id = chosen.company_id AND delivery.id = chosen.id
      RETURNING delivery.*
    )
    SELECT taken.company_id::text AS "companyId", taken.id::text, taken.webhook_id::text AS "webhookId", taken.event,
           taken.row_id::text AS "rowId", taken.xid::text, taken.seq::text, taken.attempts,
           taken.created_at AS "createdAt", webhooks.url, webhooks.name, webhooks.resources, webhooks.selection,
           CASE WHEN webhooks.previous_secret_until > now() THEN ARRAY[webhooks.secret, webhooks.previous_secret]
                ELSE ARRAY[webhooks.secret] END AS secrets,
           users.id::text AS "userId", upper(users.role::text) AS role, users.email,
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

/** Marks a message that the owner may not read, or that the log no longer has. */
export async function skipDelivery(client: Client, { companyId, id }: Delivery): Promise<void> {
  await client.$executeRaw`
    UPDATE webhook_deliveries SET status = 'skipped', leased_until = NULL
    WHERE company_id = ${companyId}::uuid AND id = ${id}::uuid`;
}

/**
 * Stores how an attempt ended, and when the next one is. An endpoint that only fails, or is gone, is switched off.
 * @returns whether it was switched off now
 */
export async function finishDelivery(client: Client, delivery: Delivery, outcome: Outcome): Promise<boolean> {
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
    return false;
  }
  const reason = isGone ? 'It answered 410 Gone.' : `It has failed for ${failingDays} days.`;
  const switchedOff = await client.$executeRaw`
    UPDATE webhooks SET enabled = false, switched_off_reason = ${reason}, updated_at = now()
    WHERE company_id = ${companyId}::uuid AND id = ${webhookId}::uuid AND enabled
      AND (${isGone} OR failing_since < now() - make_interval(days => ${failingDays}::int))`;
  if (switchedOff === 0)
    await client.$executeRaw`
      UPDATE webhooks SET failing_since = coalesce(failing_since, now())
      WHERE company_id = ${companyId}::uuid AND id = ${webhookId}::uuid AND failing_since IS NULL`;
  return switchedOff > 0;
}

/** How long (days) the log of deliveries is kept. */
const keptDays = 30;

/** Deletes old messages that are not pending. */
export async function deleteOldDeliveries(client: Client): Promise<void> {
  await client.$executeRaw`
    DELETE FROM webhook_deliveries
    WHERE created_at < now() - make_interval(days => ${keptDays}::int) AND status <> 'pending'`;
}
