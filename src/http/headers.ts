import type { FastifyInstance } from 'fastify';

/** The most (bytes) that a request's headers and address may have: room for a cursor of a list that is sorted by long text. */
export const headerLimit = 64 * 1024;

/** A Content-Security-Policy of its directives. */
export const policy = (directives: Record<string, string>): string =>
  Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');

/** What no page of ours needs, and what an answer that is no page needs: nothing. */
export const denyAll = {
  'default-src': `'none'`,
  'base-uri': `'none'`,
  'form-action': `'none'`,
  'frame-ancestors': `'none'`,
};

/**
 * Has every answer say how a browser is to handle it.
 * @param secure whether people reach the service over https, and so always should
 */
export function setSecurityHeaders(app: FastifyInstance, secure: boolean): void {
  const headers = {
    'content-security-policy': policy(denyAll),
    'x-content-type-options': 'nosniff',
    // Addresses of ours may hold what is not for others: whoever knows a package's can follow it.
    'referrer-policy': 'no-referrer',
    ...(secure && { 'strict-transport-security': 'max-age=31536000' }),
  };
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
}
