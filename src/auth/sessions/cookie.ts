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
  // A typed URL, a bookmark, or a link on another site, whose page cannot read the response.
  if (site !== undefined)
    return (
      isRead &&
      (site === 'none' || (headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'))
    );
  // Browsers leave out sec-fetch-site over plain HTTP, but send the origin with every request that writes.
  return headers.origin === undefined ? isRead : headers.origin === origin;
}

/** The secrets that cookies are accepted with. The first one signs; the others are being introduced or retired. */
export type Secrets = readonly [current: string, ...others: string[]];

/** A cookie with a valid signature. */
interface SignedCookie {
  readonly value: string;
  /** Whether the current secret has signed it. */
  readonly isCurrent: boolean;
}

/** Reads a signed cookie. @returns undefined when it is missing or none of the secrets has signed it */
export function readSignedCookie(header: string | undefined, name: string, secrets: Secrets): SignedCookie | undefined {
  const cookie = header === undefined ? undefined : parseCookies(header).get(name);
  const end = cookie?.lastIndexOf('.') ?? -1;
  if (cookie === undefined || end < 1) return undefined;
  const value = cookie.slice(0, end);
  const signature = Buffer.from(cookie.slice(end + 1), 'base64');
  const signer = secrets.find((secret) => {
    const expected = hmac(value, secret);
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
  return signer === undefined ? undefined : { value, isCurrent: signer === secrets[0] };
}

/** Signs the value of a cookie as better-auth does. */
export const signCookie = (value: string, [current]: Secrets): string =>
  encodeURIComponent(`${value}.${hmac(value, current).toString('base64')}`);

const hmac = (value: string, secret: string) => createHmac('sha256', secret).update(value).digest();

/** Replaces the signatures of other secrets by those of the current one, as better-auth knows one secret only. */
export function signAgain(header: string, names: readonly string[], secrets: Secrets): string {
  const outdated = names.flatMap((name) => {
    const cookie = readSignedCookie(header, name, secrets);
    return cookie && !cookie.isCurrent ? [[name, cookie.value] as const] : [];
  });
  if (outdated.length === 0) return header;
  const others = withoutCookies(
    header,
    outdated.map(([name]) => name),
  );
  return [others, ...outdated.map(([name, value]) => `${name}=${signCookie(value, secrets)}`)].join('; ');
}

/** A `Cookie` header without the cookies of these names. */
export const withoutCookies = (header: string, names: readonly string[]): string =>
  header
    .split(';')
    .filter((pair) => !names.some((name) => pair.trim().startsWith(`${name}=`)))
    .join(';');

/** How a browser keeps a cookie. */
interface CookieOptions {
  readonly path: string;
  readonly maxAgeSeconds: number;
  readonly sameSite: 'Lax' | 'Strict';
  /** Whether for HTTPS only. */
  readonly secure: boolean;
}

/** A `Set-Cookie` header, of a cookie that scripts cannot read. */
export function serializeCookie(
  name: string,
  value: string,
  { path, maxAgeSeconds, sameSite, secure }: CookieOptions,
): string {
  const attributes = [`Path=${path}`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', `SameSite=${sameSite}`];
  return [`${name}=${value}`, ...attributes, ...(secure ? ['Secure'] : [])].join('; ');
}
