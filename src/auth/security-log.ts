import { Prisma } from '../database/generated/client/client.ts';
import { type ErasedTexts, isInJson, replaceInJson } from './erase-texts.ts';

/** What the security log records. */
export const securityActions = [
  'signed_in',
  'sign_in_failed',
  'signed_out',
  'session_ended',
  'password_changed',
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
  'user_invited',
  'invitation_revoked',
  'invitation_accepted',
  'user_created',
  'role_changed',
  'user_deactivated',
  'user_reactivated',
  'user_erased',
  'settings_changed',
  'company_created',
  'company_exported',
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
  const from = { actorId: actor.personId, ipAddress: actor.ip, userAgent: actor.userAgent?.slice(0, 500) };
  await prisma.securityEvent.create({
    data: { action, companyId, personId, details: { ...details }, ...from },
    select: { id: true },
  });
}

/**
 * Removes a person's name, email address, IP addresses and browsers from the log, to which rows are otherwise only
 * added.
 */
export async function eraseFromSecurityLog(
  prisma: Prisma.TransactionClient,
  { companyId, userId: id }: { readonly companyId: string; readonly userId: string },
  texts: ErasedTexts,
): Promise<void> {
  await prisma.$queryRaw`SELECT set_config('premises.erasing', 'on', true)`;
  await prisma.$executeRaw`
    UPDATE security_events SET ip_address = NULL, user_agent = NULL
    WHERE actor_id = ${id}::uuid OR (actor_id IS NULL AND person_id = ${id}::uuid)`;
  await prisma.$executeRaw`
    UPDATE security_events SET details = ${replaceInJson(texts, 'details::text')}::json
    WHERE (company_id IN (SELECT id FROM companies WHERE ${companyId}::uuid IN (id, sandbox_of_id))
        OR details ->> 'email' = ANY (${texts.addresses}))
      AND ${isInJson(texts, 'details::text')}`;
  await prisma.$queryRaw`SELECT set_config('premises.erasing', '', true)`;
}

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

/**
 * Lists a company's events, newest first: those of the company, and those of its members that concern no company, such
 * as failed sign-ins.
 *
 * @param companyId the company itself, never a sandbox
 */
export async function listSecurityEvents(
  prisma: Prisma.TransactionClient,
  companyId: string,
  { first, before, personId }: { first: number; before?: string; personId?: string },
): Promise<LoggedEvent[]> {
  const member = (id: Prisma.Sql) => Prisma.sql`LATERAL (
      SELECT id, full_name AS "fullName", email FROM users WHERE company_id = ${companyId}::uuid AND id = ${id}
    )`;
  return prisma.$queryRaw<LoggedEvent[]>`
    SELECT event.id::text, action, details, ip_address AS "ipAddress", user_agent AS "userAgent",
           event.created_at AS "createdAt", to_json(actor) AS actor, to_json(person) AS person
    FROM security_events AS event
    LEFT JOIN ${member(Prisma.sql`actor_id`)} AS actor ON true
    LEFT JOIN ${member(Prisma.sql`person_id`)} AS person ON true
    WHERE (event.company_id = ${companyId}::uuid OR (event.company_id IS NULL AND person.id IS NOT NULL))
      ${before === undefined ? Prisma.empty : Prisma.sql`AND event.id < ${before}::uuid`}
      ${personId === undefined ? Prisma.empty : Prisma.sql`AND ${personId}::uuid IN (person_id, actor_id)`}
    ORDER BY event.id DESC LIMIT ${first}`;
}
