import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { FastifyReply } from 'fastify';
import { ServiceError } from '../../errors.ts';
import type { Limiter } from '../limits.ts';

/** Wrong guesses an hour: what they are counted by, and how many there may be. */
export type Allowance = readonly [key: string, most: number];

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');

/** How often a password may be guessed: for one e-mail address from one place, for it from anywhere, and from one place for any. */
export const signInAllowances = (email: string, ip: string): Allowance[] => [
  [`guess:${digest(`${email} ${network(ip)}`)}`, 10],
  [`guess:${digest(email)}`, 100],
  [`guess:${network(ip)}`, 60],
];

/** How often somebody who is signed in may be wrong about their password. */
export const passwordAllowances = (personId: string): Allowance[] => [[`guess:${personId}`, 10]];

/**
 * Lets somebody guess, unless they were wrong too often. Every guess counts while it is being judged, so that many at once
 * are no more than many one after another; a right one is given back.
 *
 * @param guess null is a wrong guess
 * @throws ServiceError RATE_LIMITED
 */
export async function guarded<T>(
  limiter: Limiter,
  allowances: readonly Allowance[],
  reply: FastifyReply,
  guess: () => Promise<T | null>,
): Promise<T | null> {
  const taken: Allowance[] = [];
  let wrong = false;
  try {
    for (const allowance of allowances) {
      const { allowed, retryAfter } = await limiter.take(...allowance);
      if (!allowed) {
        reply.header('retry-after', retryAfter);
        throw new ServiceError(
          'RATE_LIMITED',
          `Too many attempts; try again in ${Math.ceil(retryAfter / 60)} minutes.`,
        );
      }
      taken.push(allowance);
    }
    const result = await guess();
    wrong = result === null;
    return result;
  } finally {
    if (!wrong) await Promise.all(taken.map((allowance) => limiter.giveBack(...allowance)));
  }
}

/** Where an address is: itself or, of IPv6, the network of 64 bits that one customer has to choose addresses from. */
export function network(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.split('%', 1)[0]?.split('::') ?? [];
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const whole = [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...(tail ? tail.split(':') : [])];
  // An IPv4 address in IPv6's clothes is one machine.
  if (/^(::|(0:){5})ffff:/i.test(ip)) return ip;
  return `${whole
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
