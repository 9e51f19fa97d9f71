import { Prisma } from '../database/generated/client/client.ts';
import { nilUuid } from '../formats.ts';

/** What the security log records. */
export const securityActions = [
  'signed_in',
  'sign_in_failed',
  'signed_out',
  'session_ended',
  'password_changed',
  'password_reset_requested',
  'password_reset_link_created',
  'email_verified',
  'access_ended',
  'openid_linked',
  'openid_unlinked',
  'two_factor_enabled',
  'two_factor_disabled',
  'two_factor_reset',
  'backup_codes_created',
  'token_created',
  'token_revoked',
  'token_limit_changed',
  'webhook_created',
  'webhook_changed',
  'webhook_secret_rotated',
  'webhook_deleted',
  'calendar_feed_created',
  'calendar_feed_deleted',
  'user_invited',
  'invitation_revoked',
  'invitation_accepted',
  'user_created',
  'role_changed',
  'user_deactivated',
  'user_reactivated',
  'user_erased',
  'settings_changed',
  'restore_started',
  'rows_restored',
  'undo_started',
  'import_undone',
  'company_created',
  'company_exported',
  'company_imported',
  'company_deleted',
] as const;

export type SecurityAction = (typeof securityActions)[number];

/** Who does something, and from where. The command line has neither a person nor an address. */
export interface Actor {
  readonly personId?: string;
  readonly ip?: string;
  readonly userAgent?: string;
}

/** The command line. */
export const commandLine: Actor = {};

