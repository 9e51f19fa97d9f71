import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { Limiter } from '../limits.ts';
import { networkOf } from '../network.ts';

/** A key to count attempts by, and the number allowed per hour. */
export type AttemptLimit = readonly [key: string, limit: number];

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');

/**
 * The limits for wrong passwords from unknown devices: per email address and network, per email address, and per
 * network. From a device that is known for the email address: per device, so that others cannot lock it out.
 */
export const signInLimits = (email: string, ip: string, device?: string): AttemptLimit[] =>
  device === undefined ? unknownDeviceLimits(email, ip) : [[`password:device:${device}`, 10]];

const unknownDeviceLimits = (email: string, ip: string): AttemptLimit[] => [
  [`password:${digest(`${email} ${networkOf(ip)}`)}`, 10],
  [`password:${digest(email)}`, 100],
  [`password:${networkOf(ip)}`, 60],
];

/** The limit for wrong current passwords when a signed-in person changes their password. */
export const passwordChangeLimits = (personId: string): AttemptLimit[] => [[`password:${personId}`, 10]];

/** The limit for wrong codes: per device that is known for the person, or else per person. */
export const codeLimits = (personId: string, device?: string): AttemptLimit[] => [
  [`code:${device === undefined ? personId : `device:${device}`}`, 10],
];

/** The limit for one code of an authenticator app, which is valid for longer than a sign-in takes. */
export const useLimit = (personId: string, code: string): AttemptLimit => [`used:${digest(`${personId} ${code}`)}`, 1];

/**
 * The limit for requests that sign in or change a session or password, also successful ones: per account of a known
 * device, or else per network.
 */
export const changeLimits = (ip: string, account = networkOf(ip)): AttemptLimit[] => [[`auth:${account}`, 600]];

/** The limits for requesting links that set a password, per network and per email address. */
export const resetLimits = (email: string, ip: string): AttemptLimit[] => [
  [`reset:${networkOf(ip)}`, 30],
  [`reset:${digest(email)}`, 5],
];

/** The limit for starting to sign in at the OpenID provider, per network. */
export const oidcLimits = (ip: string): AttemptLimit[] => [[`oidc:${networkOf(ip)}`, 300]];

/** The limit for stopping emails, per network. Mail providers send such requests for many people from one network. */
export const unsubscribeLimits = (ip: string): AttemptLimit[] => [[`unsubscribe:${networkOf(ip)}`, 3000]];

/** The limits for emailing links to guests, per email address, whatever the company, and per company. */
export const guestMailLimits = (email: string, companyId: string): AttemptLimit[] => [
  [`guest:${digest(email.toLowerCase())}`, 3],
  [`guest:${companyId}`, 60],
];

/** The limit for exports of a company. */
export const exportLimits = (companyId: string): AttemptLimit[] => [[`export:${companyId}`, 10]];

/** The limit for CSV of the security log of a company. */
export const securityLogLimits = (companyId: string): AttemptLimit[] => [[`security-log:${companyId}`, 60]];

/**
 * Counts one attempt against each limit.
 *
 * @param consumed collects the limits that have counted the attempt
 * @throws {ServiceError} RATE_LIMITED with `Retry-After`, when a limit is reached
 */
export async function countAttempt(
  limiter: Limiter,
  limits: readonly AttemptLimit[],
  reply: FastifyReply,
  consumed: AttemptLimit[] = [],
): Promise<void> {
  for (const limit of limits) {
    const { allowed, retryAfter } = await limiter.consume(...limit);
    if (!allowed) {
      reply.header('retry-after', retryAfter);
      throw new ServiceError('RATE_LIMITED', `Too many attempts; try again in ${Math.ceil(retryAfter / 60)} minutes.`);
    }
    consumed.push(limit);
  }
}

/**
 * Runs a password check unless a limit is reached. Every attempt counts while it runs, so that parallel attempts are
 * limited like sequential ones; successful attempts are not counted.
 *
 * @param attempt returns null for a wrong password
 * @returns what `attempt` returns
 * @throws {ServiceError} RATE_LIMITED with `Retry-After`, when a limit is reached
 */
export async function limitAttempts<T>(
  limiter: Limiter,
  limits: readonly AttemptLimit[],
  reply: FastifyReply,
  attempt: () => Promise<T | null>,
): Promise<T | null> {
  const consumed: AttemptLimit[] = [];
  let failed = false;
  try {
    await countAttempt(limiter, limits, reply, consumed);
    const result = await attempt();
    failed = result === null;
    return result;
  } finally {
    if (!failed) await Promise.all(consumed.map((limit) => limiter.refund(...limit)));
  }
}
