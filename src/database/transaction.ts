import pg from 'pg';
import { type Actor, actorSetting } from './actor.ts';
import type { AdmittedPool, Connection } from './admitted.ts';
import type { TransactionOptions } from './database.ts';
import { type Written, widest, writtenBy } from './replicas/written.ts';
import { assertReplicated, commitError, OutcomeUnknownError, textOf } from './request-client.ts';
import { currentActor, currentWork, runWithinBudget } from './requester.ts';

/** A statement as pg takes it. */
type PgStatement = string | pg.QueryArrayConfig;

/** How long (ms) a transaction may take. */
export const defaultTimeoutMs = 10_000;

/** Thrown by a transaction that took too long. */
class TransactionTimeoutError extends Error {
  override readonly name = 'TransactionTimeoutError';
  /** Prisma's code of this error. */
  readonly code = 'P2028';

  constructor() {
    super('The transaction took too long.');
  }
}

/** The statements that begin and end a transaction or a savepoint. */
interface Bounds {
  readonly begin: string;
  readonly commit: string;
  readonly rollback: string;
}

/** Of a part of a transaction that fails as a whole. */
const noBounds: Bounds = { begin: '', commit: '', rollback: '' };

/** The connection of a transaction that has begun, and the answer to the statement that began it. */
interface Begun extends Connection {
  readonly start: Promise<unknown>;
}

/**
 * A transaction on one connection, or a savepoint of one. It begins with its first statement: until then it uses no
 * connection, and the tables that the statement names decide when it gets one. The statement that begins it is sent
 * together with the first one, and the one that commits it with the last one, if that is known to be the last.
 */
export class Transaction {
  private begun: Promise<Begun> | undefined;
  /** Why no further statement can run. */
  private ended: Error | undefined;
  private isCommitted = false;
  /** Whether a part of it without a savepoint has failed, so that it cannot be committed. */
  private hasFailed = false;
  private savepoints = 0;
  /** Whose rows its statements write. */
  private written: Written = 'nothing';
  /** Work whose statements precede the next one. */
  private postponed: (() => Promise<void>) | undefined;
  private catchingUp: Promise<void> | undefined;

  private constructor(
    readonly pool: AdmittedPool,
    private readonly bounds: Bounds,
    private readonly outer?: Transaction,
    private readonly actor?: Actor,
    private readonly hasSavepoints = true,
  ) {}

  static on(pool: AdmittedPool, { isolationLevel, hasSavepoints }: TransactionOptions = {}): Transaction {
    const begin = isolationLevel ? `BEGIN ISOLATION LEVEL ${isolationLevel}` : 'BEGIN';
    const bounds = { begin, commit: 'COMMIT', rollback: 'ROLLBACK' };
    return new Transaction(pool, bounds, undefined, currentActor(), hasSavepoints);
  }

  /** Creates a savepoint, if it has any. */
  nested(): Transaction {
    if (!this.hasSavepoints) return new Transaction(this.pool, noBounds, this, undefined, false);
    const name = this.nextSavepoint();
    const bounds = { begin: `SAVEPOINT ${name}`, commit: `RELEASE ${name}`, rollback: `ROLLBACK TO ${name}` };
    return new Transaction(this.pool, bounds, this);
  }

  /**
   * Lets work wait until the transaction has another statement to run, which then follows those of the work. What has
   * not run by its end is not run.
   *
   * @param work replaces the work that waits
   */
  postpone(work: (() => Promise<void>) | undefined): void {
    this.postponed = work;
  }

  /** Runs a statement. */
  async query(statement: PgStatement): Promise<pg.QueryArrayResult> {
    if (this.hasPostponed) await this.catchUp();
    const { client, start } = await this.begin(textOf(statement));
    this.assertOpen();
    this.note(statement);
    const [answer] = await Promise.all([this.send(client, statement), start]);
    return answer;
  }

  /**
   * Runs the last statement, and commits if it succeeds. A transaction of this statement alone is the statement itself,
   * which must then name who writes. A savepoint is released later, when the statement is known to have succeeded.
   */
  async last(statement: PgStatement): Promise<pg.QueryArrayResult> {
    if (this.outer) return this.query(statement);
    this.assertWhole();
    this.ended = new Error('The transaction has ended.');
    this.isCommitted = true;
    const begun = await this.begun;
    const { client, release } = begun ?? (await this.pool.connect(textOf(statement)));
    // After a failed statement the database answers COMMIT with a rollback.
    this.note(statement);
    try {
      const answer = await this.mark(client, async () => {
        const answer = this.send(client, statement);
        const commit = begun ? this.bound(client, this.bounds.commit) : answer;
        const outcomes = await Promise.allSettled([begun?.start, answer, commit]);
        // The first says what failed, unless all were lost together.
        const failed = outcomes.find((each) => each.status === 'rejected');
        if (failed) throw commitError(failed.reason);
        return answer;
      });
      assertReplicated(client);
      return answer;
    } finally {
      release();
    }
  }

  /** @throws Error if nothing could be committed */
  async commit(): Promise<void> {
    if (this.isCommitted) return;
    this.assertWhole();
    const { outer } = this;
    const answer = await this.end(this.bounds.commit, !outer).catch((error: unknown) => {
      throw outer ? error : commitError(error);
    });
    if (answer?.command === 'ROLLBACK') throw new Error('A statement of the transaction has failed.');
    const begun = await this.begun?.catch(() => undefined);
    if (begun && !outer) assertReplicated(begun.client);
  }

  async rollback(): Promise<void> {
    if (!this.hasSavepoints && this.outer) this.outer.hasFailed = true;
    if (!this.reason) await this.end(this.bounds.rollback);
  }

