import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { z } from 'zod';
import { badRequest, conflict, ServiceError, validationError } from '../../errors.ts';
import { itemBody } from '../../http/envelope.ts';
import { allowOnly } from '../../http/errors.ts';
import { messages } from '../../input/index.ts';
import { assertNamedCompany, namedCompany } from '../named-company.ts';
import { networkOf } from '../network.ts';
import { validateLanguage, validateTimeZone } from '../preferences.ts';
import { recordSecurityEvent } from '../security-log.ts';
import { basePath } from './auth.ts';
import type { ProviderBody } from './bodies.ts';
import {
  changeLimits,
  countAttempt,
  limitAttempts,
  oidcLimits,
  passwordChangeLimits,
  signInLimits,
} from './brute-force.ts';
import { serveCompany } from './company.ts';
import { hashFor, hashPassword } from './hash-passwords.ts';
import { serveInvitations } from './invitations.ts';
import { identify, type OidcError, toOidcError } from './oidc.ts';
import { oidcProviderId, recordIdentity } from './openid-links.ts';
import { servePasswordResets } from './password-resets.ts';
import { findPasswordHash, storePasswordHash, validateNewPassword, verifyPassword } from './passwords.ts';
import { findPerson } from './people.ts';
import { actorOf, parseBody, recordFailure, recordSignIn, requireSession, type Serve, text, uuid } from './serve.ts';
import { toSessionBody } from './session-body.ts';
import { callBetterAuth, type Session, type SessionDependencies, type Sessions } from './sessions.ts';
import { serveTwoFactor, waitsForCode } from './two-factor.ts';
import { serveUnsubscribe } from './unsubscribe.ts';

/**
 * Serves signing in and out below /auth, for our own pages. Responses have REST's envelope. Of better-auth's own routes
 * only the callback of the OpenID provider can be reached.
 */
export function serveSessions(app: FastifyInstance, dependencies: SessionDependencies, sessions: Sessions): void {
  const { publicUrl } = dependencies.config;
  serveUnsubscribe(app, dependencies);
  app.register(
    async (scope) => {
      scope.addHook('onRequest', async (request, reply) => {
        // The next person at the same browser must not see who was signed in.
        reply.header('cache-control', 'no-store');
        const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(request.method);
        if (!isRead && !mayWrite(request, sessions))
          throw new ServiceError('FORBIDDEN', `Only pages of ${new URL(publicUrl).origin} can send this request.`);
        const limits = changeLimits(request.ip, sessions.devices.findAccount(request));
        if (!isRead) await countAttempt(dependencies.limiter, limits, reply);
      });
      scope.addHook('preHandler', async (request, reply) => {
        if (namedCompany(request) === undefined) return;
        const session = await sessions.find(request, reply);
        if (session) assertNamedCompany(request, { kind: 'session', companyId: session.companyId });
      });
      const methodsByUrl = new Map<string, HTTPMethods[]>();
      const serve: Serve = (method, url, handler, config) => {
        methodsByUrl.set(url, [...(methodsByUrl.get(url) ?? []), method]);
        scope.route({
          method,
          url,
          handler: (request, reply) => hashFor(networkOf(request.ip), () => handler(request, reply)),
          config,
        });
      };
      serveAccount(serve, dependencies, sessions);
      serveTwoFactor(serve, dependencies, sessions);
      serveInvitations(serve, dependencies, sessions);
      servePasswordResets(serve, dependencies);
      serveCompany(serve, dependencies, sessions);
      if (sessions.oidc) serveOidc(serve, dependencies, sessions, sessions.oidc);
      for (const [url, methods] of methodsByUrl) allowOnly(scope, url, methods);
    },
    { prefix: basePath },
  );
}

/**
 * Whether a request may change something: from our own pages, or from a program, which has no cookie that another page
 * could abuse.
 */
const mayWrite = (request: FastifyRequest, sessions: Sessions) =>
  sessions.isTrustedOrigin(request) ||
  (request.headers['sec-fetch-site'] === undefined &&
    request.headers.origin === undefined &&
    request.headers.cookie === undefined);

/** What a person prefers; null for what their browser says. */
const preference = z.string(messages.string).nullable().optional();

