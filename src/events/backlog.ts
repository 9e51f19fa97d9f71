import type { Database } from '../database/index.ts';

/** What waits of one kind. */
export interface Backlog {
  /** What it waits for: `webhooks`, `mail`, `jobs` or `notifications`; of jobs, their kind. */
  readonly name: string;
  /** At most 10,000. */
  readonly count: number;
  /** The age (s) of the oldest; null without any. */
  readonly seconds: number | null;
}

/** How many of a kind are counted, so that the statements stay cheap. */
const maxCounted = 10_000;

/** Messages that wait, by partial indexes in the order of their age: neither those that were sent nor more are read. */
const pendingIn = (name: string, ...pending: readonly string[]) => `
  SELECT '${name}' AS name, least(count(*), ${maxCounted})::int AS count,
         extract(epoch FROM now() - min(created_at))::float8 AS seconds
  FROM (
    ${pending.map((rows) => `(SELECT created_at FROM ${rows} ORDER BY created_at LIMIT ${maxCounted})`).join(' UNION ALL ')}
  ) AS found`;

const messages = [
  pendingIn('webhooks', `webhook_deliveries WHERE status = 'pending'`),
  pendingIn('mail', `notifications WHERE mail_status = 'pending'`, `guest_mails WHERE status = 'pending'`),
  pendingIn('jobs', `jobs WHERE state = 'pending'`),
].join(' UNION ALL ');

/** Jobs by their kind: the oldest of all, by the same index. */
const jobs = `
  SELECT kind AS name, count(*)::int AS count, extract(epoch FROM now() - min(created_at))::float8 AS seconds
  FROM (SELECT kind, created_at FROM jobs WHERE state = 'pending' ORDER BY created_at LIMIT ${maxCounted}) AS oldest
  GROUP BY kind`;

/** The transaction and the place of a stored position (`position.ts`), those before all others without one. */
const placeOf = (position: string) => `
  CROSS JOIN LATERAL (
    SELECT string_to_array(convert_from(decode(
      rpad(translate(${position}, '-_', '+/'), (length(${position}) + 3) / 4 * 4, '='), 'base64'
    ), 'UTF8'), '.') AS parts
  ) AS decoded
  CROSS JOIN LATERAL (
    SELECT coalesce(parts[2]::bigint, 0) AS xid, coalesce(parts[3]::bigint, 0) AS seq
  ) AS place`;

/**
 * The changes that follow where the log of each company was read to: one step on the index where there are none. The
 * first of each company is looked at even where those of others are as many as are counted.
 */
const unreadBy = (name: string, readers: string) => `(
  WITH reader AS MATERIALIZED (${readers})
  SELECT '${name}' AS name, (
    SELECT count(*)::int FROM (
      SELECT FROM reader CROSS JOIN LATERAL changes_after(
        reader.company_id, reader.xid, reader.seq, NULL, ${maxCounted}
      ) LIMIT ${maxCounted}
    ) AS found
  ) AS count, (
    SELECT extract(epoch FROM now() - min(at))::float8 FROM reader CROSS JOIN LATERAL (
      SELECT at FROM changes
      WHERE changes.company_id = reader.company_id AND (changes.xid, changes.seq) > (reader.xid, reader.seq)
      ORDER BY changes.xid, changes.seq LIMIT 1
    ) AS first
  ) AS seconds
)`;

const changes = [
  unreadBy(
    'webhooks',
    // Most webhooks of a company have the same position, which takes longer to decode than to compare.
    `SELECT DISTINCT ON (company_id) company_id, xid, seq FROM (
       SELECT DISTINCT webhooks.company_id, position FROM webhooks
       JOIN users ON users.company_id = webhooks.company_id AND users.id = user_id AND deactivated_at IS NULL
       WHERE enabled
     ) AS webhook ${placeOf('position')} ORDER BY company_id, xid, seq`,
  ),
  unreadBy(
    'notifications',
    `SELECT companies.id AS company_id, xid, seq
     FROM companies LEFT JOIN notification_positions ON company_id = companies.id ${placeOf(`coalesce(position, '')`)}`,
  ),
].join(' UNION ALL ');

/**
 * Creates a function that reads what waits. Those who call it at once share one statement.
 *
 * @param what messages that are to be sent, jobs by their kind, or changes that are to be read from the log
 */
export function createBacklogReader(
  { query }: Pick<Database, 'query'>,
  what: 'messages' | 'jobs' | 'changes',
): () => Promise<readonly Backlog[]> {
  const text = { messages, jobs, changes }[what];
  let reading: Promise<readonly Backlog[]> | undefined;
  return () =>
    (reading ??= query({ text })
      // The columns that the statement selects.
      .then(({ rows }) => rows as unknown as Backlog[])
      .finally(() => (reading = undefined)));
}
