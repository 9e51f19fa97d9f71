import { hashPassword } from 'better-auth/crypto';

const hashes = new Map<string, Promise<string>>();

/** The hash of a password, which is computed once a process, as that takes 80 ms. */
export function hashOf(password: string): Promise<string> {
  const known = hashes.get(password) ?? hashPassword(password);
  hashes.set(password, known);
  return known;
}
