import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseCookies } from 'better-auth/cookies';
import type { FastifyRequest } from 'fastify';

/**
 * Whether a request comes from a page of ours, or is a plain navigation: only then does its cookie count. A page of another
 * origin must not act as whoever is signed in here, and a browser may send our cookie along without being asked.
 *
 * @param origin our own
 */
export function isOurs({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>, origin: string): boolean {
  const reads = method === 'GET' || method === 'HEAD';
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin') return true;
  // Typed, bookmarked, or a link that was followed: whoever led here does not get to see the answer.
  if (site !== undefined)
    return (
      reads &&
      (site === 'none' || (headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'))
    );
  // Browsers that do not say, as over plain HTTP, send the origin with everything that changes something.
  return headers.origin === undefined ? reads : headers.origin === origin;
}

/** The value of a cookie that the library has signed; undefined when there is none or somebody else wrote it. */
export function signedCookie(header: string | undefined, name: string, secret: string): string | undefined {
  const cookie = header === undefined ? undefined : parseCookies(header).get(name);
  const end = cookie?.lastIndexOf('.') ?? -1;
  if (cookie === undefined || end < 1) return undefined;
  const value = cookie.slice(0, end);
  const given = Buffer.from(cookie.slice(end + 1), 'base64');
  const right = createHmac('sha256', secret).update(value).digest();
  return given.length === right.length && timingSafeEqual(given, right) ? value : undefined;
}
