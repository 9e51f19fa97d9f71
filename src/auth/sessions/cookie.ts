import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseCookies } from 'better-auth/cookies';
import type { FastifyRequest } from 'fastify';

/**
 * Whether a request's cookie is accepted: only when it comes from one of our own pages or is a plain navigation.
 * Browsers may send our cookie with requests of other origins, which must not act as the signed-in person.
 *
 * @param origin our own
 */
export function isTrustedOrigin(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  origin: string,
): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin') return true;
  // A typed address, a bookmark, or a link on another site, whose page cannot read the response.
  if (site !== undefined)
    return (
      isRead &&
      (site === 'none' || (headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'))
    );
  // Browsers leave out sec-fetch-site over plain HTTP, but send the origin with every request that writes.
  return headers.origin === undefined ? isRead : headers.origin === origin;
}

/** Reads a cookie that better-auth has signed. @returns undefined when it is missing or its signature is wrong */
export function readSignedCookie(header: string | undefined, name: string, secret: string): string | undefined {
  const cookie = header === undefined ? undefined : parseCookies(header).get(name);
  const end = cookie?.lastIndexOf('.') ?? -1;
  if (cookie === undefined || end < 1) return undefined;
  const value = cookie.slice(0, end);
  const signature = Buffer.from(cookie.slice(end + 1), 'base64');
  const expected = createHmac('sha256', secret).update(value).digest();
  return signature.length === expected.length && timingSafeEqual(signature, expected) ? value : undefined;
}
