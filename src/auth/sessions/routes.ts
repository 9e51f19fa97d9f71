import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { z } from 'zod';
import { badRequest, conflict, ServiceError, validationError } from '../../errors.ts';
import { itemBody } from '../../http/envelope.ts';
import { refuseMethod } from '../../http/errors.ts';
import { refusal } from '../access.ts';
import { basePath, oidcId } from './auth.ts';
import { guarded, network, passwordAllowances, signInAllowances } from './guesses.ts';
import { type OidcError, oidcError } from './oidc.ts';
import { hasPassword, isPassword, passwordFault, setPassword } from './passwords.ts';
import { findPerson, membershipsOf } from './people.ts';
import { callLibrary, type Session, type SessionDependencies, type Sessions } from './sessions.ts';

/** How often an hour people of one place may set out for the OpenID provider. */
const departures = 300;

/**
 * Serves signing in and out at /auth, to pages of ours. Answers and errors have REST's envelope; of the library's own
 * addresses only the one that the OpenID provider sends people back to can be reached.
 */
export function serveSessions(
  app: FastifyInstance,
  { config, database, limiter }: SessionDependencies,
  sessions: Sessions,
): void {
  const { prisma } = database;
  const { publicUrl, oidc } = config;
  const { origin } = new URL(publicUrl);

  app.register(
    async (scope) => {
      const places = new Map<string, HTTPMethods[]>();
      const serve = (
        method: 'GET' | 'POST' | 'PATCH',
        url: string,
        handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
      ) => {
        places.set(url, [...(places.get(url) ?? []), method]);
        scope.route({ method, url, handler });
      };
      // What somebody is shown when they are signed in is not for the next one at the same browser.
      scope.addHook('onRequest', async (request, reply) => {
        reply.header('cache-control', 'no-store');
        if (
          request.method !== 'GET' &&
          request.method !== 'HEAD' &&
          request.method !== 'OPTIONS' &&
          !isFromHere(request)
        ) {
          throw new ServiceError('FORBIDDEN', `Only pages of ${origin} may do this.`);
        }
      });

      serve('GET', '/session', async (request, reply) => {
        const session = await sessions.find(request, reply);
        return told(request, session && (await describe(session)));
      });

      serve('POST', '/sign-in', async (request, reply) => {
        const { email, password } = read(z.strictObject({ email: text, password: text }), request.body);
        const address = email.trim().toLowerCase();
        const token = await guarded(limiter, signInAllowances(address, request.ip), reply, async () => {
          const response = await callLibrary(sessions.auth, publicUrl, request, reply, 'POST', '/sign-in/email', {
            email: address,
            password,
          });
          // No such person, a wrong password, what is no e-mail address: whoever guesses learns nothing of which.
          return response.ok ? ((await response.json()) as { token: string }).token : null;
        });
        const session = token === null ? null : await sessions.ofToken(token);
        if (!session) throw new ServiceError('INVALID_CREDENTIALS', 'The e-mail address or the password is not right.');
        return told(request, await describe(session));
      });

      serve('POST', '/sign-out', async (request, reply) => {
        read(z.strictObject({}), request.body ?? {});
        await callLibrary(sessions.auth, publicUrl, request, reply, 'POST', '/sign-out', {});
        return reply.status(204).send();
      });

      serve('PATCH', '/session', async (request, reply) => {
        const { id, personId, ...session } = await signedIn(request, reply);
        const { company_id: companyId } = read(z.strictObject({ company_id: z.uuid('must be a uuid') }), request.body);
        const member = await prisma.user.findUnique({
          where: { companyId_id: { companyId, id: personId } },
          select: { role: true },
        });
        if (!member) throw validationError({ company_id: 'is no company of yours' });
        await prisma.$transaction([
          prisma.session.update({ where: { id }, data: { companyId } }),
          prisma.person.update({ where: { id: personId }, data: { lastCompanyId: companyId } }),
        ]);
        return told(request, await describe({ ...session, id, personId, companyId, role: member.role }));
      });

      serve('POST', '/password', async (request, reply) => {
        const { id, personId } = await signedIn(request, reply);
        const body = read(z.strictObject({ current_password: text, new_password: text }), request.body);
        const fault = passwordFault(body.new_password);
        if (fault) throw validationError({ new_password: fault });
        const right = await guarded(limiter, passwordAllowances(personId), reply, async () => {
          const answer = await isPassword(prisma, personId, body.current_password);
          if (answer === undefined) throw conflict('You have no password; you sign in elsewhere.');
          return answer || null;
        });
        if (!right) throw validationError({ current_password: 'is not right' });
        await setPassword(prisma, personId, body.new_password, id);
        return reply.status(204).send();
      });

      serve('GET', '/providers', async (request) =>
        told(request, oidc ? [{ id: oidcId, name: oidc.name, url: `${basePath}/oidc` }] : []),
      );

      if (sessions.oidc) {
        const { oidc: library } = sessions;
        const failed = (reply: FastifyReply, error: OidcError) => reply.redirect(`${publicUrl}/sign-in?error=${error}`);

        serve('GET', '/oidc', async (request, reply) => {
          const { return_to: path = '/' } = request.query as { return_to?: unknown };
          const { allowed, retryAfter } = await limiter.take(`oidc:${network(request.ip)}`, departures);
          if (!allowed) {
            reply.header('retry-after', retryAfter);
            throw new ServiceError(
              'RATE_LIMITED',
              `Too many attempts; try again in ${Math.ceil(retryAfter / 60)} minutes.`,
            );
          }
          const where = { callbackURL: ourPage(path), errorCallbackURL: `${publicUrl}/sign-in` };
          const auth = await library().catch(
            (err: unknown) => void request.log.warn({ err }, 'OpenID provider out of reach'),
          );
          if (!auth) return failed(reply, 'provider_unavailable');
          const response = await callLibrary(auth, publicUrl, request, reply, 'POST', '/sign-in/social', {
            provider: oidcId,
            disableRedirect: true,
            ...where,
          });
          return reply.redirect(((await response.json()) as { url: string }).url);
        });

        serve('GET', '/callback/oidc', async (request, reply) => {
          const auth = await library().catch(
            (err: unknown) => void request.log.warn({ err }, 'OpenID provider out of reach'),
          );
          if (!auth) return failed(reply, 'provider_unavailable');
          const query = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : '';
          const response = await callLibrary(auth, publicUrl, request, reply, 'GET', `/callback/${oidcId}${query}`);
          const target = new URL(response.headers.get('location') ?? `${publicUrl}/sign-in?error=failed`, publicUrl);
          const error = target.pathname.endsWith('/sign-in') && target.searchParams.get('error');
          if (error)
            request.log.warn(
              { error, description: target.searchParams.get('error_description') },
              'sign-in with OpenID failed',
            );
          return error ? failed(reply, oidcError(error)) : reply.redirect(target.href);
        });
      }

      for (const [url, methods] of places) {
        const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
        const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !methods.includes(method));
        scope.options(url, (_request, reply) => reply.header('allow', allow).status(204).send());
        scope.route({ method: others, url, handler: (_request, reply) => refuseMethod(reply, allow) });
      }
    },
    { prefix: basePath },
  );

  /** Programs that are no browsers say nothing of where they come from; signing in gives them no more than its answer. */
  const isFromHere = (request: FastifyRequest) =>
    sessions.isOurs(request) ||
    (request.headers['sec-fetch-site'] === undefined &&
      request.headers.origin === undefined &&
      request.headers.cookie === undefined);

  async function signedIn(request: FastifyRequest, reply: FastifyReply): Promise<Session> {
    const session = await sessions.find(request, reply);
    if (!session) throw refusal({ kind: 'guest' }, 'session');
    return session;
  }

  /** What a page shows of whoever is signed in. */
  async function describe({ personId, companyId, role, expiresAt }: Session) {
    const [{ fullName, email }, memberships, has_password] = await Promise.all([
      findPerson(prisma, personId),
      membershipsOf(prisma, personId),
      hasPassword(prisma, personId),
    ]);
    const companies = memberships.map(({ isSandbox, role, ...company }) => ({
      ...company,
      is_sandbox: isSandbox,
      role: role.toLowerCase(),
    }));
    const active = companies.find(({ id }) => id === companyId);
    return {
      person: { id: personId, full_name: fullName, email, has_password },
      role: role?.toLowerCase() ?? null,
      company: active ? { id: active.id, name: active.name, slug: active.slug, is_sandbox: active.is_sandbox } : null,
      companies,
      expires_at: expiresAt,
    };
  }

  /** The address of a page of ours. @throws ServiceError BAD_REQUEST when it could be elsewhere */
  function ourPage(path: unknown): string {
    // Ours is put before it, so what begins with a slash stays here.
    if (typeof path !== 'string' || !path.startsWith('/'))
      throw badRequest('must be a path of this service', 'return_to');
    return new URL(publicUrl + path).href;
  }
}

const told = ({ id }: FastifyRequest, data: unknown) => itemBody(data, id);

const text = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be text') })
  .min(1, 'is required');

/** Reads a body. @throws ServiceError BAD_REQUEST when it is no object, VALIDATION_ERROR naming every field at fault */
function read<T extends z.ZodRawShape>(shape: z.ZodObject<T>, body: unknown): z.infer<z.ZodObject<T>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('The body must be a JSON object.');
  const { success, data, error } = shape.safeParse(body);
  if (success) return data;
  const faults = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => [key, 'is not a field here'] as const)
      : [[issue.path.join('.'), issue.message] as const],
  );
  throw validationError(Object.fromEntries(faults));
}
