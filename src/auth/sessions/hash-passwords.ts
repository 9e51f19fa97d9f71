import { AsyncLocalStorage } from 'node:async_hooks';
import * as scrypt from 'better-auth/crypto';
import { RefusedError } from '../../http/in-flight.ts';
import { Shares } from '../../limits/shares.ts';

/** How many passwords are hashed at a time: each takes 50 to 100 ms of one of the four threads that also read files. */
const maxRunning = 2;

/** How many are hashed or wait for it; one network gets at most half of what the others leave. */
export const maxHashes = 32;

/** The network that the current work is for. */
const currentNetwork = new AsyncLocalStorage<string>();

/** Runs work whose passwords are hashed for a network, as `networkOf` names it; all others are the operator's. */
export const hashFor = <T>(network: string, work: () => T): T => currentNetwork.run(network, work);

/** Hashes a new password. @throws {RefusedError} when too many are hashed */
export const hashPassword = (password: string): Promise<string> => inTurn(() => scrypt.hashPassword(password));

/** Whether a hash is that of a password. @throws {RefusedError} when too many are hashed */
export const verifyHash = (data: { hash: string; password: string }): Promise<boolean> =>
  inTurn(() => scrypt.verifyPassword(data));

// The threads are those of the process, and so are the turns.
const shares = new Shares(maxHashes);
const waiting: (() => void)[] = [];
let running = 0;

/** Runs work that hashes a password when its turn comes. @throws {RefusedError} when too many wait */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const network = currentNetwork.getStore();
  const parties = network === undefined ? [] : [network];
  if (!shares.hasRoom(parties)) throw new RefusedError('Too many passwords are being checked; try again shortly.');
  shares.count(1, parties);
  if (running < maxRunning) running += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    shares.count(-1, parties);
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
