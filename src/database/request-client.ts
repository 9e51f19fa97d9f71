import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { ByteBudget } from '../limits/byte-budget.ts';
import { currentRequester, isForRequest } from './requester.ts';

/**
 * How long the texts of the statements may be together that one connection keeps by their names. Each character takes
 * 60 to 110 bytes of the server's memory. Replacing a connection takes a few ms.
 */
export const maxKeptCharacters = 250_000;

/** The requester of a statement. */
interface Owner {
  readonly budget?: ByteBudget | undefined;
  readonly isForRequest: boolean;
}

/** The requester of the current or last statement, by the stream of its connection. */
const owners = new WeakMap<Duplex, Owner>();

/** The budget of the request whose statement runs on a connection with this stream, or ran last. */
export const budgetOf = (stream: Duplex): ByteBudget | undefined => owners.get(stream)?.budget;

/** Whether the statement that runs on a connection with this stream, or ran last, is that of a request. */
export const runsForRequest = (stream: Duplex): boolean => owners.get(stream)?.isForRequest ?? false;

/**
 * A connection that remembers for which request its statement runs, as its stream receives data in no request's
 * context, and which statements the server keeps for it.
 */
export class RequestClient extends pg.Client {
  private readonly keptNames = new Set<string>();
  private keptCharacters = 0;

  /** Whether the server keeps so many statements that the connection should end, and they with it. */
  get isFull(): boolean {
    return this.keptCharacters > maxKeptCharacters;
  }

  /* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-argument --
     one signature for all of pg's overloads: what they get and return goes through as it is */
  override query(statement: any, values?: any, callback?: any): any {
    const budget = currentRequester()?.budget;
    // Once the budget is exceeded, only transactions can still be ended.
    owners.set(this.connection.stream, {
      budget: budget?.isExceeded ? undefined : budget,
      isForRequest: isForRequest(),
    });
    // pg takes a text, a configuration or an object of its own, which has the same properties.
    this.countKept(statement as string | Partial<pg.QueryConfig>);
    return super.query(statement, values, callback);
  }
  /* eslint-enable */

  private countKept(statement: string | Partial<pg.QueryConfig>): void {
    if (typeof statement === 'string' || !statement.name || this.keptNames.has(statement.name)) return;
    this.keptNames.add(statement.name);
    this.keptCharacters += statement.text?.length ?? 0;
  }
}

/** Gives a connection back to its pool, which opens another one instead of a full one. @param failure ends it too */
export function giveBack(client: pg.PoolClient, failure?: Error): void {
  client.release(failure ?? (client instanceof RequestClient && client.isFull));
}
