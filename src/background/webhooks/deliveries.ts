import { Prisma } from '../../database/generated/client/client.ts';
import type { Owner } from '../owner.ts';
import { type WithoutSortingDatabase, withoutSorting } from '../without-sorting.ts';
import { leaseEnd } from '../work-queue.ts';

/** The pauses (s) before the attempts after the first: about three days together. */
const pauses = [10, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 64_800, 86_400];

/** How many messages of one webhook are sent at once, on all instances together; fewer while it only fails. */
const perWebhook = 4;
const perFailingWebhook = 1;

/** How many messages of a webhook are examined at a look, and how many are postponed at once. */
const maxExamined = 100;
const maxPostponed = 1000;

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
  readonly companySlug: string;
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
type DueDelivery = Pick<Delivery, 'companyId' | 'webhookId' | 'id'>;

/**
 * Whether a message may be sent as far as its row is concerned. It is no EXISTS, which PostgreSQL may turn into a
 * comparison of all messages with each other.
 */
const isFirstOfRow = Prisma.sql`(one.row_id IS NULL OR one.seq = (
  SELECT earlier.seq FROM webhook_deliveries AS earlier
  WHERE earlier.status = 'pending' AND earlier.webhook_id = one.webhook_id AND earlier.row_id = one.row_id
  ORDER BY earlier.seq LIMIT 1
))`;

/**
 * The first messages of a webhook that are due and not being sent, in the order in which they are sent. A statement
 * that changes rows finds them again by their place (`ctid`): with their keys, and few messages pending when PostgreSQL
 * last counted, it may read all pending ones of the company for each.
 */
const firstDue = (limit: number) => Prisma.sql`
  SELECT ctid, id, webhook_id, row_id, seq, next_at FROM webhook_deliveries
  WHERE webhook_id = webhooks.id AND status = 'pending' AND leased_until IS NULL AND next_at <= now()
  ORDER BY next_at, id LIMIT ${limit}::int`;

/** Finds the companies that have messages which are due; only those with pending messages are looked at. */
export const findDueCompanies = (database: WithoutSortingDatabase): Promise<{ companyId: string }[]> =>
  withoutSorting(
    database,
    () => database.prisma.$queryRaw<{ companyId: string }[]>`
    WITH RECURSIVE company (id) AS (
      (SELECT company_id FROM webhook_deliveries WHERE status = 'pending' ORDER BY company_id LIMIT 1)
      UNION ALL
      SELECT (
        SELECT company_id FROM webhook_deliveries WHERE status = 'pending' AND company_id > company.id
        ORDER BY company_id LIMIT 1
      ) FROM company WHERE company.id IS NOT NULL
    )
    SELECT company.id::text AS "companyId" FROM company WHERE company.id IS NOT NULL AND EXISTS (
      SELECT FROM webhooks CROSS JOIN LATERAL (
        (
          SELECT FROM webhook_deliveries WHERE webhook_id = webhooks.id AND status = 'pending' AND leased_until IS NULL
            AND next_at <= now() LIMIT 1
        ) UNION ALL (
          SELECT FROM webhook_deliveries WHERE webhook_id = webhooks.id AND status = 'pending'
            AND leased_until IS NOT NULL AND leased_until < now() LIMIT 1
        )
      ) AS due
      WHERE webhooks.company_id = company.id AND webhooks.enabled
    )`,
  );

/**
 * Finds messages of a company that are due and that no instance is sending, in turn for its webhooks. A message waits
 * while an earlier one of the same row is pending. However many messages of a webhook wait, only those that are being
 * sent and `maxExamined` that wait are read, each by an index.
 *
 * @param limit the most messages
 */