/** Serves the session, signing in with a password, and changing the password. */
function serveAccount(serve: Serve, { config, database, limiter }: SessionDependencies, sessions: Sessions): void {
  const { prisma } = database;
  const { publicUrl, oidc } = config;

  serve('GET', '/session', async (request, reply) => {
    const session = await sessions.find(request, reply);
    return itemBody(session && (await toSessionBody(prisma, session)), request.id);
  });

  serve('POST', '/sign-in', async (request, reply) => {
    const body = parseBody(z.strictObject({ email: text, password: text }), request.body);
    const email = body.email.trim().toLowerCase();
    const limits = signInLimits(email, request.ip, sessions.devices.find(request, email));
    const earlier = await sessions.find(request, reply);
    const hash = await findPasswordHash(prisma, { email });
    const response = await limitAttempts(limiter, limits, reply, async () => {
      const response = await callBetterAuth(sessions.auth, publicUrl, request, reply, 'POST', '/sign-in/email', {
        email,
        password: body.password,
      });
      return response.ok ? response : null;
    });
    if (response && (await waitsForCode(response))) {
      // The browser no longer has the cookie of its earlier session.
      if (earlier) await prisma.session.deleteMany({ where: { id: earlier.id, person: { email } } });
      throw new ServiceError('TWO_FACTOR_REQUIRED', 'Enter the code of your authenticator app.');
    }
    const session = response && (await sessions.findCreated(response, hash));
    // The same for an unknown address and a wrong password, so as not to reveal which accounts exist.
    if (!session) {
      // The response does not wait for it, as the time would reveal which accounts exist.
      recordFailure(prisma, email, request).catch((err: unknown) =>
        request.log.warn({ err }, 'failed sign-in not recorded'),
      );
      throw new ServiceError('INVALID_CREDENTIALS', 'Incorrect email or password.');
    }
    await endEarlier(earlier, session);
    await recordSignIn(prisma, session, 'password', request);
    sessions.devices.remember(reply, email);
    return itemBody(await toSessionBody(prisma, session), request.id);
  });

  serve('POST', '/sign-out', async (request, reply) => {
    parseBody(z.strictObject({}), request.body ?? {});
    const session = await sessions.find(request, reply);
    await callBetterAuth(sessions.auth, publicUrl, request, reply, 'POST', '/sign-out', {});
    if (session) {
      const { personId } = session;
      await recordSecurityEvent(prisma, { action: 'signed_out', actor: actorOf(request, personId), personId });
    }
    return reply.status(204).send();
  });

  serve('PATCH', '/session', async (request, reply) => {
    const session = await requireSession(sessions, request, reply);
    const { id, personId } = session;
    const { company_id: companyId } = parseBody(z.strictObject({ company_id: uuid }), request.body);
    const member = await prisma.user.findFirst({
      where: { companyId, id: personId, deactivatedAt: null },
      select: { role: true },
    });
    if (!member) throw validationError({ company_id: 'must be one of your companies' });
    await prisma.$transaction([
      prisma.session.update({ where: { id }, data: { companyId } }),
      prisma.person.update({ where: { id: personId }, data: { lastCompanyId: companyId } }),
    ]);
    return itemBody(await toSessionBody(prisma, { ...session, companyId, role: member.role }), request.id);
  });

  serve('PATCH', '/account', async (request, reply) => {
    const session = await requireSession(sessions, request, reply);
    const given = parseBody(z.strictObject({ language: preference, time_zone: preference }), request.body);
    const checks = [
      ['language', given.language, validateLanguage],
      ['time_zone', given.time_zone, validateTimeZone],
    ] as const;
    const errors = checks.flatMap(([name, value, validate]) => {
      const problem = value == null ? undefined : validate(value);
      return problem === undefined ? [] : [[name, problem] as const];
    });
    if (errors.length > 0) throw validationError(Object.fromEntries(errors));
    const { language, time_zone: timeZone } = given;
    await prisma.person.update({ where: { id: session.personId }, data: { language, timeZone } });
    return itemBody(await toSessionBody(prisma, session), request.id);
  });

  serve('POST', '/password', async (request, reply) => {
    const { id, personId } = await requireSession(sessions, request, reply);
    const body = parseBody(z.strictObject({ current_password: text, new_password: text }), request.body);
    const problem = await validateNewPassword(body.new_password, await findPerson(prisma, personId));
    if (problem) throw validationError({ new_password: problem });
    const isCorrect = await limitAttempts(limiter, passwordChangeLimits(personId), reply, async () => {
      const result = await verifyPassword(prisma, personId, body.current_password);
      if (result === undefined) throw conflict('Your account has no password; you sign in with a provider.');
      return result || null;
    });
    if (!isCorrect) throw validationError({ current_password: 'is incorrect' });
    // Before the transaction, which would wait for it.
    const hash = await hashPassword(body.new_password);
    await database.transaction(async () => {
      await storePasswordHash(prisma, personId, hash, id);
      await recordSecurityEvent(prisma, { action: 'password_changed', actor: actorOf(request, personId), personId });
    });
    return reply.status(204).send();
  });

  serve('GET', '/providers', async (request) => {
    const providers: ProviderBody[] = oidc ? [{ id: oidcProviderId, name: oidc.name, url: `${basePath}/oidc` }] : [];
    return itemBody(providers, request.id);
  });

  /** Ends the session that a person had in the browser in which they sign in again. */
  async function endEarlier(earlier: Session | null, { id, personId }: Session): Promise<void> {
    if (!earlier || earlier.id === id || earlier.personId !== personId) return;
    await prisma.session.deleteMany({ where: { id: earlier.id } });
  }
}

