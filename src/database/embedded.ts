import { join } from 'node:path';
import { Duplex } from 'node:stream';
import type pg from 'pg';
import type { Database, DatabaseOptions } from './database.ts';
import { copyPrepared, createFolder } from './folder.ts';
import { lockFolder } from './lock.ts';
import { assertVersion, explainAbort, explainOpenError, isDiskFull } from './open-error.ts';
import { type Backend, startPGlite } from './pglite.ts';
import { ContextPool, connectionLifetimeSeconds, overConnection, overPools, sessionSettings } from './pool.ts';
import { budgetOf, runsForRequest } from './request-client.ts';
import { startThread } from './thread.ts';

/**
 * Opens the embedded database in `dataDir`, or one in memory when that is `memory://`. See `openDatabase`. In an empty
 * folder it begins with the database that the build has prepared, or else without tables.
 * @throws FolderInUseError, or OpenError
 */
export async function openEmbedded(dataDir: string, options: DatabaseOptions): Promise<Database> {
  if (dataDir.startsWith('memory://')) return overPGlite(await startPGlite({ dataDir }), options);
  try {
    return await openFolder(dataDir, options);
  } catch (error) {
    throw await explainOpenError(error, dataDir);
  }
}

async function openFolder(dataDir: string, options: DatabaseOptions): Promise<Database> {
  await createFolder(dataDir);
  const release = await lockFolder(dataDir); // PGlite itself would let a second process open it, and lose rows
  try {
    await copyPrepared(join(dataDir, 'pglite'));
    await assertVersion(dataDir);
    const start = () => startThread(join(dataDir, 'pglite'));
    const backend = await start().catch(async (error: unknown) => {
      throw await explainAbort(error, dataDir);
    });
    const engine = new Engine(backend, async () => {
      await assertSpace(dataDir);
      return start();
    });
    return overEngine(engine, options, async () => {
      await engine.close();
      await release();
    });
  } catch (error) {
    await release();
    throw error;
  }
}

/** @throws Error with PostgreSQL's code of a full disk */
async function assertSpace(folder: string): Promise<void> {
  if (await isDiskFull(folder)) throw Object.assign(new Error('The disk is full.'), { code: '53100' });
}

/** How long (ms) a statement of a request may take. */
const requestTimeoutMs = 10_000;

/** How long (ms) the database may take to start again, while the next connection waits: seconds on a busy machine. */
const startTimeoutMs = 60_000;

/**
 * How long (ms) after a response the database counts as working, as a transaction's next statement may be about to
 * arrive.
 */
const workingMs = 1000;

/**
 * The running PGlite. It is ended after a panic, such as that of a full disk, because its memory cannot be trusted
 * then, and when a statement takes too long, because nothing else stops it. The next connection starts another one over
 * the same files, which recovers as PostgreSQL does after a crash.
 */
class Engine {
  #backend: Backend | undefined;
  #ending: Promise<unknown> = Promise.resolve();
  #executingSince: number | undefined;
  #answeredAt = -Infinity;

  constructor(
    backend: Backend,
    private readonly restart: () => Promise<Backend> = () => Promise.reject(new Error('It has no files.')),
  ) {
    this.#backend = backend;
  }

  /** Whether it executes a statement that has time left, or has just answered. */
  get isWorking(): boolean {
    const now = performance.now();
    const isExecuting = this.#executingSince !== undefined && now - this.#executingSince < requestTimeoutMs;
    return isExecuting || now - this.#answeredAt < workingMs;
  }

  async open(): Promise<Backend> {
    await this.#ending; // Two over the same files would damage them.
    this.#backend ??= await this.restart();
    return this.#backend;
  }

