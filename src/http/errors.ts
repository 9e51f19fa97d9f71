import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { badRequest, publicError, ServiceError, statusOf, UnavailableError } from '../errors.ts';
import { errorBody } from './envelope.ts';
import { RefusedError } from './in-flight.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods of the addresses outside of REST, as in `Allow`. */
    readonly allowedMethods: Map<string, string>;
  }
}

/**
 * Converts any error of Fastify or a handler to the one sent to the client. Internal errors are logged with their
 * cause.
 *
 * @returns an error with one of the API's codes
 */
export function toServiceError(error: Error, request: FastifyRequest, reply: FastifyReply): ServiceError {
  const clientError = translate(error, request);
  if (clientError.code === 'INVALID_TOKEN') reply.header('www-authenticate', 'Bearer');
  if (clientError.code === 'INTERNAL_ERROR') request.log.error({ err: error }, 'request failed');
  if (clientError.code === 'SERVICE_UNAVAILABLE') {
    // Refused requests are logged as requests only, as there can be very many.
    if (error instanceof UnavailableError) request.log.warn({ err: error }, `${error.what} unavailable`);
    else if (!(error instanceof RefusedError)) request.log.warn({ err: error }, 'database unreachable');
    reply.header('retry-after', 1);
  }
  return clientError;
}

function translate(error: Error & Partial<FastifyError>, { routeOptions }: FastifyRequest): ServiceError {
  const { code = '', statusCode = 500 } = error;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ServiceError('PAYLOAD_TOO_LARGE', `The body is larger than ${routeOptions.bodyLimit} bytes.`);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json in UTF-8.');
  if (typeof code === 'string' && code.startsWith('FST_') && statusCode < 500) return badRequest(error.message);
  return publicError(error);
}

/** Sends an error in REST's envelope. */
export function sendError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const clientError = toServiceError(error, request, reply);
  return reply.status(statusOf[clientError.code]).send(errorBody(clientError, request.id));
}

/** Responds 405 with `Allow`, for the methods a path does not support. */
export function refuseMethod(reply: FastifyReply, allow: string): never {
  reply.header('allow', allow);
  throw new ServiceError('METHOD_NOT_ALLOWED', `This route supports only ${allow}.`);
}

/**
 * Remembers which methods an address supports, for requests with one of the thirty methods that have no routes, such as
 * PROPFIND.
 */
export const rememberMethods = (app: FastifyInstance, url: string, allow: string): void =>
  void app.allowedMethods.set(app.prefix + url, allow);

/** Responds 405 if an address outside of REST supports other methods than the one of a request that no route has. */
export function refuseUnknownMethod({ server, url }: FastifyRequest, reply: FastifyReply): void {
  const allow = server.allowedMethods.get(url.replace(/(?<=.)\/?(\?.*)?$/, ''));
  if (allow !== undefined) refuseMethod(reply, allow);
}

/** Adds OPTIONS to an address with these methods, and 405 for every other method. */
export function allowOnly(app: FastifyInstance, url: string, methods: readonly string[]): void {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  rememberMethods(app, url, allow);
  app.options(url, (_request, reply) => reply.header('allow', allow).status(204).send());
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !methods.includes(method));
  app.route({ method: others, url, handler: (_request, reply) => refuseMethod(reply, allow) });
}

/** Adds OPTIONS to a read-only address, and 405 for every other method. */
export const allowOnlyReads = (app: FastifyInstance, url: string): void => allowOnly(app, url, ['GET']);