/** Something to record. */
export interface SecurityEvent {
  readonly action: SecurityAction;
  readonly actor: Actor;
  /** The company it concerns, which is never a sandbox; none where it concerns a person. */
  readonly companyId?: string;
  /** The person it was done to. */
  readonly personId?: string;
  /** What changed. It must not contain secrets. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

/**
 * Adds an event to the security log, in the transaction of what it records. Where that is no transaction of ours, it is
 * added before an export, and after better-auth has signed somebody in or out or changed their authenticator app.
 */
export async function recordSecurityEvent(
  prisma: Prisma.TransactionClient,
  { action, actor, companyId, personId, details = {} }: SecurityEvent,
): Promise<void> {
  await prisma.$queryRaw`
    SELECT record_security_event(
      ${action}, ${JSON.stringify(details)}::json, ${companyId}::uuid, ${personId}::uuid, ${actorArguments(actor)}
    )::text`;
}

/** Who does something, as the last arguments of the database's functions that write to the security log. */
export const actorArguments = ({ personId, ip, userAgent }: Actor): Prisma.Sql =>
  Prisma.sql`${personId}::uuid, ${ip}::text, ${userAgent?.slice(0, 500)}::text`;

/** An event as admins see it. */
export interface LoggedEvent {
  readonly id: string;
  readonly action: SecurityAction;
  readonly details: Readonly<Record<string, unknown>>;
  readonly ipAddress: string | null;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  /** Who did it; null on the command line, and for a failed sign-in. */
  readonly actor: { readonly id: string; readonly fullName: string; readonly email: string } | null;
  /** Whom it was done to. */
  readonly person: LoggedEvent['actor'];
}

/** Which events are listed; all of them by default. */
export interface SecurityFilter {
  readonly actions?: readonly SecurityAction[];
  /** A text in the names or addresses of people, in IP addresses, browsers or details, ignoring case. */
  readonly search?: string;
  /** Only events from this time on. */
  readonly since?: Date;
  /** Only events before this time. */
  readonly until?: Date;
  /** Only events that this person caused or that concern them. */
  readonly personId?: string;
  /** Only events before the one with this id. */
  readonly before?: string;
}

/** The columns of events that are read. */
const columns = 'id company_id action actor_id person_id details ip_address user_agent created_at'.split(' ');

/** How much (ms) the clocks of the instances that recorded events, whose ids have the time, may differ. */
const clockDifferenceMs = 3_600_000;

/** The least id of a version 7 UUID of a time. */
const idOf = (time: Date, laterMs: number): string => {
  const hex = Math.max(0, time.getTime() + laterMs)
    .toString(16)
    .padStart(12, '0')
    .slice(-12);
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
};

/**
 * Lists a company's events, newest first: those of the company, and those of its members that concern no company, such
 * as failed sign-ins. However few events the filter selects, it reads no others: each part is read in the order of an
 * index that begins with the company, up to the number that is asked for.
 *
 * @param companyId the company itself, never a sandbox
 */
export async function listSecurityEvents(
  prisma: Prisma.TransactionClient,
  companyId: string,
  { first, before, personId, actions, search, since, until }: SecurityFilter & { readonly first: number },
): Promise<LoggedEvent[]> {
  const { sql, empty, raw } = Prisma;
  const company = sql`${companyId}::uuid`;
  const member = (id: Prisma.Sql) => sql`LATERAL (
      SELECT id, full_name AS "fullName", email FROM users WHERE company_id = ${company} AND id = ${id}
    )`;
  const people = sql`
    LEFT JOIN ${member(sql`event.actor_id`)} AS actor ON true
    LEFT JOIN ${member(sql`event.person_id`)} AS person ON true`;
  // The log keeps details as they were written, also in other forms of text.
  const searched = sql`concat_ws(
    ' ', actor."fullName", actor.email, person."fullName", person.email, ip_address, user_agent,
    (SELECT string_agg(value, ' ') FROM json_each_text(details)))`;
  const filter = sql`
    ${before === undefined ? empty : sql`AND event.id < ${before}::uuid`}
    ${actions === undefined ? empty : sql`AND action = ANY(${actions}::text[])`}
    ${since === undefined ? empty : sql`AND event.created_at >= ${since} AND event.id >= ${idOf(since, -clockDifferenceMs)}::uuid`}
    ${until === undefined ? empty : sql`AND event.created_at < ${until} AND event.id < ${idOf(until, clockDifferenceMs)}::uuid`}
    ${search === undefined ? empty : sql`AND strpos(fold_case(normalize(${searched})), fold_case(normalize(${search}))) > 0`}`;
  const newest = (events: Prisma.Sql, count: Prisma.Sql | number = first) => sql`(
    SELECT ${raw(columns.map((name) => `event.${name}`).join(', '))} FROM security_events AS event ${search === undefined ? empty : people}
    WHERE ${events} ${filter} ORDER BY event.company_id DESC, event.id DESC LIMIT ${count}
  )`;
  const found = personId === undefined ? ofCompany(company, first, newest) : ofPerson(company, personId, newest);
  return prisma.$queryRaw<LoggedEvent[]>`
    SELECT event.id::text, action, details, ip_address AS "ipAddress", user_agent AS "userAgent",
           event.created_at AS "createdAt", to_json(actor) AS actor, to_json(person) AS person
    FROM (${found} ORDER BY id DESC LIMIT ${first}) AS event ${people}
    ORDER BY event.id DESC`;
}

/** The newest events that the filter selects among those of a condition. */
type Newest = (events: Prisma.Sql, count?: Prisma.Sql) => Prisma.Sql;

/** The events of one person in the log of a company. */
function ofPerson(company: Prisma.Sql, personId: string, newest: Newest): Prisma.Sql {
  const { sql } = Prisma;
  const id = sql`${personId}::uuid`;
  const isMember = (of: Prisma.Sql) => sql`EXISTS (SELECT FROM users WHERE company_id = ${company} AND id = ${of})`;
  const byThem = sql`event.actor_id = ${id} AND event.person_id IS DISTINCT FROM ${id}`;
  return Prisma.join(
    [
      newest(sql`event.company_id = ${company} AND event.person_id = ${id}`),
      newest(sql`event.company_id = ${company} AND ${byThem}`),
      newest(sql`event.company_id IS NULL AND event.person_id = ${id} AND ${isMember(id)}`),
      newest(sql`event.company_id IS NULL AND ${byThem} AND ${isMember(sql`event.person_id`)}`),
    ],
    ' UNION ALL ',
  );
}

/**
 * The events of a company and those of its members that concern no company. Of many members only a few of the newest
 * are read at first: the last of the page that these make tells how far back the page can reach.
 */
function ofCompany(company: Prisma.Sql, first: number, newest: Newest): Prisma.Sql {
  const { sql } = Prisma;
  const ofMember = (id: Prisma.Sql) => sql`event.company_id IS NULL AND event.person_id = ${id}`;
  const few = sql`(SELECT ceil(${first}::numeric / greatest(count(*), 1))::int FROM users WHERE company_id = ${company})`;
  // Written as a range, as PostgreSQL would otherwise read the events of all companies in the order of their ids.
  const own = newest(sql`event.company_id BETWEEN ${company} AND ${company}`);
  return sql`
    WITH own AS MATERIALIZED ${own}, recent AS MATERIALIZED (
      SELECT personal.*, count(*) OVER (PARTITION BY person_id) = ${few} AS has_more FROM users AS someone
      CROSS JOIN LATERAL ${newest(ofMember(sql`someone.id`), few)} AS personal
      WHERE someone.company_id = ${company}
    ), page_end AS MATERIALIZED (
      SELECT id FROM (SELECT id FROM own UNION ALL SELECT id FROM recent) AS known
      ORDER BY id DESC OFFSET ${first} - 1 LIMIT 1
    ), others AS MATERIALIZED (
      SELECT personal.* FROM (SELECT DISTINCT person_id FROM recent WHERE has_more) AS someone
      CROSS JOIN LATERAL ${newest(sql`${ofMember(sql`someone.person_id`)}
        AND event.id >= coalesce((SELECT id FROM page_end), ${nilUuid}::uuid)`)} AS personal
    ), known AS (SELECT * FROM recent WHERE NOT has_more)
    SELECT * FROM own UNION ALL SELECT * FROM others
    UNION ALL SELECT ${Prisma.raw(columns.join(', '))} FROM known`;
}