export const findDue = (database: WithoutSortingDatabase, companyId: string, limit: number): Promise<DueDelivery[]> =>
  withoutSorting(
    database,
    () => database.prisma.$queryRaw<DueDelivery[]>`
    WITH due AS MATERIALIZED (
      SELECT webhooks.id AS webhook_id, found.id, found.next_at, found.leased, webhooks.failing_since, row_number() OVER (
               PARTITION BY webhooks.id ORDER BY found.leased DESC, found.next_at, found.id
             ) AS rank
      FROM webhooks CROSS JOIN LATERAL (
        SELECT id, next_at, leased_until > now() AS leased FROM (
          SELECT * FROM webhook_deliveries
          WHERE webhook_id = webhooks.id AND status = 'pending' AND leased_until IS NOT NULL
          ORDER BY leased_until DESC LIMIT ${maxExamined}::int
        ) AS one
        WHERE next_at <= now() AND ${isFirstOfRow}
        UNION ALL (
          SELECT id, next_at, false FROM (${firstDue(maxExamined)}) AS one
          WHERE ${isFirstOfRow}
          ORDER BY next_at, id LIMIT ${perWebhook}::int
        )
      ) AS found
      WHERE webhooks.company_id = ${companyId}::uuid AND webhooks.enabled
    )
    SELECT ${companyId} AS "companyId", webhook_id::text AS "webhookId", id::text FROM due
    WHERE NOT leased AND rank <= CASE WHEN failing_since IS NULL THEN ${perWebhook}::int ELSE ${perFailingWebhook}::int END
    ORDER BY rank, next_at, id LIMIT ${limit}::int`,
  );

/**
 * Postpones messages of a company that wait for an earlier one of their row, to when that one is sent again, so that
 * they are not read at each look: those of webhooks for which `findDue` may miss others behind them. If that one is
 * due, after them, they are postponed to now, so that it is found.
 *
 * @returns how many
 */
export const postponeWaiting = (database: WithoutSortingDatabase, companyId: string): Promise<number> =>
  withoutSorting(
    database,
    () => database.prisma.$executeRaw`
    WITH blocked AS MATERIALIZED (
      SELECT id FROM webhooks WHERE company_id = ${companyId}::uuid AND enabled AND ${perWebhook}::int > (
        SELECT count(*) FROM (
          SELECT FROM (${firstDue(maxExamined)}) AS one WHERE ${isFirstOfRow} LIMIT ${perWebhook}::int
        ) AS ready
      )
    ), waiting AS MATERIALIZED (
      SELECT one.ctid, greatest(first.next_at, first.leased_until, now()) AS until
      FROM blocked AS webhooks CROSS JOIN LATERAL (
        SELECT due.*, count(*) OVER () AS count FROM (${firstDue(maxPostponed)}) AS due
      ) AS one CROSS JOIN LATERAL (
        SELECT seq, next_at, leased_until FROM webhook_deliveries AS earlier
        WHERE earlier.status = 'pending' AND earlier.webhook_id = one.webhook_id AND earlier.row_id = one.row_id
        ORDER BY earlier.seq LIMIT 1
        -- If it ends at this moment, the next one is not postponed for it, or resumed afterwards.
        FOR SHARE
      ) AS first
      WHERE one.count > ${maxExamined}::int AND one.seq > first.seq
        AND (greatest(first.next_at, first.leased_until) > now() OR one.next_at <= first.next_at)
    ), locked AS MATERIALIZED (
      SELECT delivery.ctid, until FROM waiting CROSS JOIN LATERAL (
        SELECT ctid FROM webhook_deliveries
        WHERE ctid = waiting.ctid AND status = 'pending' AND leased_until IS NULL FOR UPDATE SKIP LOCKED
      ) AS delivery
    )
    UPDATE webhook_deliveries AS delivery SET next_at = until FROM locked WHERE delivery.ctid = locked.ctid`,
  );

