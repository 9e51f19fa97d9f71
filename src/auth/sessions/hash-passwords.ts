import { AsyncLocalStorage } from 'node:async_hooks';
import * as scrypt from 'better-auth/crypto';
import { RefusedError } from '../../http/in-flight.ts';
import { Shares } from '../../limits/shares.ts';

/** How many passwords are hashed at once: each occupies one of Node's four worker threads for 50 to 100 ms. */
const maxRunning = 2;

/** How many are hashed or wait for that; one network gets at most half of those that no other uses. */
export const maxHashes = 32;

/** The network whose request is being handled. */
const currentNetwork = new AsyncLocalStorage<string>();

/**
 * Runs work and counts the passwords that it hashes for a network, as `networkOf` names it. Passwords outside of it are
 * the operator's, and count for no network.
 */
export const hashFor = <T>(network: string, work: () => T): T => currentNetwork.run(network, work);

/** Hashes a new password. @throws {RefusedError} when too many are hashed */
export const hashPassword = (password: string): Promise<string> => runLimited(() => scrypt.hashPassword(password));

/** Whether a hash is that of a password. @throws {RefusedError} when too many are hashed */
export const verifyHash = (data: { hash: string; password: string }): Promise<boolean> =>
  runLimited(() => scrypt.verifyPassword(data));

// Of the whole process, as the threads are.
const shares = new Shares(maxHashes);
const waiting: (() => void)[] = [];
let running = 0;

/** Runs work that hashes a password, once fewer than `maxRunning` do. @throws {RefusedError} when too many wait */
export async function runLimited<T>(work: () => Promise<T>): Promise<T> {
  const network = currentNetwork.getStore();
  const clients = network === undefined ? [] : [network];
  if (!shares.hasCapacity(clients)) throw new RefusedError('Too many passwords are being checked; try again shortly.');
  shares.count(1, clients);
  if (running < maxRunning) running += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    shares.count(-1, clients);
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
