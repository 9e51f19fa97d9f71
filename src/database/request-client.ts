import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { ByteBudget } from '../byte-budget.ts';
import { currentRequester } from './requester.ts';

/**
 * How long the texts of the statements may be together that one connection keeps by their names. Each character takes
 * 60 to 110 bytes of the server's memory. Replacing a connection takes a few ms.
 */
export const maxKeptCharacters = 250_000;

/** The budgets of the requests whose statements run, by the streams of the connections. */
const budgets = new WeakMap<Duplex, ByteBudget | undefined>();

/** The budget of the request whose statement runs on a connection with this stream, or ran last. */
export const budgetOf = (stream: Duplex): ByteBudget | undefined => budgets.get(stream);

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
    // After the budget is exceeded, what remains is to end transactions.
    budgets.set(this.connection.stream, budget?.isExceeded ? undefined : budget);
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