  /**
   * Executes messages. @param timeoutMs after which it ends the backend
   * @throws Error when the backend has ended; the next `open` starts another
   */
  async execute(
    backend: Backend,
    messages: Buffer,
    onRawData: (data: Uint8Array) => void,
    timeoutMs?: number,
  ): Promise<void> {
    let isLate = false;
    const end = () => {
      isLate = true;
      this.discard();
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
    this.#executingSince = performance.now();
    try {
      await backend.execProtocolRawStream(messages, { onRawData });
      this.#answeredAt = performance.now();
    } catch (cause) {
      if (this.#backend === backend) this.discard();
      // With the code that a server uses when it cancels a statement.
      throw isLate ? Object.assign(new Error('The statement took too long.', { cause }), { code: '57014' }) : cause;
    } finally {
      clearTimeout(timer);
      this.#executingSince = undefined;
    }
  }

  discard(): void {
    const ending = this.#backend?.terminate?.();
    this.#backend = undefined;
    if (ending) this.#ending = ending;
  }

  /** Closes it; the next connection starts it again. */
  async suspend(): Promise<void> {
    const closing = this.#backend?.close();
    this.#backend = undefined;
    if (closing) this.#ending = closing;
    await closing;
  }

  async close(): Promise<void> {
    await this.#backend?.close();
  }
}

/** Creates a `Database` over an open PGlite. @param close closes what it runs on; by default closes the PGlite too */
export const overPGlite = (pglite: Backend, options: DatabaseOptions = {}, close = () => pglite.close()): Database =>
  overEngine(new Engine(pglite), options, close);

function overEngine(engine: Engine, databaseOptions: DatabaseOptions, close: () => Promise<void>): Database {
  const options = {
    stream: () => new PGliteStream(engine),
    user: 'postgres',
    database: 'postgres',
    max: 1, // PGlite has one connection
    idleTimeoutMillis: 0,
    maxLifetimeSeconds: connectionLifetimeSeconds,
    connectionTimeoutMillis: startTimeoutMs,
    // PGlite has one session, which keeps the prepared statements of earlier connections.
    onConnect: (client: pg.ClientBase) => client.query(`DEALLOCATE ALL; ${sessionSettings}`),
  };
  // Another connection would lose the transaction.
  const pool = new ContextPool(options, { keepsFailed: true });
  pool.setMaxListeners(0); // each migration adds one
  const opened = overPools({ authentication: pool, requests: pool, streams: pool, background: pool }, databaseOptions);
  return {
    ...opened,
    kind: 'embedded',
    isWorking: () => engine.isWorking,
    async restart() {
      const client = await pool.connect();
      await engine.suspend();
      client.release(true);
    },
    async inOneTransaction(work) {
      await pool.query('BEGIN');
      try {
        const result = await work(overConnection(pool));
        await pool.query('COMMIT');
        return result;
      } catch (error) {
        await pool.query('ROLLBACK');
        throw error;
      }
    },
    async close() {
      await opened.close();
      await close();
    },
  };
}

/** The type of the message that ends a session, and those of the messages that end a statement: Query and Sync. */
const terminate = 'X'.charCodeAt(0);
const endOfStatement = [...'QS'].map((type) => type.charCodeAt(0));
/** The severity in the message of an error that PostgreSQL does not survive. */
const panic = 'VPANIC\0';
/** The messages AuthenticationOk and ReadyForQuery. */
const sessionStarted = Buffer.from('R\0\0\0\x08\0\0\0\0' + 'Z\0\0\0\x05I');

/** The length of the message ReadyForQuery, which ends every answer. */
const readyLength = 6;
/** The message of an error in place of an answer that is too long. */
const refusal = messageOf('E', 'SERROR\0VERROR\0C54000\0MThe result is too large\0\0');

function messageOf(type: string, content: string): Buffer {
  const message = Buffer.from(`${type}\0\0\0\0${content}`);
  message.writeInt32BE(message.length - 1, 1);
  return message;
}

/**
 * PostgreSQL's protocol between pg and a PGlite. PGlite has a single session for its whole life, so
 * the messages that start and end a session are not passed on.
 */
class PGliteStream extends Duplex {
  readonly #engine: Engine;
  #backend: Backend | undefined;
  #started = false;

  constructor(engine: Engine) {
    super();
    this.#engine = engine;
  }

  override _write(messages: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (!this.#started) {
      this.#started = true;
      this.push(sessionStarted);
      return done();
    }
    if (messages[0] === terminate) return done();
    if (this.#backend) this.#execute(this.#backend, messages).then(() => done(), done);
  }

  async #execute(backend: Backend, messages: Buffer): Promise<void> {
    const budget = budgetOf(this);
    const parts: Buffer[] = [];
    let end = Buffer.alloc(0);
    const onRawData = (data: Uint8Array) => {
      const part = Buffer.from(data); // a copy, as the data can be in PGlite's own memory
      end = Buffer.concat([end, part]).subarray(-readyLength);
      if (budget?.take(part.length) ?? true) parts.push(part);
      else parts.length = 0; // The rest has to be received, but not kept.
    };
    await this.#engine.execute(backend, messages, onRawData, runsForRequest(this) ? requestTimeoutMs : undefined);
    const answer = budget?.isExceeded ? Buffer.concat([refusal, end]) : Buffer.concat(parts);
    this.push(answer);
    if (!answer.includes(panic)) return;
    this.#engine.discard();
    throw new Error('Connection terminated by a panic of the database');
  }

  /** Passes the messages of each statement, which pg writes one by one, in one call. */
  override _writev(writes: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    const end = 1 + writes.findIndex(({ chunk }) => endOfStatement.includes(chunk[0] ?? 0));
    const rest = end === 0 ? [] : writes.slice(end);
    const statement = Buffer.concat(writes.slice(0, writes.length - rest.length).map(({ chunk }) => chunk));
    const next = (error?: Error | null) => (error || rest.length === 0 ? done(error) : this._writev(rest, done));
    this._write(statement, 'binary', next);
  }

  override _read(): void {}

  // Further methods of a socket that pg calls.
  connect(): void {
    this.#engine.open().then(
      (backend) => {
        this.#backend = backend;
        this.emit('connect');
      },
      (cause: unknown) => this.destroy(new Error('Connection terminated: the database cannot be restarted', { cause })),
    );
  }
  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}
}
