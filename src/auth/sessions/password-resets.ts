import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { conflict, ServiceError, validationError } from '../../errors.ts';
import { itemBody } from '../../http/envelope.ts';
import { serviceSender } from '../../mail/index.ts';
import { findEmailError } from '../email.ts';
import { createPasswordReset, findPasswordReset, type PasswordReset, usePasswordReset } from '../password-resets.ts';
import { recordSecurityEvent } from '../security-log.ts';
import type { PasswordResetBody, PasswordResetLinkBody } from './bodies.ts';
import { countAttempt, resetLimits } from './brute-force.ts';
import { hashPassword } from './hash-passwords.ts';
import { isLinked } from './openid-links.ts';
import { hasPassword, validateNewPassword } from './passwords.ts';
import { maySignIn } from './people.ts';
import { actorOf, parseBody, type Serve, text } from './serve.ts';
import type { SessionDependencies } from './sessions.ts';

/** Serves replacing a forgotten password. The token of a link is in the body, as addresses are logged. */
export function servePasswordResets(serve: Serve, { config, database, limiter }: SessionDependencies): void {
  const { prisma } = database;

  serve('GET', '/password-reset', async (request) => {
    const body: PasswordResetBody = { is_emailed: request.server.mailer.isEnabled };
    return itemBody(body, request.id);
  });

  serve('POST', '/password-reset', async (request, reply) => {
    const body = parseBody(z.strictObject({ email: text }), request.body);
    if (!request.server.mailer.isEnabled)
      throw conflict('This service sends no email. Ask an admin of your company for a link.');
    const email = body.email.trim().toLowerCase();
    await countAttempt(limiter, resetLimits(email, request.ip), reply);
    // The response does not wait for it, as the time would reveal which accounts exist.
    sendLink(request, email).catch((err: unknown) => request.log.warn({ err }, 'link for a new password not sent'));
    return reply.status(204).send();
  });

  serve('POST', '/password-reset/link', async (request) => {
    const { token } = parseBody(z.strictObject({ token: text }), request.body);
    const { email, fullName } = await requireReset(token);
    const body: PasswordResetLinkBody = { email, full_name: fullName };
    return itemBody(body, request.id);
  });

  serve('POST', '/password-reset/confirm', async (request, reply) => {
    const { token, password } = parseBody(z.strictObject({ token: text, password: text }), request.body);
    const reset = await requireReset(token);
    const problem = await validateNewPassword(password, reset);
    if (problem) throw validationError({ password: problem });
    // Before the transaction, which would wait for it.
    const hash = await hashPassword(password);
    await database.transaction(() => usePasswordReset(prisma, reset, token, hash, actorOf(request)));
    return reply.status(204).send();
  });

  async function requireReset(token: string): Promise<PasswordReset> {
    const reset = await findPasswordReset(prisma, token);
    if (!reset) throw new ServiceError('NOT_FOUND', 'This link has expired or was used. Request another one.');
    return reset;
  }

  /** Emails a link to the person with an address, if there is one who could sign in. */
  async function sendLink(request: FastifyRequest, email: string): Promise<void> {
    if (findEmailError(email)) return;
    const person = await prisma.person.findUnique({ where: { email }, select: { id: true, fullName: true } });
    if (!person || !(await maySignIn(prisma, person.id))) return;
    const { id: personId, fullName } = person;
    const { mailer } = request.server;
    const message = { to: email, subject: 'Your password for Premises' };
    const who = `Hello ${fullName},`;
    const ignore = 'Ignore this message if you did not ask for it. Your password stays as it is.';
    // A password would be another way in than the provider, which may require more.
    if (config.oidc && !(await hasPassword(prisma, personId)) && (await isLinked(prisma, personId))) {
      const advice = `You have no password. You sign in with ${config.oidc.name}.`;
      mailer.send(serviceSender, {
        ...message,
        paragraphs: [who, advice],
        link: { label: 'Sign in', path: '/sign-in' },
      });
      return;
    }
    const { token, expiresAt } = await database.transaction(async () => {
      const event = { action: 'password_reset_requested', actor: actorOf(request), personId } as const;
      await recordSecurityEvent(prisma, event);
      return createPasswordReset(prisma, personId, null);
    });
    const time = `${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    const validity = `With this link you set a new password. It works once, until ${time}.`;
    const link = { label: 'Set a new password', path: `/reset-password#${token}` };
    mailer.send(serviceSender, { ...message, paragraphs: [who, validity, ignore], link });
  }
}
