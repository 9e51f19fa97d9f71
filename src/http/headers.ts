import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Maximum size (bytes) of a request's headers and address: enough for a cursor of a list sorted by long text. */
export const headerLimit = 64 * 1024;

/** `Cache-Control` of private responses. */
export const noStore = 'private, no-store';

/** Whether a browser navigates to an address, rather than an app that asks for JSON. */
export const wantsPage = ({ method, headers: { accept = '' } }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && accept.includes('text/html') && !accept.includes('json');

/** Formats a Content-Security-Policy. */
export const policy = (directives: Record<string, string>): string =>
  Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');

/** The directives of a response that is not a page; pages add to them. */
export const denyAll = {
  'default-src': `'none'`,
  'base-uri': `'none'`,
  'form-action': `'none'`,
  'frame-ancestors': `'none'`,
};

/**
 * Sets the security headers of every response.
 *
 * @param secure whether PUBLIC_URL is https, so that browsers should insist on it
 */
export function setSecurityHeaders(app: FastifyInstance, secure: boolean): void {
  const headers = {
    'content-security-policy': policy(denyAll),
    'x-content-type-options': 'nosniff',
    // Our addresses may contain secrets, such as a package's tracking token.
    'referrer-policy': 'no-referrer',
    ...(secure && { 'strict-transport-security': 'max-age=31536000' }),
  };
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/**
 * Whether the client already has this version (`If-None-Match`). Weak ETags are allowed here.
 *
 * @param etag without quotes
 */
export function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const given = headers['if-none-match'] ?? '';
  return given.trim() === '*' || [...given.matchAll(/"([^"]*)"/g)].some(([, known]) => known === etag);
}
