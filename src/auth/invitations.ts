import { randomBytes } from 'node:crypto';
import type { Prisma, PrismaClient, UserRole } from '../database/generated/client/client.ts';
import { conflict, ServiceError, validationError } from '../errors.ts';
import { alreadyMember, createUser, isDuplicate, parseEmail, parseName } from './accounts.ts';
import { type Actor, recordSecurityEvent } from './security-log.ts';
import { storedHash } from './tokens.ts';

/** How long (ms) an invitation can be accepted. */
const validForMs = 7 * 24 * 3_600_000;

/** Maximum number of a company's pending invitations, expired ones included: all of them are listed at once. */
const maxInvitations = 100;

/** A pending invitation, without its secret. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly fullName: string;
  readonly role: UserRole;
  readonly expiresAt: Date;
  readonly createdAt: Date;
}

const select = { id: true, email: true, fullName: true, role: true, expiresAt: true, createdAt: true } as const;

/**
 * Invites somebody to a company. An earlier invitation of the same address ends.
 *
 * @param input.companyId the company itself, never a sandbox
 * @returns the invitation, and the token of its link, which is not stored
 * @throws ServiceError VALIDATION_ERROR for `email` or `fullName` when malformed, and for `email` when already a user
 *   of the company; CONFLICT when the company has as many invitations as possible
 */
export async function invite(
  prisma: PrismaClient,
  input: { companyId: string; email: string; fullName: string; role: UserRole },
  actor: Actor & { readonly personId: string },
): Promise<{ invitation: Invitation; token: string }> {
  const { companyId, role } = input;
  const email = parseEmail('email', input.email);
  const fullName = parseName('fullName', input.fullName);
  if (await prisma.user.findUnique({ where: { companyId_email: { companyId, email } }, select: { id: true } }))
    throw validationError({ email: alreadyMember(email) });
  const token = randomBytes(24).toString('base64url');
  const data = { fullName, role, tokenHash: storedHash(token), invitedBy: actor.personId };
  const dates = { expiresAt: new Date(Date.now() + validForMs), createdAt: new Date() };
  const invitation = await prisma.$transaction(async (transaction) => {
    // Invitations that are created at the same time take turns, so that each counts the others.
    await transaction.$queryRaw`SELECT 1 FROM companies WHERE id = ${companyId}::uuid FOR NO KEY UPDATE`;
    if ((await transaction.invitation.count({ where: { companyId, email: { not: email } } })) >= maxInvitations)
      throw conflict(`The company has ${maxInvitations} open invitations, which is the maximum. Revoke one first.`);
    const made = await transaction.invitation.upsert({
      where: { companyId_email: { companyId, email } },
      create: { companyId, email, ...data, ...dates },
      update: { ...data, ...dates },
      select,
    });
    const details = { email, role: role.toLowerCase() };
    await recordSecurityEvent(transaction, { action: 'user_invited', actor, companyId, details });
    return made;
  });
  return { invitation, token };
}

/** Lists the pending invitations of a company, newest first. */
export const listInvitations = (prisma: Prisma.TransactionClient, companyId: string): Promise<Invitation[]> =>
  prisma.invitation.findMany({ where: { companyId }, orderBy: { createdAt: 'desc' }, select });

/** Revokes an invitation. @returns the invitation, or null when there is none */
export async function revokeInvitation(
  prisma: PrismaClient,
  companyId: string,
  id: string,
  actor: Actor,
): Promise<Invitation | null> {
  return prisma.$transaction(async (transaction) => {
    const found = await transaction.invitation.findUnique({ where: { companyId_id: { companyId, id } }, select });
    if (!found) return null;
    await transaction.invitation.deleteMany({ where: { companyId, id } });
    const details = { email: found.email };
    await recordSecurityEvent(transaction, { action: 'invitation_revoked', actor, companyId, details });
    return found;
  });
}

/** An invitation as its holder sees it. */
export interface OpenInvitation extends Invitation {
  readonly companyId: string;
  readonly companyName: string;
  /** Whether a person with this address exists already, who must sign in to accept. */
  readonly hasAccount: boolean;
}

/** Finds an invitation that can be accepted, by the token of its link; null when there is none. */
export async function findInvitation(prisma: Prisma.TransactionClient, token: string): Promise<OpenInvitation | null> {
  const found = await prisma.invitation.findUnique({
    where: { tokenHash: storedHash(token) },
    select: { ...select, companyId: true, company: { select: { name: true } } },
  });
  if (!found || found.expiresAt <= new Date()) return null;
  const { company, ...invitation } = found;
  const person = await prisma.person.findUnique({ where: { email: found.email }, select: { id: true } });
  return { ...invitation, companyName: company.name, hasAccount: person !== null };
}

/**
 * Accepts an invitation: its holder becomes a user of the company. A person who exists must have signed in, as the link
 * alone does not prove who they are.
 *
 * @param personId who is signed in, if anybody
 * @returns the id of the person
 * @throws ServiceError CONFLICT when somebody else has to sign in, or is a user of the company already
 */
export async function acceptInvitation(
  prisma: PrismaClient,
  { id, companyId, email, fullName, role }: OpenInvitation,
  personId: string | undefined,
  actor: Actor,
): Promise<string> {
  return prisma.$transaction(async (transaction) => {
    const { count } = await transaction.invitation.deleteMany({ where: { companyId, id } });
    if (count === 0) throw conflict('This invitation was already accepted.');
    const person = await transaction.person.findUnique({ where: { email }, select: { id: true } });
    if (person && person.id !== personId) throw conflict(`Sign in as ${email} to accept this invitation.`);
    if (!person)
      await transaction.person.create({ data: { email, fullName } }).catch((error: unknown) => {
        // Somebody, who may be somebody else, has just been created with this address.
        throw isDuplicate(error) ? conflict(`Sign in as ${email} to accept this invitation.`) : error;
      });
    const user = await createUser(transaction, { companyId, email, fullName, role }).catch((error: unknown) => {
      const isMember = error instanceof ServiceError && error.fieldErrors?.['email'] === alreadyMember(email);
      throw isMember ? conflict('You are already a member of the company.') : error;
    });
    const event = { action: 'invitation_accepted', companyId, personId: user.id } as const;
    await recordSecurityEvent(transaction, { ...event, actor: { ...actor, personId: user.id } });
    return user.id;
  });
}
