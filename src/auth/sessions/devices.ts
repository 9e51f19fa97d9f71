import { createHmac, randomBytes } from 'node:crypto';
import { parseCookies } from 'better-auth/cookies';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { basePath } from './auth.ts';
import { readSignedCookie, type Secrets, serializeCookie } from './cookie.ts';

/**
 * Recognizes browsers in which somebody has signed in to an account before, by a cookie for each such account.
 * Failed sign-ins from other browsers do not count for these.
 */
export interface Devices {
  /** The id of the device that a request comes from; undefined unless somebody has signed in with `email` on it. */
  find(request: FastifyRequest, email: string): string | undefined;
  /** A name for an account that was signed in to on the device of a request; undefined for an unknown one. */
  findAccount(request: FastifyRequest): string | undefined;
  /** Sets the cookie, with a new id, after somebody has signed in with `email`. */
  remember(reply: FastifyReply, email: string): void;
}

/** How long a device is recognized without signing in. */
const deviceSeconds = 365 * 24 * 3600;

/** Maximum number of cookies that are checked for any account; a client can send thousands. */
const maxChecked = 20;

/**
 * @param secrets the first one signs the cookies, the others are accepted
 * @param secure whether browsers keep the cookies for HTTPS only
 */
export function createDevices(secrets: Secrets, secure: boolean): Devices {
  const sign = (key: string, text: string) => createHmac('sha256', key).update(text).digest('base64url');
  const prefix = `${secure ? '__Secure-' : ''}premises.device_`;
  // The name contains no email address, and each name has its own key: so no cookie is valid for another account.
  const nameFor = (email: string, secret = secrets[0]) => prefix + sign(secret, `device ${email}`).slice(0, 22);
  const keyFor = (name: string, secret = secrets[0]) => sign(secret, name);

  function read({ headers }: FastifyRequest, name: string): string | undefined {
    const [current, ...others] = secrets;
    const keys: Secrets = [keyFor(name, current), ...others.map((secret) => keyFor(name, secret))];
    const [id, expiresAt] = readSignedCookie(headers.cookie, name, keys)?.value.split('.') ?? [];
    return Number(expiresAt) * 1000 > Date.now() ? id : undefined;
  }

  return {
    find: (request, email) =>
      secrets.map((secret) => read(request, nameFor(email, secret))).find((id) => id !== undefined),
    findAccount: (request) =>
      [...parseCookies(request.headers.cookie ?? '').keys()]
        .filter((name) => name.startsWith(prefix))
        .slice(0, maxChecked)
        .find((name) => read(request, name) !== undefined),
    remember(reply, email) {
      const name = nameFor(email);
      const value = `${randomBytes(16).toString('base64url')}.${Math.floor(Date.now() / 1000) + deviceSeconds}`;
      const options = { path: basePath, maxAgeSeconds: deviceSeconds, sameSite: 'Strict', secure } as const;
      reply.header('set-cookie', serializeCookie(name, `${value}.${sign(keyFor(name), value)}`, options));
    },
  };
}
