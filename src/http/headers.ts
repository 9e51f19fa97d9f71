import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badRequest, ServiceError } from '../errors.ts';

/** Maximum size (bytes) of a request's headers and address: enough for a cursor of a list sorted by long text. */
export const headerLimit = 64 * 1024;

/** Maximum number of a request's headers. */
export const maxHeaders = 1000;

/** The response headers that pages of other origins may read. */
export const exposedHeaders = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'ETag',
  'Idempotent-Replayed',
  'Allow',
  'Content-Disposition',
  'Preference-Applied',
];

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
 * The security headers of every response.
 *
 * @param secure whether PUBLIC_URL is https, so that browsers should insist on it
 */
export const securityHeaders = (secure: boolean): Readonly<Record<string, string>> => ({
  'content-security-policy': policy(denyAll),
  'x-content-type-options': 'nosniff',
  // Our addresses may contain secrets, such as a package's tracking token.
  'referrer-policy': 'no-referrer',
  ...(secure && { 'strict-transport-security': 'max-age=31536000' }),
});

/** Sets headers of every response. */
export function setCommonHeaders(app: FastifyInstance, headers: Readonly<Record<string, string>>): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/** The headers that a request can have once, in their usual spelling. */
const singleHeaders = [
  'Host',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'Idempotency-Key-Max-Age',
  'Last-Event-ID',
  'Premises-Company',
  'Premises-Person',
];
const single = new Map(singleHeaders.map((name) => [name.toLowerCase(), name]));

/**
 * Finds what is wrong with the headers of a request: there are too many, of which Node would ignore the last, or one
 * that a request can have once is there several times. Proxies and caches could take another of its
 * lines than this service. A line that is repeated as it is counts once. Node itself would take the first of some
 * headers, and join the lines of others.
 *
 * @returns the error of a request with too many headers, whose lines differ, or which does not name one host
 */
export function refuseHeaders({ raw }: FastifyRequest): ServiceError | undefined {
  const { rawHeaders, headers, httpVersion } = raw;
  if (rawHeaders.length > maxHeaders * 2)
    return new ServiceError('REQUEST_HEADER_FIELDS_TOO_LARGE', `The request has more than ${maxHeaders} headers.`);
  const values = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    const shown = single.get(name);
    if (shown === undefined) continue;
    const [known, value = ''] = [values.get(name), rawHeaders[at + 1]];
    values.set(name, value);
    if (known === undefined) continue;
    if (name === 'host') return badRequest('The request has more than one Host header.');
    if (known !== value) return badRequest(`${shown}: is given more than once, with different values`);
    headers[name] = value;
  }
  if (values.has('host') || httpVersion === '1.0') return undefined;
  return badRequest('The request has no Host header.');
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
