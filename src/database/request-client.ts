import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { ByteBudget } from '../limits/byte-budget.ts';
import type { Hosts } from './hosts.ts';
import { currentOperation, currentRequester, isForRequest } from './requester.ts';

/**
 * How long the texts of the statements may be together that one connection keeps by their names. Each character takes
 * 60 to 110 bytes of the server's memory. Replacing a connection takes a few ms.
 */
export const maxKeptCharacters = 250_000;

/** The part of PostgreSQL that waits for standbys, as its warnings name it. Their texts are in any language. */
const waitForStandby = 'SyncRepWaitForLSN';

/** Thrown when nobody knows whether a write was committed. */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';
  /** PostgreSQL's code of this error. */
  readonly code = '08007';

  constructor(cause?: unknown) {
    super('The connection was lost before the database had answered a commit.', { cause });
  }
}

/** The error of a commit that failed: of one that was lost on its way, nobody knows whether it took place. */
export function commitError(error: unknown): unknown {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  // The server answers, and still works; or the commit was never sent.
  const isKnown = typeof code === 'string' && /^(?!08|57P|E|XX)[0-9A-Z]{5}$/.test(code);
  const isUnsent = typeof message === 'string' && message.includes('not queryable');
  return isKnown || isUnsent || currentRequester()?.budget?.isExceeded ? error : new OutcomeUnknownError(error);
}

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

/** How many statements PostgreSQL keeps for the connections of this process. */
let keptStatements = 0;

/** How many statements PostgreSQL keeps for the connections of this process, which take its memory. */
export const countKeptStatements = (): number => keptStatements;

/** The configuration of a connection. */
export interface RequestClientConfig extends pg.ClientConfig {
  /** The servers of which it connects to the one that writes; without them it connects to the one of its URL. */
  readonly hosts?: Pick<Hosts, 'findWriter'> | undefined;
}

/**
 * A connection that remembers for which request its statement runs, as its stream receives data in no request's
 * context, and which statements the server keeps for it.
 */
export class RequestClient extends pg.Client {
  private readonly keptNames = new Set<string>();
  private keptCharacters = 0;
  private readonly hosts: RequestClientConfig['hosts'];
  private isWarned = false;

  constructor(config: RequestClientConfig = {}) {
    super(config);
    this.hosts = config.hosts;
    this.once('end', () => (keptStatements -= this.keptNames.size));
    this.on('notice', ({ routine }) => (this.isWarned ||= routine === waitForStandby));
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
  override connect(callback?: (error: Error & null, client: pg.Client) => void): Promise<pg.Client> | undefined {
    const connecting = this.connectToWriter();
    if (!callback) return connecting;
    // pg's types have a callback for either outcome, and it is called with both.
    const called = callback as (error: unknown, client?: pg.Client) => void;
    connecting.then((client) => called(null, client), called);
    return undefined;
  }

  private async connectToWriter(): Promise<pg.Client> {
    const writer = await this.hosts?.findWriter();
    if (writer) {
      const { host, port } = writer;
      Object.assign(this, { host, port });
      writer.hold(this);
    }
    return super.connect();
  }

  /** Whether the server warned since the last time that it has not waited for a standby. */
  takeWarning(): boolean {
    const { isWarned } = this;
    this.isWarned = false;
    return isWarned;
  }

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
    const onEnd = currentOperation()?.beginStatement(textOf(statement as string | Partial<pg.QueryConfig>));
    const answer: unknown = super.query(statement, values, callback);
    // Whoever waits for it gets its error too.
    if (onEnd && answer instanceof Promise) answer.then(() => onEnd(), onEnd);
    return answer;
  }
  /* eslint-enable */

  private countKept(statement: string | Partial<pg.QueryConfig>): void {
    if (typeof statement === 'string' || !statement.name || this.keptNames.has(statement.name)) return;
    this.keptNames.add(statement.name);
    keptStatements += 1;
    this.keptCharacters += statement.text?.length ?? 0;
  }
}

/** The SQL of a statement as pg takes it. */
export const textOf = (statement: string | Partial<pg.QueryConfig>): string =>
  typeof statement === 'string' ? statement : (statement.text ?? '');

/**
 * Asserts that what a connection has committed is also on the standbys that the server was to wait for. Where one does
 * not answer in time, the server commits and answers all the same, and only warns.
 *
 * @throws OutcomeUnknownError
 */
export function assertReplicated(client: pg.ClientBase): void {
  if (client instanceof RequestClient && client.takeWarning())
    throw new OutcomeUnknownError('The server did not wait for its standby.');
}

/** Gives a connection back to its pool, which opens another one instead of a full one. @param failure ends it too */
export function giveBack(client: pg.PoolClient, failure?: Error): void {
  client.release(failure ?? (client instanceof RequestClient && client.isFull));
}
