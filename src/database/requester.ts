import { AsyncLocalStorage } from 'node:async_hooks';
import type { Claim } from './admission.ts';

/** The company and caller that statements are run for. */
export interface Requester extends Omit<Claim, 'tables'> {
  /** The model of the work, for a transaction whose first statement does not name its tables. */
  readonly model?: string;
  /**
   * Whether it may take long, as a stream does: then its statements run on other connections than those of requests.
   */
  readonly isPatient?: boolean;
}

const requesters = new AsyncLocalStorage<Requester>();

/** Runs work on the database for a requester; all other work is the service's own. */
export const runFor = <T>(requester: Requester, work: () => T): T => requesters.run(requester, work);

/** The requester of the current work. */
export const currentRequester = (): Requester | undefined => requesters.getStore();
