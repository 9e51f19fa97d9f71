import type { FastifyRequest } from 'fastify';
import { badRequest, type ServiceError } from '../errors.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Maximum size (bytes) of a response in JSON. */
    maxResponseBytes: number;
  }
}

/**
 * Measures what a response is made of before it becomes JSON, which would take as much memory again.
 *
 * @returns the error to send instead, when it is larger than the service allows
 */
export function findOversize(
  data: unknown,
  { server: { maxResponseBytes } }: FastifyRequest,
): ServiceError | undefined {
  let room = maxResponseBytes;
  const visit = (value: unknown): void => {
    if (room < 0) return;
    if (typeof value === 'string') room -= Buffer.byteLength(value) + 2;
    else if (typeof value !== 'object' || value === null) room -= 4;
    else if (Array.isArray(value)) value.forEach(visit);
    else
      for (const name in value) {
        room -= name.length + 4;
        visit((value as Record<string, unknown>)[name]);
      }
  };
  visit(data);
  if (room >= 0) return undefined;
  return badRequest(`The response is larger than ${maxResponseBytes} bytes. Ask for fewer rows or fields.`);
}