/** Serves sign-in through the OpenID provider. */
function serveOidc(
  serve: Serve,
  { config: { publicUrl }, database, limiter }: SessionDependencies,
  sessions: Sessions,
  connect: NonNullable<Sessions['oidc']>,
): void {
  const { prisma } = database;
  const redirectWithError = (reply: FastifyReply, error: OidcError) =>
    reply.redirect(`${publicUrl}/sign-in?error=${error}`);
  const connectOrLog = (request: FastifyRequest) =>
    connect().catch((err: unknown) => void request.log.warn({ err }, 'OpenID provider unreachable'));

  serve('GET', '/oidc', async (request, reply) => {
    // Fastify's parser makes an object of every query.
    const { return_to: path = '/' } = request.query as { return_to?: unknown };
    await countAttempt(limiter, oidcLimits(request.ip), reply);
    const callbackURL = toPageUrl(path, publicUrl);
    const auth = await connectOrLog(request);
    if (!auth) return redirectWithError(reply, 'provider_unavailable');
    const response = await callBetterAuth(auth, publicUrl, request, reply, 'POST', '/sign-in/social', {
      provider: oidcProviderId,
      disableRedirect: true,
      callbackURL,
      errorCallbackURL: `${publicUrl}/sign-in`,
    });
    // With `disableRedirect`, better-auth responds with the provider's URL.
    return reply.redirect(((await response.json()) as { url: string }).url);
  });

  serve('GET', '/callback/oidc', async (request, reply) => {
    const auth = await connectOrLog(request);
    if (!auth) return redirectWithError(reply, 'provider_unavailable');
    const query = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : '';
    const path = `/callback/${oidcProviderId}${query}`;
    const { result: response, identity } = await identify(() =>
      callBetterAuth(auth, publicUrl, request, reply, 'GET', path),
    );
    const target = new URL(response.headers.get('location') ?? `${publicUrl}/sign-in?error=failed`, publicUrl);
    const error = target.pathname.endsWith('/sign-in') && target.searchParams.get('error');
    if (!error) {
      const session = await sessions.findCreated(response);
      if (session) {
        const { personId } = session;
        if (!identity || !(await recordIdentity(database, session, identity, actorOf(request, personId))))
          return redirectWithError(reply, 'failed');
        // Also for an account without a password, as somebody may guess at one that it gets later.
        sessions.devices.remember(reply, (await findPerson(prisma, personId)).email);
        await recordSignIn(prisma, session, 'OpenID', request);
      }
      return reply.redirect(target.href);
    }
    const description = target.searchParams.get('error_description');
    request.log.warn({ error, description }, 'sign-in with OpenID failed');
    return redirectWithError(reply, toOidcError(error));
  });
}

/** The address of one of our pages. @throws {ServiceError} BAD_REQUEST when it could be another site's */
function toPageUrl(path: unknown, publicUrl: string): string {
  // PUBLIC_URL is prepended, so a path with a leading slash stays on this site.
  if (typeof path !== 'string' || !path.startsWith('/'))
    throw badRequest('must be a path of this service', 'return_to');
  return new URL(publicUrl + path).href;
}
