import { z } from 'zod';
import { ServiceError, validationError } from '../../errors.ts';
import { itemBody } from '../../http/envelope.ts';
import { RefusedError } from '../../http/in-flight.ts';
import { messages } from '../../input/index.ts';
import { acceptInvitation, findInvitation, type OpenInvitation } from '../invitations.ts';
import type { InvitationBody } from './bodies.ts';
import { hashPassword } from './hash-passwords.ts';
import { storePasswordHash, validateNewPassword } from './passwords.ts';
import { actorOf, parseBody, recordSignIn, type Serve, text } from './serve.ts';
import { toRoleBody } from './session-body.ts';
import { callBetterAuth, type SessionDependencies, type Sessions } from './sessions.ts';

/** Serves reading and accepting invitations. The token of the link is in the body, as addresses are logged. */
export function serveInvitations(serve: Serve, { config, database }: SessionDependencies, sessions: Sessions): void {
  const { prisma } = database;

  async function requireInvitation(token: string): Promise<OpenInvitation> {
    const invitation = await findInvitation(prisma, token);
    if (!invitation) throw new ServiceError('NOT_FOUND', 'This invitation has expired, or was accepted or withdrawn.');
    return invitation;
  }

  serve('POST', '/invitation', async (request) => {
    const { token } = parseBody(z.strictObject({ token: text }), request.body);
    const { email, fullName, companyName, role, hasAccount } = await requireInvitation(token);
    const person = { email, full_name: fullName, role: toRoleBody(role) };
    const body: InvitationBody = { ...person, company_name: companyName, has_account: hasAccount };
    return itemBody(body, request.id);
  });

  serve('POST', '/invitation/accept', async (request, reply) => {
    const { token, password } = parseBody(z.strictObject({ token: text, password: text.optional() }), request.body);
    const invitation = await requireInvitation(token);
    const { email, hasAccount } = invitation;
    if (!hasAccount) {
      // With a provider of single sign-on people need no password.
      if (password === undefined && !config.oidc) throw validationError({ password: messages.required });
      const problem = password === undefined ? undefined : await validateNewPassword(password, invitation);
      if (problem) throw validationError({ password: problem });
    }
    // Before the invitation is used up: the hash may be refused.
    const hash = hasAccount || password === undefined ? undefined : await hashPassword(password);
    const session = await sessions.find(request, reply);
    await database.transaction(async () => {
      const personId = await acceptInvitation(prisma, invitation, session?.personId, actorOf(request));
      if (hash !== undefined) await storePasswordHash(prisma, personId, hash);
    });
    if (hash !== undefined) {
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
