import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { conflict, ServiceError, validationError } from '../../errors.ts';
import { itemBody } from '../../http/envelope.ts';
import { recordSecurityEvent, type SecurityAction } from '../security-log.ts';
import type { AuthenticatorKeyBody } from './bodies.ts';
import { codeLimits, limitAttempts, passwordChangeLimits, useLimit } from './brute-force.ts';
import { withoutCookies } from './cookie.ts';
import { findPasswordHash, hasPassword } from './passwords.ts';
import { findPerson, maySignIn } from './people.ts';
import { actorOf, parseBody, recordSignIn, requireSession, type Serve, text } from './serve.ts';
import { toSessionBody } from './session-body.ts';
import { callBetterAuth, type SessionDependencies, type Sessions } from './sessions.ts';
import { isReadable } from './two-factor-keys.ts';

const codeBody = z.strictObject({ code: text });
const passwordBody = z.strictObject({ password: text });

/** Whether better-auth's response to a right password asks for a code. */
export async function waitsForCode(response: Response): Promise<boolean> {
  const { twoFactorRedirect } = (await response.clone().json()) as { twoFactorRedirect?: boolean };
  return twoFactorRedirect === true;
}

/** Serves setting up an authenticator app, and the codes that signing in takes then. */
export function serveTwoFactor(serve: Serve, { config, database, limiter }: SessionDependencies, sessions: Sessions) {
  const { prisma } = database;
  const { publicUrl } = config;
  const call = (
    request: Pick<FastifyRequest, 'headers' | 'ip'>,
    reply: FastifyReply,
    path: string,
    body: Record<string, unknown>,
  ) => callBetterAuth(sessions.auth, publicUrl, request, reply, 'POST', path, body);

  serve('POST', '/sign-in/code', async (request, reply) => {
    const code = parseBody(codeBody, request.body).code.replaceAll(/\s/g, '');
    const personId = await sessions.findWaiting(request);
    if (personId === undefined) throw passwordAgain();
    const { email } = await findPerson(prisma, personId);
    await requireReadableKey(personId);
    const isTotp = /^\d+$/.test(code);
    const hash = await findPasswordHash(prisma, { id: personId });
    const verify = async () => {
      // A code is valid for a minute and a half, during which an observer could use it again.
      if (isTotp && !(await limiter.consume(...useLimit(personId, code))).allowed) return null;
      if (!(await maySignIn(prisma, personId))) return null;
      // With the cookie of another session, better-auth would not create one.
      const cookie = withoutCookies(request.headers.cookie ?? '', [sessions.cookieName]);
      const path = `/two-factor/${isTotp ? 'verify-totp' : 'verify-backup-code'}`;
      const response = await call({ ip: request.ip, headers: { ...request.headers, cookie } }, reply, path, { code });
      if (response.ok) return response;
      // Errors of better-auth have a code.
      const { code: reason } = (await response.json()) as { code?: string };
      if (reason === 'INVALID_CODE' || reason === 'INVALID_BACKUP_CODE') return null;
      throw passwordAgain();
    };
    const limits = codeLimits(personId, sessions.devices.find(request, email));
    const response = await limitAttempts(limiter, limits, reply, verify);
    const session = response && (await sessions.findCreated(response, hash));
    if (!session) {
      const event = { action: 'sign_in_failed', actor: actorOf(request), personId } as const;
      await recordSecurityEvent(prisma, { ...event, details: { method: 'code' } });
      throw new ServiceError('INVALID_CREDENTIALS', 'Incorrect code. Each code can be used once.');
    }
    await recordSignIn(prisma, session, `password and ${isTotp ? 'code' : 'backup code'}`, request);
    sessions.devices.remember(reply, email);
    return itemBody(await toSessionBody(prisma, session), request.id);
  });

  serve('POST', '/two-factor', async (request, reply) => {
    const { personId } = await requireSession(sessions, request, reply);
    const { password } = parseBody(passwordBody, request.body);
    if (await isEnabled(personId)) throw conflict('Two-factor authentication is already on.');
    const response = await withPassword(request, reply, personId, '/two-factor/enable', password);
    // As better-auth documents.
    const { totpURI, backupCodes } = (await response.json()) as { totpURI: string; backupCodes: string[] };
    const key = new URL(totpURI).searchParams.get('secret') ?? '';
    const body: AuthenticatorKeyBody = { uri: totpURI, key, backup_codes: backupCodes };
    return itemBody(body, request.id);
  });

  serve('POST', '/two-factor/confirm', async (request, reply) => {
    const { personId } = await requireSession(sessions, request, reply);
    const code = parseBody(codeBody, request.body).code.replaceAll(/\s/g, '');
    if (await isEnabled(personId)) throw conflict('Two-factor authentication is already on.');
    if (!(await prisma.twoFactor.findUnique({ where: { personId } })))
      throw conflict('Set up an authenticator app first.');
    await requireReadableKey(personId);
    const response = await limitAttempts(limiter, codeLimits(personId), reply, async () => {
      if (!(await limiter.consume(...useLimit(personId, code))).allowed) return null;
      const response = await call(request, reply, '/two-factor/verify-totp', { code });
      return response.ok ? response : null;
    });
    if (!response) throw validationError({ code: 'is incorrect' });
    return recordAndSend(request, reply, personId, 'two_factor_enabled');
  });

  serve('POST', '/two-factor/disable', async (request, reply) => {
    const { personId } = await requireSession(sessions, request, reply);
    const { password } = parseBody(passwordBody, request.body);
    if (!(await isEnabled(personId))) throw isOff();
    await withPassword(request, reply, personId, '/two-factor/disable', password);
    return recordAndSend(request, reply, personId, 'two_factor_disabled');
  });

  serve('POST', '/two-factor/backup-codes', async (request, reply) => {
    const { personId } = await requireSession(sessions, request, reply);
    const { password } = parseBody(passwordBody, request.body);
    if (!(await isEnabled(personId))) throw isOff();
    const response = await withPassword(request, reply, personId, '/two-factor/generate-backup-codes', password);
    // As better-auth documents.
    const { backupCodes } = (await response.json()) as { backupCodes: string[] };
    await record(request, personId, 'backup_codes_created');
    const body: Pick<AuthenticatorKeyBody, 'backup_codes'> = { backup_codes: backupCodes };
    return itemBody(body, request.id);
  });

  const isEnabled = async (personId: string) => (await findPerson(prisma, personId)).twoFactorEnabled;

  /** @throws {ServiceError} CONFLICT when AUTH_SECRET was replaced without keeping the previous one */
  async function requireReadableKey(personId: string): Promise<void> {
    const stored = await prisma.twoFactor.findUnique({ where: { personId } });
    if (stored && !isReadable(stored, sessions.secrets))
      throw conflict(
        'The service can no longer read the key of your authenticator app. Ask your administrator to reset it.',
      );
  }

  /**
   * Calls a route of better-auth that takes the password of who is signed in.
   *
   * @throws {ServiceError} VALIDATION_ERROR for a wrong one, CONFLICT for somebody without one
   */
  async function withPassword(
    request: FastifyRequest,
    reply: FastifyReply,
    personId: string,
    path: string,
    password: string,
  ): Promise<Response> {
    if (!(await hasPassword(prisma, personId)))
      throw conflict('Your account has no password; you sign in with a provider.');
    const response = await limitAttempts(limiter, passwordChangeLimits(personId), reply, async () => {
      const response = await call(request, reply, path, { password });
      return response.ok ? response : null;
    });
    if (!response) throw validationError({ password: 'is incorrect' });
    return response;
  }

  const record = (request: FastifyRequest, personId: string, action: SecurityAction) =>
    recordSecurityEvent(prisma, { action, actor: actorOf(request, personId), personId });

  async function recordAndSend(request: FastifyRequest, reply: FastifyReply, personId: string, action: SecurityAction) {
    await record(request, personId, action);
    return reply.status(204).send();
  }
}

const isOff = () => conflict('Two-factor authentication is off.');

const passwordAgain = () =>
  new ServiceError('REAUTHENTICATION_REQUIRED', 'You entered your password too long ago. Enter it again.');
