import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import type pg from 'pg';
import type { Database, DatabaseOptions } from './database.ts';
import { lockFolder } from './lock.ts';
import { assertVersion, explainAbort, explainOpenError, isDiskFull } from './open-error.ts';
import {
  ContextPool,
  connectionLifetimeSeconds,
  connectionTimeoutMs,
  overConnection,
  overPools,
  sessionSettings,
} from './pool.ts';
import { budgetOf } from './request-client.ts';

/**
 * Opens the embedded database in `dataDir`, or one in memory when that is `memory://`. See `openDatabase`.
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
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const release = await lockFolder(dataDir); // PGlite itself would let a second process open it, and lose rows
  try {
    await assertVersion(dataDir);
    const start = () => startPGlite({ dataDir: join(dataDir, 'pglite') });
    const pglite = await start().catch(async (error: unknown) => {
      throw await explainAbort(error, dataDir);
    });
    const engine = new Engine(pglite, async () => {
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

/** PGlite touches all of its default 128 MB of buffers at start; with fewer, the system's file cache serves as well. */
const sharedBuffers = '32MB';

/** Starts a PGlite that shares its process with the service. */
export const startPGlite = (options: PGliteOptions): Promise<PGlite> =>
  PGlite.create({
    ...options,
    extensions: { pg_trgm }, // of the indexes for searches
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${sharedBuffers}`],
  });

/** @throws Error with PostgreSQL's code of a full disk */
async function assertSpace(folder: string): Promise<void> {
  if (await isDiskFull(folder)) throw Object.assign(new Error('The disk is full.'), { code: '53100' });
}

/**
 * The running PGlite. After a panic, such as that of a full disk, its memory cannot be trusted: the next connection
 * starts another one over the same files, which recovers as PostgreSQL does after a crash.
 */
class Engine {
  #pglite: PGlite | undefined;

  constructor(
    pglite: PGlite,
    private readonly restart: () => Promise<PGlite> = () => Promise.reject(new Error('It has no files.')),
  ) {
    this.#pglite = pglite;
  }

  async open(): Promise<PGlite> {
    this.#pglite ??= await this.restart();
    return this.#pglite;
  }

  discard(): void {
    this.#pglite = undefined;
  }

  async close(): Promise<void> {
    await this.#pglite?.close();
  }
}

/** Creates a `Database` over an open PGlite. @param close closes what it runs on; by default closes the PGlite too */
export const overPGlite = (pglite: PGlite, options: DatabaseOptions = {}, close = () => pglite.close()): Database =>
  overEngine(new Engine(pglite), options, close);

function overEngine(engine: Engine, databaseOptions: DatabaseOptions, close: () => Promise<void>): Database {
  const options = {
    stream: () => new PGliteStream(engine),
    user: 'postgres',
    database: 'postgres',
    max: 1, // PGlite has one connection
    idleTimeoutMillis: 0,
    maxLifetimeSeconds: connectionLifetimeSeconds,
    connectionTimeoutMillis: connectionTimeoutMs,
    // PGlite has one session for its whole life, which keeps what earlier connections named.
    onConnect: (client: pg.ClientBase) => client.query(`DEALLOCATE ALL; ${sessionSettings}`),
  };
  // Another connection would lose the transaction.
  const pool = new ContextPool(options, { keepsFailed: true });
  pool.setMaxListeners(0); // each migration adds one
  const opened = overPools({ authentication: pool, requests: pool, background: pool }, databaseOptions);
  return {
    ...opened,
    kind: 'embedded',
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
 * PostgreSQL's protocol between pg and a PGlite in the same process. PGlite has a single session for its whole life, so
 * the messages that start and end a session are not passed on.
 */
class PGliteStream extends Duplex {
  readonly #engine: Engine;
  #pglite: PGlite | undefined;
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
    if (this.#pglite) this.#execute(this.#pglite, messages).then(() => done(), done);
  }

  async #execute(pglite: PGlite, messages: Buffer): Promise<void> {
    const budget = budgetOf(this);
    const parts: Buffer[] = [];
    let end = Buffer.alloc(0);
    await pglite.execProtocolRawStream(messages, {
      onRawData: (data) => {
        const part = Buffer.from(data); // a copy, as the data are in PGlite's own memory
        end = Buffer.concat([end, part]).subarray(-readyLength);
        if (budget?.take(part.length) ?? true) parts.push(part);
        else parts.length = 0; // The rest has to be received, but not kept.
      },
    });
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
      (pglite) => {
        this.#pglite = pglite;
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
