import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { badRequest, publicError, ServiceError, statusOf } from '../errors.ts';
import { errorBody } from './envelope.ts';
import { headerLimit } from './headers.ts';
import { RefusedError } from './in-flight.ts';

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
    // A line for each refused request would be too many; `answered` tells them.
    if (!(error instanceof RefusedError)) request.log.warn({ err: error }, 'database out of reach');
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

/** Responds to what is not valid HTTP, on the raw connection. */
export function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const clientError = connectionErrors[error.code ?? ''] ?? badRequest('This is not a valid HTTP request.');
  const status = statusOf[clientError.code];
  const id = randomUUID();
  const body = JSON.stringify(errorBody(clientError, id));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `X-Request-Id: ${id}`,
    'Access-Control-Allow-Origin: *',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const connectionErrors: Record<string, ServiceError> = {
  HPE_HEADER_OVERFLOW: new ServiceError(
    'REQUEST_HEADER_FIELDS_TOO_LARGE',
    `The headers are larger than ${headerLimit} bytes.`,
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new ServiceError('REQUEST_TIMEOUT', 'The request took too long to arrive.'),
};

/** Responds 405 with `Allow`, for the methods a path does not support. */
export function refuseMethod(reply: FastifyReply, allow: string): never {
  reply.header('allow', allow);
  throw new ServiceError('METHOD_NOT_ALLOWED', `This address supports ${allow}.`);
}

/** Adds OPTIONS to a read-only address, and 405 for every other method. */
export function allowOnlyReads(app: FastifyInstance, url: string): void {
  const allow = 'GET, HEAD, OPTIONS';
  app.options(url, (_request, reply) => reply.header('allow', allow).status(204).send());
  app.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE'],
    url,
    handler: (_request, reply) => refuseMethod(reply, allow),
  });
}
