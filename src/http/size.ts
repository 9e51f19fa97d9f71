import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badRequest, type ServiceError } from '../errors.ts';
import { ByteBudget } from '../limits/byte-budget.ts';
import { JsonText } from './json-text.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Maximum size (bytes) of a response in JSON. */
    maxResponseBytes: number;
    /** Creates the budget of bytes from the database for one response, or one event of a stream. */
    createBudget: () => ByteBudget;
  }
  interface FastifyRequest {
    /** The budget of bytes that the request's statements may receive from the database. */
    budget: ByteBudget;
  }
}

/** How much more a request may receive from the database than a response may have: not all that is read is shown. */
const readFactor = 1.25;

/** Creates the budget of bytes from the database for one response. */
export const createBudget = (maxResponseBytes: number): ByteBudget =>
  new ByteBudget(maxResponseBytes * readFactor, tooLarge(maxResponseBytes));

/** Limits the size of responses, and what is read for them, so that a request takes a bounded amount of memory. */
export function limitResponses(app: FastifyInstance, maxResponseBytes: number): void {
  app.decorate('maxResponseBytes', maxResponseBytes);
  app.decorateRequest('budget');
  // One for all requests, as an error captures the stack.
  const error = tooLarge(maxResponseBytes);
  app.decorate('createBudget', () => new ByteBudget(maxResponseBytes * readFactor, error));
  app.addHook('onRequest', (request, _reply, done) => {
    request.budget = app.createBudget();
    done();
  });
}

const tooLarge = (maxResponseBytes: number) =>
  badRequest(`The response is larger than ${maxResponseBytes} bytes. Ask for fewer rows or fields.`);

/**
 * Measures the data of a response before it becomes JSON, which would take as much memory again.
 *
 * @returns the error to send instead, when it is larger than the service allows
 */
export function findOversize(
  data: unknown,
  {
    budget,
    server: { maxResponseBytes },
  }: Pick<FastifyRequest, 'budget'> & { readonly server: Pick<FastifyInstance, 'maxResponseBytes'> },
): ServiceError | undefined {
  let room = budget.isExceeded ? -1 : maxResponseBytes;
  const visit = (value: unknown): void => {
    if (room < 0) return;
    if (value instanceof JsonText) room -= Buffer.byteLength(value.text);
    else if (typeof value === 'string') room -= Buffer.byteLength(value) + 2;
    else if (typeof value !== 'object' || value === null) room -= 4;
    else if (Array.isArray(value)) value.forEach(visit);
    else
      for (const name in value) {
        room -= name.length + 4;
        // It was iterated, so it is an object.
        visit((value as Record<string, unknown>)[name]);
      }
  };
  visit(data);
  return room >= 0 ? undefined : tooLarge(maxResponseBytes);
}
