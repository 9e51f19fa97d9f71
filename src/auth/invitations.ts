import { randomBytes } from 'node:crypto';
import type { Prisma, PrismaClient, UserRole } from '../database/generated/client/client.ts';
import { conflict, ServiceError, validationError } from '../errors.ts';
import { alreadyMember, createUser, isDuplicate, parseEmail, parseName } from './accounts.ts';
import { endAccess, recordProofOfEmail } from './email-proofs.ts';
import { type Actor, recordSecurityEvent } from './security-log.ts';
import { storePasswordHash } from './sessions/passwords.ts';
import { isMemberElsewhere, lockPerson } from './sessions/people.ts';
import type { Session } from './sessions/sessions.ts';
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

/** Creates the secret of a link. */
export const createLinkToken = (): string => randomBytes(24).toString('base64url');

/**
 * Invites somebody to a company. An earlier invitation of the same address ends.
 *
 * @param input.companyId the company itself, never a sandbox
 * @param input.isEmailed whether a link is emailed; it has a token of its own, as it proves who owns the address
 * @returns the invitation, and the tokens of its links, which are not stored: that of the link for the inviting admin,
 *   and that of the emailed link, which nobody else may see
 * @throws ServiceError VALIDATION_ERROR for `email` or `fullName` when malformed, and for `email` when already a user
 *   of the company; CONFLICT when the company has as many invitations as possible
 */
