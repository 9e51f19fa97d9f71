import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';

/** Executes messages of PostgreSQL's protocol: a PGlite in this thread, or in another. */
export interface Backend {
  /** Executes messages, and passes on the answer in parts. Rejects when it has ended. */
  execProtocolRawStream(messages: Uint8Array, options: { onRawData: (data: Uint8Array) => void }): Promise<void>;
  close(): Promise<void>;
  /** Ends it at once, whatever it executes; what it has committed stays. Possible in another thread only. */
  terminate?(): Promise<void>;
}

/**
 * PGlite writes to all of its buffers at start, 128 MB by default. With fewer buffers the system's file cache does the
 * same work.
 */
const sharedBuffers = '32MB';

/** Starts a PGlite in this thread, in which nothing else runs while a statement does. */
export const startPGlite = (options: PGliteOptions): Promise<PGlite> =>
  PGlite.create({
    ...options,
    extensions: { pg_trgm }, // of the indexes for searches
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${sharedBuffers}`],
  });
