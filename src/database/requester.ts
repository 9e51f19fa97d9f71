import { AsyncLocalStorage } from 'node:async_hooks';
import type { Claim } from './admission.ts';

/** Whom statements are run for. */
export interface Requester extends Omit<Claim, 'tables'> {
  /** The model that the work is about, for a transaction whose first statement does not tell. */
  readonly model?: string;
  /** Whether it takes the time it takes, as a stream does: then its statements run beside those of other requests. */
  readonly isPatient?: boolean;
}

const requesters = new AsyncLocalStorage<Requester>();

/** Runs work on the database for somebody; what nobody asked for is the service's own work. */
export const runFor = <T>(requester: Requester, work: () => T): T => requesters.run(requester, work);

/** Whom the running work is for. */
export const currentRequester = (): Requester | undefined => requesters.getStore();