  /** Rolls back, also while a statement runs. */
  expire(): void {
    if (this.ended) return;
    this.rollback().catch(() => {}); // The connection is lost, and the transaction with it.
    this.ended = new TransactionTimeoutError();
  }

  /** Whether work precedes the next statement, also where this is a savepoint. */
  private get hasPostponed(): boolean {
    return this.postponed !== undefined || this.outer?.hasPostponed === true;
  }

  /** Runs the work that precedes the next statement; its own statements do not wait for it. */
  private async catchUp(): Promise<void> {
    const store = currentWork.getStore();
    if (store?.isCatchingUp) return;
    await this.outer?.catchUp();
    const { postponed } = this;
    if (!postponed) return;
    // Statements that are sent at once wait for the same work.
    this.catchingUp ??= currentWork
      .run({ ...store, transaction: this, isCatchingUp: true }, postponed)
      .finally(() => Object.assign(this, { postponed: undefined, catchingUp: undefined }));
    await this.catchingUp;
  }

  /** Why no further statement can run. */
  private get reason(): Error | undefined {
    return this.ended ?? this.outer?.reason;
  }

  private assertOpen(): void {
    if (this.reason) throw this.reason;
  }

  private assertWhole(): void {
    this.assertOpen();
    if (this.hasFailed) throw new Error('A part of the transaction has failed.');
  }

  private begin(sql: string): Promise<Begun> {
    this.begun ??= this.start(sql);
    return this.begun;
  }

  private async start(sql: string): Promise<Begun> {
    this.assertOpen();
    const outer = await this.outer?.begin(sql);
    const { client, release } = outer ? { ...outer, release: () => {} } : await this.pool.connect(sql);
    if (this.reason) {
      release();
      throw this.reason;
    }
    const start = Promise.all([
      outer?.start,
      this.bound(client, this.bounds.begin, this.actor && nameActor(this.actor)),
    ]);
    start.catch(() => {}); // Each statement reports it.
    return { client, release, start };
  }

  /** @param commits whether what it has written is committed */
  private async end(sql: string, commits = false): Promise<pg.QueryResult | undefined> {
    this.ended = new Error('The transaction has ended.');
    // A transaction that failed to begin does not need to end; its first statement has reported the error.
    const begun = await this.begun?.catch(() => undefined);
    if (!begun) return undefined;
    const send = () => this.bound(begun.client, sql);
    return (commits ? this.mark(begun.client, send) : send()).finally(begun.release);
  }

  /** Marks what it has written, where there are replicas, and commits it. */
  private mark<T>(client: pg.ClientBase, commit: () => Promise<T>): Promise<T> {
    const { marker } = this.pool;
    return marker ? marker.around(client, this.written, commit, isUndone) : commit();
  }

  /** Notes whose rows a statement writes. */
  private note(statement: PgStatement): void {
    if (this.outer) this.outer.note(statement);
    else if (this.pool.marker) this.written = widest(this.written, writtenBy(textOf(statement)));
  }

  private send(client: pg.ClientBase, statement: PgStatement): Promise<pg.QueryArrayResult> {
    this.pool.onStatement(textOf(statement));
    // A statement for pg; its types have one for each shape of the answer.
    return runWithinBudget(() => client.query(statement as pg.QueryArrayConfig));
  }

  /** Begins or ends the transaction, also if the request has used up its budget. @param setting sent with it */
  private async bound(client: pg.ClientBase, sql: string, setting?: string): Promise<pg.QueryResult | undefined> {
    if (sql === '') return undefined;
    this.pool.onStatement(sql);
    return client.query(setting === undefined ? sql : `${sql}; ${setting}`);
  }

  private nextSavepoint(): string {
    return this.outer ? this.outer.nextSavepoint() : `s${++this.savepoints}`;
  }
}

/** Whether an error means that nothing was committed. */
export const isUndone = (error: unknown) => !(commitError(error) instanceof OutcomeUnknownError);

/** Names who writes, until the transaction ends. */
function nameActor(actor: Actor): string {
  const { name, value } = actorSetting(actor);
  return `SELECT set_config('${name}', ${pg.escapeLiteral(value)}, true)`;
}

/** The transaction that the current work is part of. */
export const currentTransaction = (): Transaction | undefined =>
  // Only `runIn` sets it.
  currentWork.getStore()?.transaction as Transaction | undefined;

/** Runs work whose statements are part of a transaction. */
export const runIn = <T>(transaction: Transaction, work: () => T): T =>
  currentWork.run({ ...currentWork.getStore(), transaction }, work);

/**
 * Lets work of the current transaction wait until the next statement; see `Transaction.postpone`.
 *
 * @param work undefined for none any more
 */
export const postpone = (work: (() => Promise<void>) | undefined): void => currentTransaction()?.postpone(work);

/**
 * Runs work in a transaction: all statements that it sends, through the reader, the writer or Prisma, are part of it.
 * It is rolled back when the work throws. Inside another transaction it is a savepoint.
 *
 * @param pool of the connection
 */
export async function transact<T>(
  pool: AdmittedPool,
  work: () => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const outer = currentTransaction();
  const transaction = outer ? outer.nested() : Transaction.on(pool, options);
  const timer = outer ? undefined : setTimeout(() => transaction.expire(), options.timeoutMs ?? defaultTimeoutMs);
  try {
    // Prisma's promises do not start before they are awaited.
    const result = await runIn(transaction, async () => await work());
    await transaction.commit();
    return result;
  } catch (error) {
    await transaction.rollback().catch(() => {}); // The connection is lost, and the transaction with it.
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
