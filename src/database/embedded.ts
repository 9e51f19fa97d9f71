import { mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import pg from 'pg';
import type { Database, DatabaseOptions } from './database.ts';
import { lockFolder } from './lock.ts';
import { connectionTimeoutMs, overConnection, overPools, sessionSettings } from './pool.ts';

/** Opens the embedded database in `dataDir`, or one in memory when that is `memory://`. See `openDatabase`. */
export async function openEmbedded(dataDir: string, options: DatabaseOptions): Promise<Database> {
  if (dataDir.startsWith('memory://')) return overPGlite(await startPGlite({ dataDir }), options);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const release = await lockFolder(dataDir); // PGlite itself would let a second process open it, and lose rows
  try {
    const start = () => startPGlite({ dataDir: join(dataDir, 'pglite') });
    const engine = new Engine(await start(), async () => {
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
  PGlite.create({ ...options, startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${sharedBuffers}`] });

/** Free space (bytes) without which a restarted database would only panic again: some segments of the WAL. */
const restartSpace = 64 * 1024 * 1024;

/** @throws Error with PostgreSQL's code of a full disk */
async function assertSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < restartSpace) throw Object.assign(new Error('The disk is full.'), { code: '53100' });
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

function overEngine(engine: Engine, options: DatabaseOptions, close: () => Promise<void>): Database {
  const pool = new SingleConnectionPool({
    stream: () => new PGliteStream(engine),
    user: 'postgres',
    database: 'postgres',
    max: 1, // PGlite has one connection
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: connectionTimeoutMs,
    onConnect: (client) => client.query(sessionSettings),
  });
  const opened = overPools({ authentication: pool, requests: pool, background: pool }, options);
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

/**
 * A pool that keeps its connection when a statement fails. pg's own pool would open another, and lose the transaction.
 */
class SingleConnectionPool extends pg.Pool {
  /* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-argument --
     one signature for all of pg's overloads: the statement, its values and the answer go through as they are */
  override async query(statement: any, values?: any): Promise<any> {
    const client = await this.connect();
    try {
      return await client.query(statement, values);
    } finally {
      client.release();
    }
  }
  /* eslint-enable */
}

/** The type of the message that ends a session. */
const terminate = 'X'.charCodeAt(0);
/** The severity in the message of an error that PostgreSQL does not survive. */
const panic = 'VPANIC\0';
/** The messages AuthenticationOk and ReadyForQuery. */
const sessionStarted = Buffer.from('R\0\0\0\x08\0\0\0\0' + 'Z\0\0\0\x05I');

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
    this.#pglite?.execProtocolRaw(messages).then((answer) => {
      this.push(answer);
      if (!Buffer.from(answer).includes(panic)) return done();
      this.#engine.discard();
      done(new Error('Connection terminated by a panic of the database'));
    }, done);
  }

  /** Passes the messages of one statement, which pg writes one by one, in one call. */
  override _writev(writes: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(writes.map(({ chunk }) => chunk)), 'binary', done);
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
