import { AsyncLocalStorage } from 'node:async_hooks';
import type { ByteBudget } from '../limits/byte-budget.ts';
import type { Operation } from '../tracing/index.ts';
import type { Actor } from './actor.ts';
import type { Claim } from './admission.ts';

/** The company and caller that statements are run for. */
export interface Requester extends Omit<Claim, 'tables' | 'isTransaction'> {
  /** The model of the work, for a transaction whose first statement does not name its tables. */
  readonly model?: string;
  /**
   * Whether it may take long, as a stream does: then its statements run on other connections than those of requests.
   */
  readonly isLongRunning?: boolean;
  readonly actor?: Actor;
  /** What it asks for, which its statements count for. */
  readonly operation?: Operation;
  /** What its statements may receive; without one there is no limit. */
  readonly budget?: ByteBudget;
}

/** The requester of the current work, and the transaction that it is part of; see `transaction.ts`. */
interface Work {
  readonly requester?: Requester;
  readonly actor?: Actor;
  readonly operation?: Operation | undefined;
  readonly transaction?: object;
  /** Whether its reads may run on a replica. */
  readonly readsOnly?: boolean;
  /** Whether it is what the transaction's next statement waits for. */
  readonly isCatchingUp?: boolean;
}

/** The work that a statement is sent from: for whom, and in which transaction. */
export const currentWork = new AsyncLocalStorage<Work>();

/** Runs work on the database for a requester; all other work is the service's own. */
export function runFor<T>(requester: Requester, work: () => T): T {
  const store = currentWork.getStore();
  const { actor, operation = store?.operation } = requester;
  return currentWork.run({ ...store, requester, actor, operation }, work);
}

/** Runs work whose statements, messages and log belong to an operation. */
export const runOperation = <T>(operation: Operation, work: () => T): T =>
  currentWork.run({ ...currentWork.getStore(), operation }, work);

/** Runs work that only reads: its reads may run on a replica that has all that their company has written. */
export const runReading = <T>(work: () => T): T =>
  currentWork.run({ ...currentWork.getStore(), readsOnly: true }, work);

/** Whether reads of the current work may run on a replica. */
export const readsOnly = (): boolean => currentWork.getStore()?.readsOnly === true;

/** Runs the service's own work on the database on behalf of a writer. */
export const runAs = <T>(actor: Actor, work: () => T): T => currentWork.run({ ...currentWork.getStore(), actor }, work);

/** Runs the service's own work, outside the context of the request that started it. */
export const runAlone = <T>(work: () => T): T => currentWork.exit(work);

/** The requester of the current work; undefined for the service's own. */
export const currentRequester = (): Requester | undefined => currentWork.getStore()?.requester;

/** What the current work is done for. */
export const currentOperation = (): Operation | undefined => currentWork.getStore()?.operation;

/** What names the current work to others, who go on with its trace; undefined where nothing is traced. */
export const currentTraceparent = (): string | undefined => currentOperation()?.span?.traceparent;

/** The writer that the log of changes names for the current work. */
export const currentActor = (): Actor | undefined => currentWork.getStore()?.actor;

/** Whether the current work is that of a request, which does not take long: the connections for requests are for it. */
export function isForRequest(): boolean {
  const requester = currentRequester();
  return requester !== undefined && !requester.isLongRunning;
}

/** Runs a statement, unless its request has received too much already. @throws the budget's error */
export async function runWithinBudget<T>(work: () => Promise<T>): Promise<T> {
  const budget = currentRequester()?.budget;
  if (!budget) return work();
  if (budget.isExceeded) throw budget.error;
  try {
    return await work();
  } catch (error) {
    // The connection was ended, or refuses the result; whatever it reports, this is the reason.
    throw budget.isExceeded ? budget.error : error;
  }
}