export async function invite(
  prisma: PrismaClient,
  input: { companyId: string; email: string; fullName: string; role: UserRole; isEmailed: boolean },
  actor: Actor & { readonly personId: string },
): Promise<{ invitation: Invitation; token: string; mailedToken: string | undefined }> {
  const { companyId, role, isEmailed } = input;
  const email = parseEmail('email', input.email);
  const fullName = parseName('fullName', input.fullName);
  if (await prisma.user.findUnique({ where: { companyId_email: { companyId, email } }, select: { id: true } }))
    throw validationError({ email: alreadyMember(email) });
  const token = createLinkToken();
  const mailedToken = isEmailed ? createLinkToken() : undefined;
  const hashes = {
    tokenHash: storedHash(token),
    mailedTokenHash: mailedToken === undefined ? null : storedHash(mailedToken),
  };
  const data = { fullName, role, ...hashes, invitedBy: actor.personId };
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
  return { invitation, token, mailedToken };
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

/** An invitation as the holder of one of its links sees it. */
export interface OpenInvitation extends Invitation {
  readonly companyId: string;
  readonly companyName: string;
  /** Whether a person with this address exists already. */
  readonly hasAccount: boolean;
  /** Whether it was also emailed, with a link of its own. */
  readonly isEmailed: boolean;
  /** Whether this is the emailed link, which proves that its holder owns the address. */
  readonly isEmailedLink: boolean;
}

/** Selects the invitation with a link of this token. */
const withToken = (token: string) => ({
  OR: [{ tokenHash: storedHash(token) }, { mailedTokenHash: storedHash(token) }],
  expiresAt: { gt: new Date() },
});

/** Finds an invitation that can be accepted, by the token of one of its links; null when there is none. */
export async function findInvitation(prisma: Prisma.TransactionClient, token: string): Promise<OpenInvitation | null> {
  const found = await prisma.invitation.findFirst({
    where: withToken(token),
    select: { ...select, companyId: true, mailedTokenHash: true, company: { select: { name: true } } },
  });
  if (!found) return null;
  const { company, mailedTokenHash, ...invitation } = found;
  const person = await prisma.person.findUnique({ where: { email: found.email }, select: { id: true } });
  const isEmailedLink = mailedTokenHash !== null && Buffer.from(storedHash(token)).equals(mailedTokenHash);
  const links = { isEmailed: mailedTokenHash !== null, isEmailedLink };
  return { ...invitation, companyName: company.name, hasAccount: person !== null, ...links };
}

/** What the holder of a link must do to accept the invitation. */
export interface AcceptanceStep {
  /**
   * `choose_password`; `sign_in` first; `accept`, as they are signed in; or `prove_email`: this link and their session
   * do not prove that the address is theirs, which the account's password does not either.
   */
  readonly step: 'choose_password' | 'sign_in' | 'accept' | 'prove_email';
  /** Whether that ends what signed in to the account before, as others may have set it up. */
  readonly endsAccess: boolean;
}

/**
 * Finds what the holder of a link must do. An account whose address was proved belongs to who signs in to it. Any other
 * may be somebody else's, so its earlier access ends when it joins a second company.
 */
export async function findAcceptanceStep(
  prisma: Prisma.TransactionClient,
  { email, companyId, isEmailedLink }: OpenInvitation,
  session: Session | null,
): Promise<AcceptanceStep> {
  const person = await prisma.person.findUnique({ where: { email }, select: { id: true, emailVerifiedAt: true } });
  if (!person) return { step: 'choose_password', endsAccess: false };
  const isSignedIn = session?.personId === person.id;
  if (person.emailVerifiedAt) return { step: isSignedIn ? 'accept' : 'sign_in', endsAccess: false };
  if (isSignedIn && session.isEmailVerified) return { step: 'accept', endsAccess: true };
  const mayReplace = isEmailedLink || !(await isMemberElsewhere(prisma, { companyId, userId: person.id }));
  return { step: mayReplace ? 'choose_password' : 'prove_email', endsAccess: mayReplace };
}

/**
 * Accepts an invitation: its holder becomes a user of the company. Runs in a transaction.
 *
 * @param token of the link
 * @param given.step what the holder has done, as `findAcceptanceStep` found it
 * @param given.passwordHash the hash of the password that they chose, if any
 * @returns the id of the person
 * @throws ServiceError CONFLICT when the invitation has just been accepted, the account has changed, or the person is a
 *   user of the company already
 */
export async function acceptInvitation(
  transaction: Prisma.TransactionClient,
  invitation: OpenInvitation,
  token: string,
  given: {
    readonly step: AcceptanceStep;
    readonly session: Session | null;
    readonly passwordHash: string | undefined;
  },
  by: Actor,
): Promise<string> {
  const { id, companyId, email, fullName, role, isEmailedLink } = invitation;
  const { session, passwordHash } = given;
  // By its token, as the invitation may have been replaced by another one.
  const { count } = await transaction.invitation.deleteMany({ where: { companyId, id, ...withToken(token) } });
  if (count === 0) throw conflict('This invitation was already accepted.');
  const existing = await lockPersonWithEmail(transaction, email);
  const { step, endsAccess } = await findAcceptanceStep(transaction, invitation, session);
  if (step !== given.step.step || endsAccess !== given.step.endsAccess) throw hasChanged();
  const personId = existing ?? (await createPerson(transaction, { email, fullName }));
  const actor = { ...by, personId };
  if (endsAccess) await endAccess(transaction, personId, actor, step === 'accept' ? session?.id : undefined);
  if (passwordHash !== undefined) await storePasswordHash(transaction, personId, passwordHash);
  if (step === 'choose_password' && isEmailedLink)
    await recordProofOfEmail(transaction, personId, 'emailed link', actor);
  if (step === 'accept' && endsAccess) await recordProofOfEmail(transaction, personId, 'OpenID', actor);
  await createUser(transaction, { companyId, email, fullName, role }).catch((error: unknown) => {
    const isMember = error instanceof ServiceError && error.fieldErrors?.['email'] === alreadyMember(email);
    throw isMember ? conflict('You are already a member of the company.') : error;
  });
  // Of somebody who belonged to no company.
  if (session)
    await transaction.session.updateMany({ where: { id: session.id, personId, companyId: null }, data: { companyId } });
  await recordSecurityEvent(transaction, { action: 'invitation_accepted', companyId, personId, actor });
  return personId;
}

async function createPerson(
  transaction: Prisma.TransactionClient,
  data: { readonly email: string; readonly fullName: string },
): Promise<string> {
  const created = await transaction.person.create({ data, select: { id: true } }).catch((error: unknown) => {
    // Somebody, who may be somebody else, has just been created with this address.
    throw isDuplicate(error) ? hasChanged() : error;
  });
  return created.id;
}

/** Locks the person with an email address, if there is one. @returns their id */
async function lockPersonWithEmail(transaction: Prisma.TransactionClient, email: string): Promise<string | undefined> {
  const person = await transaction.person.findUnique({ where: { email }, select: { id: true } });
  if (person) await lockPerson(transaction, person.id);
  return person?.id;
}

const hasChanged = () => conflict('The account with this address has changed meanwhile. Open the link again.');
