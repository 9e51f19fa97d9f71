import { z } from 'zod';
import { conflict, ServiceError, validationError } from '../../errors.ts';
import { itemBody } from '../../http/envelope.ts';
import { RefusedError } from '../../http/in-flight.ts';
import { messages } from '../../input/index.ts';
import { unprovenElsewhere } from '../accounts.ts';
import { acceptInvitation, findAcceptanceStep, findInvitation, type OpenInvitation } from '../invitations.ts';
import type { InvitationBody } from './bodies.ts';
import { hashPassword } from './hash-passwords.ts';
import { validateNewPassword } from './passwords.ts';
import { actorOf, parseBody, recordSignIn, type Serve, text } from './serve.ts';
import { toRoleBody } from './session-body.ts';
import { callBetterAuth, type SessionDependencies, type Sessions } from './sessions.ts';

/** Serves reading and accepting invitations. The token of the link is in the body, as addresses are logged. */
export function serveInvitations(serve: Serve, { config, database }: SessionDependencies, sessions: Sessions): void {
  const { prisma } = database;
  const { oidc } = config;

  async function requireInvitation(token: string): Promise<OpenInvitation> {
    const invitation = await findInvitation(prisma, token);
    if (!invitation) throw new ServiceError('NOT_FOUND', 'This invitation has expired, or was accepted or withdrawn.');
    return invitation;
  }

  /** How somebody proves an address that this link does not prove. */
  function explainProof({ email, isEmailed }: OpenInvitation): string {
    const ways = [
      ...(isEmailed ? [`open the link that was emailed to ${email}`] : []),
      ...(oidc ? [`sign in with ${oidc.name}, then open this link again`] : []),
    ];
    const advice = ways.length > 0 ? ways.join(', or ') : 'ask the operator of the service to add the account';
    return `${unprovenElsewhere(email)} To accept the invitation, ${advice}.`;
  }

  serve('POST', '/invitation', async (request, reply) => {
    const { token } = parseBody(z.strictObject({ token: text }), request.body);
    const invitation = await requireInvitation(token);
    const { email, fullName, companyName, role, hasAccount, isEmailed } = invitation;
    const session = await sessions.find(request, reply);
    const { step, endsAccess } = await findAcceptanceStep(prisma, invitation, session);
    const body: InvitationBody = {
      email,
      full_name: fullName,
      role: toRoleBody(role),
      company_name: companyName,
      has_account: hasAccount,
      is_emailed: isEmailed,
      step,
      ends_access: endsAccess,
    };
    return itemBody(body, request.id);
  });

  serve('POST', '/invitation/accept', async (request, reply) => {
    const { token, password } = parseBody(z.strictObject({ token: text, password: text.optional() }), request.body);
    const invitation = await requireInvitation(token);
    const { email } = invitation;
    const session = await sessions.find(request, reply);
    const step = await findAcceptanceStep(prisma, invitation, session);
    if (step.step === 'sign_in') throw conflict(`Sign in as ${email} to accept this invitation.`);
    if (step.step === 'prove_email') throw conflict(explainProof(invitation));
    const choosesPassword = step.step === 'choose_password' && password !== undefined;
    // With a provider of single sign-on people need no password.
    if (step.step === 'choose_password' && password === undefined && !oidc)
      throw validationError({ password: messages.required });
    const problem = choosesPassword ? await validateNewPassword(password, invitation) : undefined;
    if (problem) throw validationError({ password: problem });
    // Before the invitation is used up: the hash may be refused.
    const passwordHash = choosesPassword ? await hashPassword(password) : undefined;
    const given = { step, session, passwordHash };
    await database.transaction(() => acceptInvitation(prisma, invitation, token, given, actorOf(request)));
    if (choosesPassword) {
      const path = '/sign-in/email';
      const { auth } = sessions;
      const body = { email, password };
      const response = await callBetterAuth(auth, config.publicUrl, request, reply, 'POST', path, body).catch(
        (error: unknown) => {
          // The account is there; its person signs in a moment later.
          if (error instanceof RefusedError) return null;
          throw error;
        },
      );
      const created = response && (await sessions.findCreated(response));
      if (created) await recordSignIn(prisma, created, 'password', request);
      sessions.devices.remember(reply, email);
    }
    return reply.status(204).send();
  });
}
