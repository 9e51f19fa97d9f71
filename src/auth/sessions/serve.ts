import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { PrismaClient } from '../../database/generated/client/client.ts';
import { badRequest, validationError } from '../../errors.ts';
import { messages, suggest } from '../../input/index.ts';
import { accessError } from '../access.ts';
import { type Actor, recordSecurityEvent } from '../security-log.ts';
import type { Session, Sessions } from './sessions.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Adds a route below /auth. */
export type Serve = (
  method: 'GET' | 'POST' | 'PATCH',
  url: string,
  handler: Handler,
  config?: FastifyContextConfig,
) => void;

/** Explains a value that is missing, null or otherwise `wrong`. */
const explain = (wrong: string) => ({
  error: ({ input }: { readonly input: unknown }) =>
    input === undefined ? messages.required : input === null ? messages.notNull : wrong,
});

/** Text that is not empty. */
export const text = z.string(explain(messages.string)).min(1, messages.notEmpty);

/** A uuid. */
export const uuid = z.guid(explain(messages.uuid));

/**
 * Parses a request's body.
 *
 * @throws {ServiceError} BAD_REQUEST when it is not an object, VALIDATION_ERROR with every invalid field
 */
export function parseBody<T extends z.ZodRawShape>(schema: z.ZodObject<T>, body: unknown): z.infer<z.ZodObject<T>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('The body must be a JSON object.');
  const { success, data, error } = schema.safeParse(body);
  if (success) return data;
  const errors = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => [key, messages.unknownField(suggest(key, Object.keys(schema.shape)))] as const)
      : [[issue.path.join('.'), issue.message] as const],
  );
  throw validationError(Object.fromEntries(errors));
}

/** Finds the session of a request. @throws {ServiceError} INVALID_TOKEN without one */
export async function requireSession(
  sessions: Sessions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Session> {
  const session = await sessions.find(request, reply);
  if (!session) throw accessError({ kind: 'guest' }, 'session');
  return session;
}

/** Who makes a request, for the security log. @param personId the person, where that is known */
export const actorOf = ({ ip, headers }: FastifyRequest, personId?: string): Actor => ({
  personId,
  ip,
  userAgent: headers['user-agent'],
});

/** Adds a sign-in to the security log. @param method for example `password` or `OpenID` */
export const recordSignIn = (
  prisma: PrismaClient,
  { personId }: Session,
  method: string,
  request: FastifyRequest,
): Promise<void> =>
  recordSecurityEvent(prisma, {
    action: 'signed_in',
    actor: actorOf(request, personId),
    personId,
    details: { method },
  });

/**
 * Adds a failed sign-in to the security log, where somebody has the address. What was entered is not recorded, as
 * people type passwords into the wrong field.
 */
export async function recordFailure(prisma: PrismaClient, email: string, request: FastifyRequest): Promise<void> {
  const person = await prisma.person.findUnique({ where: { email }, select: { id: true } });
  if (!person) return;
  await recordSecurityEvent(prisma, { action: 'sign_in_failed', actor: actorOf(request), personId: person.id });
}