/** Takes those of the messages that no other instance has taken meanwhile, for this instance alone. */
export const takeDeliveries = (client: Client, due: readonly DueDelivery[]): Promise<Delivery[]> =>
  client.$queryRaw<Delivery[]>`
    WITH chosen AS MATERIALIZED (
      SELECT delivery.ctid FROM unnest(
        ${due.map(({ companyId }) => companyId)}::uuid[], ${due.map(({ webhookId }) => webhookId)}::uuid[],
        ${due.map(({ id }) => id)}::uuid[]
      ) AS due (company_id, webhook_id, id)
      -- With the other conditions inside, it may read all pending messages of the company for each.
      CROSS JOIN LATERAL (
        SELECT ctid, status, next_at, leased_until FROM webhook_deliveries
        WHERE company_id = due.company_id AND webhook_id = due.webhook_id AND id = due.id
        OFFSET 0 FOR UPDATE SKIP LOCKED
      ) AS delivery
      WHERE delivery.status = 'pending' AND delivery.next_at <= now()
        AND (delivery.leased_until IS NULL OR delivery.leased_until < now())
    ), taken AS (
      UPDATE webhook_deliveries AS delivery
      SET leased_until = ${leaseEnd(leaseSeconds)}, attempts = attempts + 1
      WHERE delivery.ctid = ANY (ARRAY(SELECT ctid FROM chosen))
      RETURNING delivery.*
    )
    SELECT taken.company_id::text AS "companyId", taken.id::text, taken.webhook_id::text AS "webhookId", taken.event,
           taken.row_id::text AS "rowId", taken.xid::text, taken.seq::text, taken.attempts,
           taken.created_at AS "createdAt", webhooks.url, webhooks.name, webhooks.resources, webhooks.filter,
           webhooks.selection,
           ARRAY[webhooks.secret] || CASE WHEN webhooks.previous_secret_until > now() THEN ARRAY[webhooks.previous_secret] END
             || ARRAY(
               SELECT secret FROM webhook_earlier_secrets AS earlier
               WHERE earlier.company_id = taken.company_id AND earlier.webhook_id = taken.webhook_id
                 AND earlier.signs_until > now()
               ORDER BY earlier.signs_until DESC
             ) AS secrets,
           users.id::text AS "userId", upper(users.role::text COLLATE "C") AS role,
           users.deactivated_at IS NULL AS "isActive", companies.time_zone AS "timeZone",
           companies.slug AS "companySlug"
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
export async function skipDelivery(client: Client, delivery: Delivery): Promise<void> {
  const { companyId, id } = delivery;
  await client.$executeRaw`
    UPDATE webhook_deliveries SET status = 'skipped', leased_until = NULL
    WHERE company_id = ${companyId}::uuid AND id = ${id}::uuid`;
  await resumeNext(client, delivery);
}

/** Makes the next message of the same row due, which may have been postponed for this one. */
const resumeNext = (client: Client, { companyId, webhookId, rowId }: Delivery): Promise<number> =>
  client.$executeRaw`
    UPDATE webhook_deliveries SET next_at = now() WHERE company_id = ${companyId}::uuid AND next_at > now() AND id = (
      SELECT id FROM webhook_deliveries
      WHERE status = 'pending' AND webhook_id = ${webhookId}::uuid AND row_id = ${rowId}::uuid
      ORDER BY seq LIMIT 1
    ) AND leased_until IS NULL`;

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
    SET status = ${status}, leased_until = NULL, next_at = ${leaseEnd(pause ?? 0)},
        request = ${request}, attempted_at = now(), duration_ms = ${durationMs}::int,
        answer_status = ${answerStatus}::int, answer = ${answer}, error = ${error}
    WHERE company_id = ${companyId}::uuid AND id = ${id}::uuid`;
  if (status !== 'pending') await resumeNext(client, delivery);
  if (isSuccess) {
    await client.$executeRaw`
      UPDATE webhooks SET failing_since = NULL, failed_delivery_id = NULL
      WHERE company_id = ${companyId}::uuid AND id = ${webhookId}::uuid AND failing_since IS NOT NULL`;
    return undefined;
  }
  const [webhook] = await client.$queryRaw<{ hasOnlyFailed: boolean }[]>`
    UPDATE webhooks SET failing_since = coalesce(failing_since, now()), failed_delivery_id = ${id}::uuid
    WHERE company_id = ${companyId}::uuid AND id = ${webhookId}::uuid
    RETURNING failing_since < now() - make_interval(days => ${failingDays}::int) AS "hasOnlyFailed"`;
  if (isGone) return 'The receiver responded with 410 Gone.';
  return webhook?.hasOnlyFailed ? `All attempts have failed for ${failingDays} days.` : undefined;
}
